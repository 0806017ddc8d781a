import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { withLockRetries } from './locks.ts';
import { inSlices } from './slices.ts';
import { type Pool, query, type Sql, setDeadline } from './sql.ts';

/** Forward-only numbered SQL files. In the bundle they are beside main.js, in the sources beside this file. */
const folder = new URL('./migrations/', import.meta.url);
const minimumVersion = 14;
/** A migration of a large table takes as long as it takes, and other processes wait for it. */
const migrateWithinMs = 24 * 3_600_000;
const lockKey = 0x0ca7_1110; // any constant: the holder migrates, the others wait
const retryLockMs = 100;

interface Migration {
  name: string;
  text: string;
}

interface MigrateOptions {
  /** Receives progress lines for people: what is applied, and what it waits for. */
  progress?: (line: string) => void;
  /** Applies the migrations up to this one, for tests and benchmarks. */
  upTo?: string;
  /** Called after each step, before the commit if it is a transaction, for tests. */
  afterStep?: (name: string, client: pg.PoolClient) => Promise<void>;
}

export function listMigrations(): Migration[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }));
}

/** Refuses a server that is too old, with the required version. */
async function checkServerVersion(sql: Sql): Promise<void> {
  const [row] = await query<{ version: string; number: number }>(
    sql,
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number`,
  );
  if (row && row.number < minimumVersion * 10_000) {
    throw new Error(
      `PostgreSQL ${minimumVersion} or newer is required; the server in DATABASE_URL is ${row.version}.`,
    );
  }
}

/**
 * Applies the pending migrations while other processes accept and send. Safe when several processes start at once: an advisory
 * lock admits one, the others then find nothing to do. They ask again and again instead of waiting for the lock, because a
 * statement that waits holds a snapshot, for whose end `create index concurrently` would wait.
 */
export async function migrate(pool: Pool, options: MigrateOptions = {}): Promise<string[]> {
  const client = await pool.connect();
  const applied: string[] = [];
  try {
    await checkServerVersion(client);
    setDeadline(client, migrateWithinMs);
    await client.query('set statement_timeout = 0');
    while (!(await tryLock(client))) await delay(retryLockMs);
    await client.query(
      'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
    );
    const done = new Set(await appliedMigrations(client));
    for (const migration of listMigrations()) {
      if (done.has(migration.name)) continue;
      if (options.upTo !== undefined && migration.name > options.upTo) break;
      await apply(client, migration, options);
      applied.push(migration.name);
    }
    return applied;
  } finally {
    // Closing the connection releases the lock and rolls back an unfinished migration.
    client.release(true);
  }
}

async function tryLock(sql: Sql): Promise<boolean> {
  const [row] = await query<{ locked: boolean }>(sql, 'select pg_try_advisory_lock($1) as locked', [lockKey]);
  return row?.locked ?? false;
}

const insertApplied = 'insert into migrations (name) values ($1)';

/** A migration is one transaction, or, if its first line says so, a sequence of statements that can be repeated. */
async function apply(
  client: pg.PoolClient,
  { name, text }: Migration,
  { progress = () => {}, afterStep }: MigrateOptions,
): Promise<void> {
  const waiting = (): void => progress(`migration ${name} waits for a lock; sends go on meanwhile`);
  if (isOutsideTransaction(text)) {
    for (const statement of splitStatements(text))
      await runOutside(client, statement, waiting, async () => afterStep?.(name, client));
    await query(client, insertApplied, [name]);
    return;
  }
  await withLockRetries(client, { onWait: waiting }, async () => {
    await client.query(text);
    await query(client, insertApplied, [name]);
    await afterStep?.(name, client);
  });
}

/** The first line of a migration whose statements run one by one. After a crash all of them run again: each is repeatable. */
export function isOutsideTransaction(text: string): boolean {
  return text.startsWith('-- outside of a transaction');
}

/** A statement ends with a semicolon at the end of a line, outside of `$$`. */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let lines: string[] = [];
  let isQuoted = false;
  for (const line of text.split('\n')) {
    lines.push(line);
    if (line.split('$$').length % 2 === 0) isQuoted = !isQuoted;
    if (isQuoted || !line.trimEnd().endsWith(';') || line.startsWith('--')) continue;
    statements.push(lines.join('\n').trim());
    lines = [];
  }
  return statements;
}

const concurrentIndex = /^create (?:unique )?index concurrently if not exists (\w+)/m;

async function runOutside(
  client: pg.PoolClient,
  statement: string,
  waiting: () => void,
  afterStep: () => Promise<void>,
): Promise<void> {
  if (/^-- in slices/m.test(statement)) {
    // The slice after the id $1 returns the last id of its rows as `last`. Each slice is a transaction.
    return inSlices(
      async (sql: Sql, after) =>
        (await query<{ last: string | null }>(sql, statement, [after]))[0]?.last ?? null,
    )(client, () => false);
  }
  if (!/^(create|drop|alter) .*\bconcurrently\b|\bvalidate constraint\b/m.test(statement))
    return withLockRetries(client, { onWait: waiting }, async () => {
      await client.query(statement);
      await afterStep();
    });
  // These locks stop neither reads nor writes, so they may be waited for.
  const name = concurrentIndex.exec(statement)?.[1];
  if (name) await dropInvalidIndex(client, name);
  await client.query(statement);
  await afterStep();
}

/** A `create index concurrently` that was interrupted leaves an index that is written to and never read. */
async function dropInvalidIndex(client: pg.PoolClient, name: string): Promise<void> {
  const found = await query(
    client,
    'select from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [name],
  );
  if (found.length > 0) await client.query(`drop index concurrently ${name}`);
}

async function appliedMigrations(sql: Sql): Promise<string[]> {
  return (await query<{ name: string }>(sql, 'select name from migrations order by name')).map(
    ({ name }) => name,
  );
}

export async function pendingMigrations(sql: Sql): Promise<string[]> {
  const done = new Set(await appliedMigrations(sql));
  return listMigrations()
    .map((migration) => migration.name)
    .filter((name) => !done.has(name));
}

/** Returns the migrations of a newer release, which has used this database or uses it at the same time. */
export async function foreignMigrations(sql: Sql): Promise<string[]> {
  const ours = new Set(listMigrations().map((migration) => migration.name));
  return (await appliedMigrations(sql)).filter((name) => !ours.has(name));
}
