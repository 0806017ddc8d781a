import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isRecord } from './kernel/json.ts';
import { createKnownNames, newNameBudget } from './kernel/known-names.ts';
import { chatSettings } from './settings/chat.ts';
import { emailSettings, managedEmailProblem, smtpNameOf } from './settings/email.ts';
import { limitSettings, notificationSettings } from './settings/limits.ts';
import { observabilitySettings } from './settings/observability.ts';
import { pushSettings } from './settings/push.ts';
import { allowedNetwork, directUrlProblem, serviceSettings } from './settings/service.ts';
import { BadValue, type SettingRow, type ValuesOf } from './settings/setting.ts';
import { managedSmsProblem, smsSettings } from './settings/sms.ts';
import { smtpInSettings, smtpTlsProblem } from './settings/smtp-in.ts';
import { type S3Settings, s3Problem, s3SettingsOf, storageSettings } from './settings/storage.ts';

export type { ManagedSender } from './settings/email.ts';
export { defaultProcesses } from './settings/service.ts';
export type { S3Settings } from './settings/storage.ts';

/**
 * All settings, in the order of docs/config.md; the folder settings/ has a table for each area. Values come from the environment, then
 * from carillon.config.json, then from the default; every bad value is reported at once.
 */
const settings = {
  ...serviceSettings,
  ...emailSettings,
  ...smtpInSettings,
  ...chatSettings,
  ...smsSettings,
  ...pushSettings,
  ...notificationSettings,
  ...storageSettings,
  ...limitSettings,
  ...observabilitySettings,
} as const;

type Values = ValuesOf<typeof settings>;

/** The table's values, with derived values filled in. */
export interface Config
  extends Omit<
    Values,
    'PUBLIC_URL' | 'CARILLON_ALLOW_PRIVATE_NETWORK' | 'CARILLON_SELF_SERVICE_ORGANIZATIONS'
  > {
  PUBLIC_URL: string | null;
  CARILLON_SELF_SERVICE_ORGANIZATIONS: 'on' | 'off';
  CARILLON_ALLOW_PRIVATE_NETWORK: 'none' | 'loopback' | 'all';
  /** Null when attachments and bodies are stored in the database. */
  objectStore: S3Settings | null;
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: string[];

  constructor(problems: string[]) {
    super(
      `The settings have ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.map((line) => `  - ${line}`).join('\n')}`,
    );
    this.problems = problems;
  }
}

function readFile(path: string, problems: string[]): Record<string, string> {
  if (!existsSync(path)) return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    problems.push('carillon.config.json: is not valid JSON');
    return {};
  }
  if (!isRecord(parsed)) {
    problems.push('carillon.config.json: must contain one object of settings');
    return {};
  }
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(parsed)) {
    if (!Object.hasOwn(settings, name))
      problems.push(`carillon.config.json: ${name} is not a setting${hintFor(name)}`);
    else if (typeof value === 'object')
      problems.push(`carillon.config.json: ${name} must be a string or a number`);
    else values[name] = String(value);
  }
  return values;
}

const settingNames = createKnownNames(Object.keys(settings));

function hintFor(name: string): string {
  const near = settingNames.findMisspelt({ [name]: '' }, newNameBudget());
  return near ? `; did you mean ${near.meant}?` : '';
}

/** What programs beside the service and the commands of the guides read. An environment may hold them for all. */
const othersNames =
  /^CARILLON_(KEY|API_KEY|LIVE_KEY|INBOX_KEY|LIVE_ENV|ENVIRONMENT|SESSION|URL|PROFILE|HOME|WEBHOOK_SECRET|TEST_\w+)$/;
/** Kubernetes and Docker describe services to containers: one named carillon is `CARILLON_SERVICE_HOST`. */
const linkedName = /_SERVICE_(HOST|PORT)|_PORT_\d+_/;
const linkedAddress = /^(tcp|udp|sctp):\/\//;

/** A setting that is misspelt would have no effect, and nobody would learn of it. */
function unknownNames(env: Record<string, string | undefined>): string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (!name.startsWith('CARILLON_') || Object.hasOwn(settings, name) || othersNames.test(name)) return [];
    if (linkedName.test(name) || linkedAddress.test(value)) return [];
    return `${name} is not a setting${hintFor(name)}`;
  });
}

export function loadConfig(env: Record<string, string | undefined>, folder: string = process.cwd()): Config {
  const problems: string[] = [];
  const file = readFile(resolve(folder, 'carillon.config.json'), problems);
  const values: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(settings) as [string, SettingRow<unknown>][]) {
    const given = env[name] || file[name];
    if (!given) {
      values[name] = row.fallback;
      continue;
    }
    try {
      values[name] = row.read(given);
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      problems.push(`${name} ${error.message}${row.secret ? '' : ` (it is ${JSON.stringify(given)})`}`);
    }
  }
  const config = values as Values;
  problems.push(
    ...[
      directUrlProblem(config),
      managedEmailProblem(config),
      managedSmsProblem(config),
      smtpTlsProblem(config),
      s3Problem(config),
    ].filter((problem) => problem !== null),
  );
  problems.push(...unknownNames(env));
  if (problems.length > 0) throw new ConfigError(problems);
  const hasManagedProvider = config.CARILLON_SMTP_URL !== null || config.CARILLON_MANAGED_SMS_KIND !== null;
  return {
    ...config,
    CARILLON_SELF_SERVICE_ORGANIZATIONS:
      config.CARILLON_SELF_SERVICE_ORGANIZATIONS ?? (hasManagedProvider ? 'off' : 'on'),
    CARILLON_ALLOW_PRIVATE_NETWORK: config.CARILLON_ALLOW_PRIVATE_NETWORK ?? allowedNetwork(config),
    CARILLON_SMTP_NAME: config.CARILLON_SMTP_NAME ?? smtpNameOf(config.PUBLIC_URL),
    objectStore: s3SettingsOf(config),
  };
}

/** The table as rows for `--help`, docs/config.md and the Helm chart. */
export function describeSettings(): { name: string; fallback: string; meaning: string; isSecret: boolean }[] {
  return (Object.entries(settings) as [string, SettingRow<unknown>][]).map(([name, row]) => ({
    name,
    fallback: row.shown ?? String(row.fallback),
    meaning: row.meaning,
    isSecret: row.secret ?? false,
  }));
}
