import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { emailProviders } from '../channels/registry.ts';
import { describeSettings } from '../config.ts';
import { dumpSchema } from '../db/dump.ts';
import { startTemporaryPostgres } from '../db/embedded/index.ts';
import { migrate } from '../db/migrate.ts';
import { createPool } from '../db/sql.ts';
import { smsKinds } from '../features/providers/connections/index.ts';
import { describeErrors } from '../http/error-reference.ts';
import { openApiDocument } from '../http/openapi.ts';
import { version } from '../kernel/version.ts';
import { allRoutes } from '../routes.ts';
import type { Services } from '../services.ts';
import { dumpStatements, listStatements } from './statements.ts';

/** Files generated from the code, for people or other programs. They are committed, so that a change is visible. */
const files: Record<string, () => string | Promise<string>> = {
  'openapi.json': openApi,
  'docs/config.md': settingsPage,
  'docs/errors.md': errorsPage,
  'dashboard/src/features/connections/provider-forms.json': providerForms,
  'server/src/db/schema.sql': schemaDump,
  'server/src/db/statements.sql': statementDump,
};

const root = fileURLToPath(new URL('../../..', import.meta.url));

async function main(check: boolean): Promise<void> {
  const stale: string[] = [];
  for (const [name, make] of Object.entries(files)) {
    const path = join(root, name);
    const wanted = await make();
    if (wanted === readOrEmpty(path)) continue;
    stale.push(name);
    if (!check) writeFileSync(path, wanted);
  }
  for (const name of stale)
    console.log(check ? `${name} is out of date: run npm run generate` : `wrote ${name}`);
  if (check && stale.length > 0) process.exitCode = 1;
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function openApi(): string {
  return `${JSON.stringify(openApiDocument(allRoutes(stubService('services') as Services), version), null, 2)}\n`;
}

/** The API does not describe the settings of a provider, so the dashboard gets its forms from the manifests. */
function providerForms(): string {
  const kinds = [...Object.values(emailProviders), ...Object.values(smsKinds)];
  const forms = kinds.map(({ manifest: { channel, kind, title, fields } }) => ({
    channel,
    kind,
    title,
    fields: fields.map(
      ({ name, type, meaning, required, secret, receives, callback, options, multiline }) => ({
        ...{ name, type, meaning, required },
        ...{ secret: secret ?? false, callback: callback ?? false, receives: receives ?? [] },
        ...{ options: options ?? [], multiline: multiline ?? false },
      }),
    ),
  }));
  return `${JSON.stringify(forms, null, 2)}\n`;
}

/** Routes are described without being called: a stand-in for a service may be passed around, and throws when it is used. */
function stubService(name: string): unknown {
  const use = () => {
    throw new Error(`${name} was used while the routes were being described`);
  };
  return new Proxy(use, { get: (_target, key) => stubService(`${name}.${String(key)}`) });
}

function settingsPage(): string {
  const rows = describeSettings().map(
    ({ name, fallback, meaning }) => `| \`${name}\` | ${cell(fallback)} | ${cell(meaning)} |`,
  );
  return page(
    'Settings',
    'Settings are environment variables, or fields of `carillon.config.json` in the working directory (environment variables take precedence). The service does not start with invalid values and lists all of them. `--help` prints this table.',
    ['| name | default | meaning |', '|---|---|---|', ...rows],
  );
}

function errorsPage(): string {
  const rows = describeErrors().map(
    ({ code, status, type, meaning }) => `| \`${code}\` | ${status} | ${type} | ${cell(meaning)} |`,
  );
  return page(
    'Errors',
    'All errors have the same format: `{"error": {"type", "code", "message", "param"}}`. Branch on `code`, which is stable; `message` is for people. `param` is the invalid field as a dotted path, or null.',
    ['| code | status | type | when |', '|---|---|---|---|', ...rows],
  );
}

function page(title: string, intro: string, table: string[]): string {
  return `# ${title}\n\n<!-- Generated from the code: npm run generate -->\n\n${intro}\n\n${table.join('\n')}\n`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

async function schemaDump(): Promise<string> {
  const postgres = await startTemporaryPostgres({ fsync: 'off' });
  const pool = createPool(postgres.url, 2);
  try {
    await migrate(pool);
    return `-- What the migrations add up to. Generated (npm run generate), to read and to compare; never run.\n\n${await dumpSchema(pool)}`;
  } finally {
    await pool.end();
    await postgres.stop();
  }
}

async function statementDump(): Promise<string> {
  return `-- Every named statement and its file below server/src. Generated (npm run generate), to read and to compare; never run.\n\n${dumpStatements(await listStatements())}`;
}

await main(process.argv.includes('--check'));
