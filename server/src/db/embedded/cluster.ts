import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { inheritOwner } from '../../kernel/owner.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { EmbeddedPostgresError, explainOutput } from './error.ts';
import { runTool } from './process.ts';

export interface ClusterLocation {
  dataDir: string;
  /** The directory that holds `postgres/`: the data directory, unless the account cannot access it. */
  home: string;
  account: Account | undefined;
  binaries: Binaries;
  /** False in tests that run with fsync=off: then initdb need not flush either. */
  durable: boolean;
  log: (line: string) => void;
}

const UNFINISHED = 'postgres.new-';

export function clusterOf(home: string): string {
  return path.join(home, 'postgres');
}

/** Creates the cluster if there is none; afterwards it is complete, matches the binaries, and belongs to the account. */
export async function ensureCluster(location: ClusterLocation): Promise<void> {
  const cluster = clusterOf(location.home);
  if (!existsSync(path.join(cluster, 'PG_VERSION'))) return createCluster(location, cluster);

  const made = readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (made !== String(location.binaries.major)) {
    throw new EmbeddedPostgresError(
      `The database in ${cluster} was created by PostgreSQL ${made}, and the bundled one is PostgreSQL ${location.binaries.major}. Run the Carillon release that created it, dump it with pg_dump, and restore the dump into an empty data directory.`,
    );
  }
  if (location.account !== undefined && statSync(cluster).uid === 0) giveTo(location.account, cluster);
  keepPrivate(cluster);
}

/** A volume of Kubernetes or a copy may have opened the directory to its group; PostgreSQL refuses to start on it then. */
function keepPrivate(cluster: string): void {
  const { mode, uid } = statSync(cluster);
  const isOurs = process.getuid?.() === uid || process.getuid?.() === 0;
  if (isOurs && (mode & 0o2077) !== 0) chmodSync(cluster, 0o700);
}

/** Returns the role's password; undefined when its file is missing. */
export function readPassword(dataDir: string): string | undefined {
  const file = passwordFileOf(dataDir);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/** Sets a new password with no server running: the owner of the files owns the database, so a lost password is recoverable. */
export async function resetPassword(location: ClusterLocation): Promise<void> {
  const password = newPassword();
  await runSql(location, clusterOf(location.home), `ALTER ROLE carillon PASSWORD '${password}'`);
  keepPassword(location.dataDir, password);
}

/** Creates the cluster in a temporary directory that is renamed at the end, so that a cluster is complete or absent. */
async function createCluster(location: ClusterLocation, cluster: string): Promise<void> {
  const { account, dataDir, home } = location;
  removeEmptyDirectory(cluster);
  location.log('creating the database…');
  removeUnfinished(home);
  const workshop = path.join(home, UNFINISHED + randomBytes(4).toString('hex'));
  try {
    const fresh = path.join(workshop, 'data');
    const passwordFile = path.join(workshop, 'password');
    const password = newPassword();
    mkdirSync(workshop, { mode: 0o700 });
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (account !== undefined) giveTo(account, workshop);

    // C.UTF-8 of the builtin provider: sorts by code point, as fast as C, knows every alphabet's letters, and does not change
    // with the operating system's library, which would corrupt indexes.
    const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const access = ['--username=carillon', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
    await runInitdb(location, ['-D', fresh, ...locale, ...access, '--no-sync', '--no-instructions']);
    await runSql(location, fresh, 'CREATE DATABASE carillon', ['-c', 'fsync=off']);
    // One flush at the end instead of one per step: 0.1 s.
    if (location.durable) await runInitdb(location, ['-D', fresh, '--sync-only']);

    keepPassword(dataDir, password);
    renameSync(fresh, cluster);
    if (location.durable) flushDirectory(home);
  } finally {
    removeUnfinished(home); // once more: an initdb that was still running may have written files again before it died
  }
}

function removeUnfinished(home: string): void {
  for (const name of readdirSync(home).filter((each) => each.startsWith(UNFINISHED))) {
    // Retries, because the initdb of a killed Carillon may still be writing there; the removal makes it fail.
    rmSync(path.join(home, name), { recursive: true, force: true, maxRetries: 5 });
  }
}

async function runInitdb(location: ClusterLocation, args: string[]): Promise<void> {
  const { ok, output } = await runTool(location.binaries.initdb, args, location.account);
  if (!ok) throw explainOutput('to create the database', output, location.dataDir);
}

/** Single-user mode: one backend on the bare files, no server and no driver needed. 50 ms. */
async function runSql(
  location: ClusterLocation,
  cluster: string,
  statement: string,
  settings: string[] = [],
): Promise<void> {
  const args = [
    '--single',
    '-D',
    cluster,
    '-c',
    'exit_on_error=on',
    '-c',
    'log_checkpoints=off',
    ...settings,
    'template1',
  ];
  const { ok, output } = await runTool(location.binaries.postgres, args, location.account, `${statement}\n`);
  if (!ok) throw explainOutput('to set up the database', output, location.dataDir);
}

/** An empty directory in the cluster's location is removed (mounted volumes create one); anything else is left alone. */
function removeEmptyDirectory(cluster: string): void {
  if (!existsSync(cluster)) return;
  if (readdirSync(cluster).length > 0) {
    throw new EmbeddedPostgresError(
      `${cluster} is not a database. Move it away, or choose another data directory.`,
    );
  }
  rmSync(cluster, { recursive: true });
}

function passwordFileOf(dataDir: string): string {
  return path.join(dataDir, 'postgres.password');
}

function newPassword(): string {
  return randomBytes(24).toString('hex'); // letters and digits only: the same in SQL, in a URL and in a file
}

function keepPassword(dataDir: string, password: string): void {
  const file = passwordFileOf(dataDir);
  const partial = `${file}.${randomBytes(4).toString('hex')}`;
  writeFileSync(partial, `${password}\n`, { mode: 0o600, flush: true });
  inheritOwner(partial);
  renameSync(partial, file);
}

function giveTo(account: Account, tree: string): void {
  lchownSync(tree, account.uid, account.gid);
  for (const entry of readdirSync(tree, { withFileTypes: true })) {
    const file = path.join(tree, entry.name);
    if (entry.isDirectory()) giveTo(account, file);
    else lchownSync(file, account.uid, account.gid);
  }
}

function flushDirectory(directory: string): void {
  if (process.platform === 'win32') return; // directories cannot be opened on Windows
  const handle = openSync(directory, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
