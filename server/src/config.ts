import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import {
  apiKey,
  BadValue,
  databaseUrl,
  emailAddress,
  encryptionKeys,
  type FlavouredPattern,
  flavouredPatterns,
  integer,
  type ManagedSender,
  managedSender,
  networks,
  oneOf,
  type ProcessRole,
  password,
  patterns,
  positive,
  processRoles,
  pushHosts,
  type S3Encryption,
  s3Bucket,
  s3Encryption,
  s3Prefix,
  smsAccount,
  smsSender,
  smtpName,
  smtpUrl,
  text,
  url,
} from './config-values.ts';
import { isRecord } from './kernel/record.ts';

export type { FlavouredPattern, ManagedSender, ProcessRole } from './config-values.ts';

/**
 * The settings table: one row per setting has its name, parser, default, meaning and whether it is secret. Validation, `--help`
 * and docs/config.md all derive from it. Values come from the environment, then from carillon.config.json, then from the
 * default; every bad value is reported at once.
 */
interface Setting<Value> {
  read: (text: string) => Value;
  fallback: Value;
  /** The displayed default; the value itself when absent. */
  shown?: string;
  meaning: string;
  secret?: true;
}

function setting<Value>(row: Setting<Value>): Setting<Value> {
  return row;
}

/** The other half of the cores is for PostgreSQL and for the threads of each process. */
export function defaultProcesses(cores: number): number {
  return cores < 4 ? 1 : Math.min(Math.floor(cores / 2), 8);
}

const settings = {
  HOST: setting({ read: text, fallback: '127.0.0.1', meaning: 'Address that the service listens on.' }),
  PORT: setting({
    read: integer(0, 65_535),
    fallback: 8400,
    meaning: 'Port for the API, docs and callbacks. 0 picks a free port.',
  }),
  PUBLIC_URL: setting<string | null>({
    read: url('http:', 'https:'),
    fallback: null,
    shown: 'http://HOST:PORT',
    meaning: 'Public address of the service (links in messages, provider callbacks).',
  }),
  CARILLON_TRUSTED_PROXIES: setting<string[] | null>({
    read: networks,
    fallback: null,
    shown: 'none',
    meaning:
      'Addresses or networks of trusted proxies, comma-separated: `X-Forwarded-For` is only trusted from these. Without it, all users behind a proxy share the throttling of failed sign-ins.',
  }),
  DATABASE_URL: setting<string | null>({
    read: databaseUrl,
    fallback: null,
    shown: 'the bundled PostgreSQL',
    meaning:
      'PostgreSQL 14 or newer. Several hosts, comma-separated, are tried in order; `?target_session_attrs=read-write` passes over standbys. If unset, the bundled PostgreSQL starts and stops with the service.',
    secret: true,
  }),
  CARILLON_DATABASE_DIRECT_URL: setting<string | null>({
    read: databaseUrl,
    fallback: null,
    shown: 'DATABASE_URL',
    meaning:
      'Set this when DATABASE_URL leads to a connection pooler: the URL of the database without the pooler, for connections that need a session (`LISTEN`, migrations, heartbeats).',
    secret: true,
  }),
  CARILLON_DATABASE_READ_URL: setting<string | null>({
    read: databaseUrl,
    fallback: null,
    shown: '–',
    meaning:
      'A streaming standby for lists, exports and the overview. Callers see their own writes; others may see the state of a few seconds ago. Without it, or while it fails or lags, the primary is used.',
    secret: true,
  }),
  CARILLON_DATA_DIR: setting({
    read: (value: string) => resolve(value),
    fallback: resolve('.carillon'),
    shown: './.carillon',
    meaning: 'Directory for the bundled database, generated keys and credentials.json.',
  }),
  CARILLON_ROLES: setting<ProcessRole[]>({
    read: processRoles,
    fallback: ['api', 'worker'],
    shown: 'api,worker',
    meaning: 'Roles of this process. Any number of processes of each role can share a database.',
  }),
  CARILLON_PROCESSES: setting({
    read: integer(1, 64),
    fallback: defaultProcesses(availableParallelism()),
    shown: '1 with fewer than 4 cores, else half the cores, at most 8',
    meaning:
      'Processes that serve the port and do the work. With more than 1, a small supervisor starts them, replaces those that crash, and restarts them one at a time on SIGHUP.',
  }),
  CARILLON_ENCRYPTION_KEY: setting<Buffer[] | null>({
    read: encryptionKeys,
    fallback: null,
    shown: 'generated in the data directory',
    meaning: '32 bytes in base64. With several, comma-separated, the first encrypts and all decrypt.',
    secret: true,
  }),
  CARILLON_BOOTSTRAP_TEST_KEY: setting<string | null>({
    read: apiKey('test'),
    fallback: null,
    shown: 'generated',
    meaning: 'The first Test key (crl_test_…), for automation.',
    secret: true,
  }),
  CARILLON_BOOTSTRAP_LIVE_KEY: setting<string | null>({
    read: apiKey('live'),
    fallback: null,
    shown: 'generated',
    meaning: 'The first Live key (crl_live_…), for automation.',
    secret: true,
  }),
  CARILLON_ADMIN_EMAIL: setting({
    read: emailAddress,
    fallback: 'admin@carillon.local',
    meaning: 'Email of the first dashboard owner.',
  }),
  CARILLON_ADMIN_PASSWORD: setting<string | null>({
    read: password,
    fallback: null,
    shown: 'generated',
    meaning: 'Password of the first dashboard owner.',
    secret: true,
  }),
  CARILLON_ALLOW_PRIVATE_NETWORK: setting<'none' | 'loopback' | 'all' | null>({
    read: oneOf('none', 'loopback', 'all'),
    fallback: null,
    shown: '`loopback` when HOST and PUBLIC_URL are loopback, else `none`',
    meaning: 'Non-public addresses that outbound calls can reach: none, loopback, all.',
  }),
  CARILLON_SMTP_URL: setting<string | null>({
    read: smtpUrl,
    fallback: null,
    shown: '–',
    meaning:
      "The operator's managed email provider, used by Live environments without an email provider. Append `?require_tls=true` to require TLS. Requires CARILLON_MANAGED_FROM.",
    secret: true,
  }),
  CARILLON_MANAGED_FROM: setting<ManagedSender | null>({
    read: managedSender,
    fallback: null,
    shown: '–',
    meaning:
      'The sender of all email sent through the managed provider, such as `Acme <no-reply@acme.example>`. Environments and requests cannot change it.',
  }),
  CARILLON_SMTP_NAME: setting<string | null>({
    read: smtpName,
    fallback: null,
    shown: 'host of PUBLIC_URL, or else the domain of the From address',
    meaning: 'The EHLO name for mail servers. Many servers reject a name that does not exist in DNS.',
  }),
  CARILLON_SMTP_PORT: setting<number | null>({
    read: integer(0, 65_535),
    fallback: null,
    shown: 'off',
    meaning:
      'Port for SMTP in: mail software signs in with an API key as the password, and its messages become email notifications. Usually 587 or 2525; 0 picks a free port.',
  }),
  CARILLON_SMTP_TLS_CERT: setting<string | null>({
    read: text,
    fallback: null,
    shown: '–',
    meaning:
      'File with the certificate (and its chain, PEM) for STARTTLS on CARILLON_SMTP_PORT. A replaced file is used within a minute. Requires CARILLON_SMTP_TLS_KEY.',
  }),
  CARILLON_SMTP_TLS_KEY: setting<string | null>({
    read: text,
    fallback: null,
    shown: '–',
    meaning: 'File with the private key (PEM) of CARILLON_SMTP_TLS_CERT.',
  }),
  CARILLON_SMTP_PLAINTEXT: setting({
    read: oneOf('loopback', 'all'),
    fallback: 'loopback' as const,
    meaning:
      'From where API keys are accepted without TLS on CARILLON_SMTP_PORT: from this machine (loopback), or from everywhere (all; for private networks and behind a proxy that terminates TLS).',
  }),
  CARILLON_SMTP_CONNECTIONS_PER_ADDRESS: setting({
    read: integer(1, 1_000),
    fallback: 100,
    meaning:
      'Open SMTP connections from one address, per process; a process has at most 1,000. Clients behind a proxy share its address.',
  }),
  CARILLON_CHATONE_API_URL: setting({
    read: url('http:', 'https:'),
    fallback: 'https://slack.com/api',
    meaning: 'Base URL of the Slack (chatone) API.',
  }),
  CARILLON_CHATONE_AUTHORIZE_URL: setting({
    read: url('http:', 'https:'),
    fallback: 'https://slack.com/oauth/v2/authorize',
    meaning: 'URL for installing the Slack app.',
  }),
  CARILLON_CHATONE_CLIENT_ID: setting<string | null>({
    read: text,
    fallback: null,
    shown: '–',
    meaning: 'Client ID of the Slack app. If unset, workspaces can only be installed by bot token.',
  }),
  CARILLON_CHATONE_CLIENT_SECRET: setting<string | null>({
    read: text,
    fallback: null,
    shown: '–',
    meaning: 'Client secret of the Slack app.',
    secret: true,
  }),
  CARILLON_CHATONE_SIGNING_SECRET: setting<string | null>({
    read: text,
    fallback: null,
    shown: '–',
    meaning: 'Signing secret of the Slack app, required to receive its events (uninstalled, tokens revoked).',
    secret: true,
  }),
  CARILLON_CHATTWO_URL_PATTERNS: setting<FlavouredPattern[]>({
    read: flavouredPatterns,
    fallback: [],
    shown: '–',
    meaning:
      'Additional accepted Microsoft Teams (chattwo) URLs: regular expressions for a whole URL, comma-separated. Prefix one with `A=` or `B=` to set its flavour; the default is B.',
  }),
  CARILLON_CHATTHREE_URL_PATTERNS: setting<RegExp[]>({
    read: patterns,
    fallback: [],
    shown: '–',
    meaning:
      'Additional accepted Discord (chatthree) URLs: regular expressions for a whole URL, comma-separated.',
  }),
  CARILLON_MANAGED_SMS_KIND: setting<'smsone' | 'smstwo' | null>({
    read: oneOf('smsone', 'smstwo'),
    fallback: null,
    shown: '–',
    meaning:
      "The operator's managed SMS provider: smsone (Twilio) or smstwo (Vonage). Used by Live environments whose SMS settings are `managed`.",
  }),
  CARILLON_MANAGED_SMS_ACCOUNT: setting<string | null>({
    read: smsAccount,
    fallback: null,
    shown: '–',
    meaning:
      'Account of the managed SMS provider: the account SID of Twilio (smsone), the API key of Vonage (smstwo).',
    secret: true,
  }),
  CARILLON_MANAGED_SMS_SECRET: setting<string | null>({
    read: text,
    fallback: null,
    shown: '–',
    meaning:
      'Secret of the managed SMS provider: the auth token of Twilio (smsone), the API secret of Vonage (smstwo).',
    secret: true,
  }),
  CARILLON_MANAGED_SMS_FROM: setting<string | null>({
    read: smsSender,
    fallback: null,
    shown: '–',
    meaning: 'Sender of the managed SMS provider: a number in E.164 format, or an alphanumeric sender id.',
  }),
  CARILLON_SMSONE_API_URL: setting({
    read: url('http:', 'https:'),
    fallback: 'https://api.twilio.com',
    meaning: 'Base URL of the Twilio (smsone) API. Change it for simulators and proxies.',
  }),
  CARILLON_SMSTWO_API_URL: setting({
    read: url('http:', 'https:'),
    fallback: 'https://rest.nexmo.com',
    meaning: 'Base URL of the Vonage (smstwo) API. Change it for simulators and proxies.',
  }),
  CARILLON_APNS_API_URL: setting<string | null>({
    read: url('http:', 'https:'),
    fallback: null,
    shown: 'the server of Apple that the push settings choose',
    meaning: 'Base URL of the APNs API. Change it for simulators and proxies; `http:` is HTTP/2 without TLS.',
  }),
  CARILLON_FCM_API_URL: setting({
    read: url('http:', 'https:'),
    fallback: 'https://fcm.googleapis.com',
    meaning: 'Base URL of the FCM API. Change it for simulators and proxies; `http:` is HTTP/2 without TLS.',
  }),
  CARILLON_WEB_PUSH_HOSTS: setting<readonly string[]>({
    read: pushHosts,
    fallback: [],
    shown: 'none',
    meaning:
      'Hosts of push services, separated by commas, that browsers may subscribe with besides those of Google, Mozilla, Apple and Microsoft; `*.example.com` allows every host below. Their subscriptions may use `http:`.',
  }),
  CARILLON_RETENTION_DAYS: setting<number | null>({
    read: integer(7, 36_500),
    fallback: null,
    shown: 'no limit',
    meaning:
      'Retention of finished notifications with all their data, workflow runs, and webhook events with their deliveries.',
  }),
  CARILLON_BRAKE_RECIPIENT_LIMIT: setting({
    read: integer(0, 1_000_000),
    fallback: 100,
    meaning:
      'Notifications of the same template and channel that a recipient may get in an hour, in Live environments without a rule of their own (`repeated_messages`); more are held. 0: no limit.',
  }),
  CARILLON_STORAGE_QUOTA_MB: setting({
    read: integer(0, 1_000_000_000),
    fallback: 10_240,
    meaning:
      'Storage quota of an environment in MiB: notifications with attachments, inbox items, workflow runs and the sandbox. Live environments on the plan unmetered have no quota. 0 disables the quota.',
  }),
  CARILLON_S3_BUCKET: setting<string | null>({
    read: s3Bucket,
    fallback: null,
    shown: '–',
    meaning:
      'Bucket of an S3-compatible object store for attachments and, with CARILLON_S3_BODY_THRESHOLD, large message bodies. If unset, they are stored in the database. Requires both keys.',
  }),
  CARILLON_S3_ACCESS_KEY_ID: setting<string | null>({
    read: text,
    fallback: null,
    shown: '–',
    meaning: 'Access key id for the bucket.',
    secret: true,
  }),
  CARILLON_S3_SECRET_ACCESS_KEY: setting<string | null>({
    read: text,
    fallback: null,
    shown: '–',
    meaning: 'Secret access key for the bucket.',
    secret: true,
  }),
  CARILLON_S3_REGION: setting({
    read: text,
    fallback: 'us-east-1',
    meaning: 'Region of the bucket. Many other stores accept any region.',
  }),
  CARILLON_S3_ENDPOINT: setting<string | null>({
    read: url('http:', 'https:'),
    fallback: null,
    shown: 'https://s3.REGION.amazonaws.com',
    meaning: 'Base URL of another S3-compatible store. It may be in a private network.',
  }),
  CARILLON_S3_FORCE_PATH_STYLE: setting<'on' | 'off' | null>({
    read: oneOf('on', 'off'),
    fallback: null,
    shown: '`on` with CARILLON_S3_ENDPOINT, else `off`',
    meaning: 'Whether the bucket is in the path of URLs (on) or in the host name (off).',
  }),
  CARILLON_S3_PREFIX: setting({
    read: s3Prefix,
    fallback: 'carillon/',
    meaning: 'Prefix of the keys of all objects.',
  }),
  CARILLON_S3_SSE: setting<S3Encryption | null>({
    read: s3Encryption,
    fallback: null,
    shown: 'the default of the bucket',
    meaning: 'Server-side encryption of objects: AES256, aws:kms or aws:kms:KEY.',
  }),
  CARILLON_S3_BODY_THRESHOLD: setting<number | null>({
    read: integer(1_024, 4_000_000),
    fallback: null,
    shown: '–',
    meaning:
      'Message bodies (HTML and text together) with more bytes than this are stored in the bucket. If unset, all bodies are stored in the database.',
  }),
  CARILLON_RETRY_SCALE: setting({
    read: positive,
    fallback: 1,
    meaning:
      'Multiplies the retry delays and the five days after which a failing webhook endpoint is disabled (0.001 turns hours into seconds; for tests and demos).',
  }),
  CARILLON_PLAN: setting({
    read: oneOf('free', 'pro', 'scale', 'unmetered'),
    fallback: 'unmetered' as const,
    meaning: 'Plan of new organizations. All organizations of one owner share the limit of a plan.',
  }),
  CARILLON_SELF_SERVICE_ORGANIZATIONS: setting<'on' | 'off' | null>({
    read: oneOf('on', 'off'),
    fallback: null,
    shown: '`off` with a managed email or SMS provider, else `on`',
    meaning:
      'Whether all signed-in users can create organizations. Every organization can send through the managed providers, so with those, by default only the operator can create organizations (--create-organization).',
  }),
  CARILLON_RATE_LIMIT: setting<number | null>({
    read: positive,
    fallback: null,
    shown: 'by plan: free 20, pro 200, scale 2000, unmetered none',
    meaning: 'Requests per second for each key, instead of the limit of the plan; bursts can be twice that.',
  }),
  CARILLON_SESSION_RATE_LIMIT: setting({
    read: positive,
    fallback: 50,
    meaning: 'Requests per second for each dashboard user, per process; bursts can be five times that.',
  }),
  CARILLON_END_USER_RATE_LIMIT: setting({
    read: positive,
    fallback: 20,
    meaning:
      'Requests per second for each end user with tokens (inbox and preferences; an open stream is one request), per process; bursts can be five times that.',
  }),
  CARILLON_SESSION_IDLE_HOURS: setting({
    read: integer(1, 168),
    fallback: 72,
    meaning:
      'Hours after which an unused dashboard session ends (an open dashboard counts as use). Every session ends after 7 days.',
  }),
  LOG_LEVEL: setting({
    read: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    fallback: 'info' as const,
    meaning: 'Log level. Logs are JSON lines on standard output.',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting<string | null>({
    read: url('http:', 'https:'),
    fallback: null,
    shown: '–',
    meaning:
      'OpenTelemetry collector (OTLP over HTTP), for example http://localhost:4318. If unset, no traces are exported.',
    secret: true, // may contain a password
  }),
} as const;

type Settings = typeof settings;
type Values = { [Name in keyof Settings]: Settings[Name] extends Setting<infer Value> ? Value : never };

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

/** The settings of the object store together. */
export interface S3Settings {
  /** Null: Amazon S3. */
  endpoint: string | null;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  forcePathStyle: boolean;
  encryption: S3Encryption | null;
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
    if (!Object.hasOwn(settings, name)) problems.push(`carillon.config.json: ${name} is not a setting`);
    else if (typeof value === 'object')
      problems.push(`carillon.config.json: ${name} must be a string or a number`);
    else values[name] = String(value);
  }
  return values;
}

const managedSms = [
  'CARILLON_MANAGED_SMS_KIND',
  'CARILLON_MANAGED_SMS_ACCOUNT',
  'CARILLON_MANAGED_SMS_SECRET',
  'CARILLON_MANAGED_SMS_FROM',
] as const;

/** Without a fixed sender the relay would send as any address that a tenant writes. */
function managedEmailProblem(config: Values): string | null {
  // A value that could not be parsed is undefined here, and has been reported.
  return config.CARILLON_SMTP_URL && config.CARILLON_MANAGED_FROM === null
    ? 'CARILLON_MANAGED_FROM must also be set: it is the sender of all email sent through CARILLON_SMTP_URL'
    : null;
}

/** The bundled database has no pooler. */
function directUrlProblem(config: Values): string | null {
  return config.CARILLON_DATABASE_DIRECT_URL && config.DATABASE_URL === null
    ? 'DATABASE_URL must also be set: CARILLON_DATABASE_DIRECT_URL is only for a database behind a pooler'
    : null;
}

/** A provider with half its settings would fail every message instead of the start. */
function managedSmsProblem(config: Values): string | null {
  // A value that could not be parsed is undefined here, and has been reported.
  const missing = managedSms.filter((name) => config[name] === null);
  if (missing.length === 0 || missing.length === managedSms.length) return null;
  return `${missing.join(', ')} must also be set: the managed SMS provider needs all four`;
}

/** With one of the files, the operator expects TLS that there would not be. */
function smtpTlsProblem(config: Values): string | null {
  const { CARILLON_SMTP_TLS_CERT: cert, CARILLON_SMTP_TLS_KEY: key } = config;
  if ((cert === null) === (key === null)) return null;
  return `${cert === null ? 'CARILLON_SMTP_TLS_CERT' : 'CARILLON_SMTP_TLS_KEY'} must also be set: STARTTLS needs the certificate and its key`;
}

const neededForS3 = [
  'CARILLON_S3_BUCKET',
  'CARILLON_S3_ACCESS_KEY_ID',
  'CARILLON_S3_SECRET_ACCESS_KEY',
] as const;
const optionalForS3 = ['CARILLON_S3_ENDPOINT', 'CARILLON_S3_SSE', 'CARILLON_S3_BODY_THRESHOLD'] as const;

/** Half the settings would store in the database what the operator expects in the bucket. */
function s3Problem(config: Values): string | null {
  // A value that could not be parsed is undefined here, and has been reported.
  const missing = neededForS3.filter((name) => config[name] === null);
  const given = [...neededForS3, ...optionalForS3].filter((name) => config[name] !== null);
  if (missing.length === 0 || given.length === 0) return null;
  return `${missing.join(', ')} must also be set: the object store needs the bucket and both keys`;
}

function s3SettingsOf(config: Values): S3Settings | null {
  const { CARILLON_S3_BUCKET: bucket, CARILLON_S3_ENDPOINT: endpoint } = config;
  const { CARILLON_S3_ACCESS_KEY_ID: accessKeyId, CARILLON_S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (bucket === null || accessKeyId === null || secretAccessKey === null) return null;
  const style = config.CARILLON_S3_FORCE_PATH_STYLE ?? (endpoint === null ? 'off' : 'on');
  return {
    ...{ endpoint, bucket, accessKeyId, secretAccessKey },
    region: config.CARILLON_S3_REGION,
    forcePathStyle: style === 'on',
    encryption: config.CARILLON_S3_SSE,
  };
}

/** The host of a URL, or an address to listen on. */
function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '');
  if (isIP(name)) return name === '::1' || name.startsWith('127.');
  return name === 'localhost' || name.endsWith('.localhost');
}

/** Calls to our own machine are harmless only while the service is not accessible from other machines. */
function allowedNetwork({ HOST, PUBLIC_URL }: Values): 'loopback' | 'none' {
  const hosts = [HOST, ...(PUBLIC_URL === null ? [] : [new URL(PUBLIC_URL).hostname])];
  return hosts.every(isLoopback) ? 'loopback' : 'none';
}

/** The name that PUBLIC_URL gives us towards mail servers; null when it has no public name. */
function smtpNameOf({ PUBLIC_URL }: Values): string | null {
  if (PUBLIC_URL === null) return null;
  const host = new URL(PUBLIC_URL).hostname;
  if (isLoopback(host) || !/[.:]/.test(host)) return null;
  const address = host.replace(/^\[|\]$/g, '');
  return { 0: host, 4: `[${address}]`, 6: `[IPv6:${address}]` }[isIP(address)] ?? null;
}

export function loadConfig(env: Record<string, string | undefined>, folder: string = process.cwd()): Config {
  const problems: string[] = [];
  const file = readFile(resolve(folder, 'carillon.config.json'), problems);
  const values: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(settings) as [string, Setting<unknown>][]) {
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
  if (problems.length > 0) throw new ConfigError(problems);
  const hasManagedProvider = config.CARILLON_SMTP_URL !== null || config.CARILLON_MANAGED_SMS_KIND !== null;
  return {
    ...config,
    CARILLON_SELF_SERVICE_ORGANIZATIONS:
      config.CARILLON_SELF_SERVICE_ORGANIZATIONS ?? (hasManagedProvider ? 'off' : 'on'),
    CARILLON_ALLOW_PRIVATE_NETWORK: config.CARILLON_ALLOW_PRIVATE_NETWORK ?? allowedNetwork(config),
    CARILLON_SMTP_NAME: config.CARILLON_SMTP_NAME ?? smtpNameOf(config),
    objectStore: s3SettingsOf(config),
  };
}

/** The table as rows for `--help`, docs/config.md and the Helm chart. */
export function describeSettings(): { name: string; fallback: string; meaning: string; isSecret: boolean }[] {
  return (Object.entries(settings) as [string, Setting<unknown>][]).map(([name, row]) => ({
    name,
    fallback: row.shown ?? String(row.fallback),
    meaning: row.meaning,
    isSecret: row.secret ?? false,
  }));
}

/** The config for the log: secrets show only that they are set. */
export function maskedConfig(config: Config): Record<string, unknown> {
  return Object.fromEntries(
    (Object.entries(settings) as [keyof Config, Setting<unknown>][]).map(([name, row]) => [
      name,
      row.secret && config[name] !== null ? '[set]' : config[name],
    ]),
  );
}
