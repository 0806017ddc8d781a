import { readdirSync, readFileSync } from 'node:fs';
import { type Pool, query, type Sql, setDeadline } from './sql.ts';

/** Forward-only numbered SQL files. In the bundle they are beside main.js, in the sources beside this file. */
const folder = new URL('./migrations/', import.meta.url);
const minimumVersion = 14;
/** A migration of a large table takes as long as it takes, and other processes wait for it. */
const migrateWithinMs = 24 * 3_600_000;
const lockKey = 0x0ca7_1110; // any constant: the holder migrates, the others wait

export interface Migration {
  name: string;
  text: string;
}

function listMigrations(): Migration[] {
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

/** Safe when several processes start at once: an advisory lock admits one, the others then find nothing to do. */
export async function migrate(pool: Pool): Promise<string[]> {
  const client = await pool.connect();
  const applied: string[] = [];
  try {
    await checkServerVersion(client);
    setDeadline(client, migrateWithinMs);
    await client.query('set statement_timeout = 0');
    await client.query('select pg_advisory_lock($1)', [lockKey]);
    await client.query(
      'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
    );
    const done = new Set(await appliedMigrations(client));
    for (const migration of listMigrations()) {
      if (done.has(migration.name)) continue;
      await client.query('begin');
      await client.query(migration.text);
      await client.query('insert into migrations (name) values ($1)', [migration.name]);
      await client.query('commit');
      applied.push(migration.name);
    }
    return applied;
  } finally {
    // Closing the connection releases the lock and rolls back an unfinished migration.
    client.release(true);
  }
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
