import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { backUp } from '../db/embedded/backup.ts';
import { hasCluster } from '../db/embedded/home.ts';
import { findRunningPostgres } from '../db/embedded/index.ts';
import { restore } from '../db/embedded/restore.ts';
import { createPool, query } from '../db/sql.ts';
import { commandLine } from '../processes/invocation.ts';
import { type OperatorCommand, reachDatabase } from './command.ts';

/** `npm start -- --backup DIR`: copies the bundled database, also while the service runs. */
export const backupCommand: OperatorCommand = async (config, print, args) => {
  const given = readArguments(args, ['--without-key']);
  if (!given) return refuse(print, '--backup DIR [--without-key]');
  if (config.DATABASE_URL) return refuseOwnServer(print);
  const dataDir = config.CARILLON_DATA_DIR;
  if (!hasCluster(dataDir)) {
    print(`There is no database in ${dataDir}. Set CARILLON_DATA_DIR to the data directory of the service.`);
    return 1;
  }
  const key = join(dataDir, 'encryption.key');
  const withKey =
    !given.flags.has('--without-key') && config.CARILLON_ENCRYPTION_KEY === null && existsSync(key);
  const target = resolve(given.directory);
  const database = await reachDatabase(config, print);
  try {
    const { created_at } = await backUp({ dataDir, url: database.url, target, withKey, print });
    print(`The backup in ${target} is complete; it has everything up to ${created_at}.`);
  } finally {
    await database.stop();
  }
  print(
    withKey
      ? 'It contains the encryption key: keep it as private as the service itself (--without-key leaves the key out).'
      : `It does not contain the encryption key. Keep ${config.CARILLON_ENCRYPTION_KEY ? 'the value of CARILLON_ENCRYPTION_KEY' : key} too: without it, stored secrets are lost.`,
  );
  return 0;
};

/** `npm start -- --restore DIR`: restores a backup of the bundled database, while the service is stopped. */
export const restoreCommand: OperatorCommand = async (config, print, args) => {
  const given = readArguments(args, ['--force']);
  if (!given) return refuse(print, '--restore DIR [--force]');
  if (config.DATABASE_URL) return refuseOwnServer(print);
  const source = resolve(given.directory);
  const dataDir = config.CARILLON_DATA_DIR;
  let waiting = 0;
  const { created_at } = await restore({
    ...{ dataDir, source, print },
    force: given.flags.has('--force'),
    async inspect(url) {
      waiting = await countWaiting(url);
    },
  });
  print(`The database of ${created_at} is restored in ${dataDir}.`);
  if (config.CARILLON_ENCRYPTION_KEY === null && !existsSync(join(dataDir, 'encryption.key')))
    print(
      `The backup has no encryption key. Put encryption.key into ${dataDir}, or set CARILLON_ENCRYPTION_KEY, before the next start.`,
    );
  if (waiting > 0)
    print(
      `${waiting} jobs were waiting then, and are done at the next start, even if they have been done since. To look at them first, start with CARILLON_ROLES=api (docs/guides/backup.md).`,
    );
  return 0;
};

async function countWaiting(url: string): Promise<number> {
  const pool = createPool(url, 1);
  try {
    const [row] = await query<{ waiting: number }>(
      pool,
      `select (select count(*) from queue_ready)::int + (select count(*) from queue_later)::int
         + (select count(*) from queue_parked)::int + (select count(*) from queue_leased)::int as waiting`,
    );
    return row?.waiting ?? 0;
  } finally {
    await pool.end();
  }
}

function readArguments(
  args: readonly string[],
  known: readonly string[],
): { directory: string; flags: Set<string> } | null {
  const [directory, ...more] = args.filter((word) => !word.startsWith('--'));
  const flags = args.filter((word) => word.startsWith('--'));
  if (!directory || more.length > 0 || flags.some((flag) => !known.includes(flag))) return null;
  return { directory, flags: new Set(flags) };
}

function refuse(print: (line: string) => void, usage: string): number {
  print(`Usage: ${commandLine(usage)}`);
  return 1;
}

function refuseOwnServer(print: (line: string) => void): number {
  print(
    'These commands are for the bundled PostgreSQL. With DATABASE_URL, use pg_dump or pg_basebackup of that server (docs/guides/backup.md).',
  );
  return 1;
}

/**
 * `npm start -- --database-url`: prints the address of the bundled database, for psql. It contains the password: a user who can
 * run this can read it in the data directory. A DATABASE_URL is not repeated: the operator has it, and its password may be for others.
 */
export const databaseUrlCommand: OperatorCommand = async (config, print) => {
  if (config.DATABASE_URL !== null) {
    print('The service uses the database of your DATABASE_URL: psql "$DATABASE_URL"');
    return 1;
  }
  const url = await runningDatabase(config.CARILLON_DATA_DIR);
  if (url !== null) {
    print(url);
    return 0;
  }
  print(
    `No bundled database runs on ${config.CARILLON_DATA_DIR}, or this user cannot read its password. Start the service, and run ${commandLine('--database-url')} with its settings, as its user.`,
  );
  return 1;
};

async function runningDatabase(dataDir: string): Promise<string | null> {
  try {
    return await findRunningPostgres(dataDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return null;
    throw error;
  }
}
