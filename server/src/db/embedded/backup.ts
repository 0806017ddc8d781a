import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import {
  type BackupFile,
  type BackupManifest,
  clusterName,
  copyFile,
  countProgress,
  flushFolder,
  forEachOf,
  keyName,
  makeFolders,
  manifestName,
  megabytes,
  passwordName,
} from './backup-files.ts';
import { clusterOf } from './cluster.ts';
import { EmbeddedPostgresError } from './error.ts';
import { findHome } from './home.ts';

interface BackupOptions {
  dataDir: string;
  /** The URL of the running server. */
  url: string;
  /** The new directory of the backup. */
  target: string;
  withKey: boolean;
  print: (line: string) => void;
}

/** Folders whose content belongs to the running server. PostgreSQL makes it again. */
const emptied = [
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
];
const leftOut =
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?|pg_internal\.init.*|pgsql_tmp.*|.*\.tmp)$/;
const controlFile = 'global/pg_control';
const slotName = 'carillon_backup';
const duplicateObject = '42710';
const segmentsPerLog = 0x100; // of 16 MB

/**
 * Copies the cluster of a running server: its files between `pg_backup_start` and `pg_backup_stop`, then the WAL of that time, which
 * makes them consistent as of the end. The directory gets its name at the end, so a backup is complete or absent.
 */
export async function backUp(options: BackupOptions): Promise<BackupManifest> {
  const { target, url } = options;
  if (existsSync(target))
    throw new EmbeddedPostgresError(`${target} already exists. Give each backup a new directory.`);
  const partial = `${target}.partial`;
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // the next query fails with it
  await client.connect();
  try {
    await holdWal(client);
    if (isUnfinished(partial)) await rm(partial, { recursive: true });
    await mkdir(path.dirname(target), { recursive: true });
    await mkdir(partial, { mode: 0o700 });
    try {
      const manifest = await writeBackup(client, partial, options);
      await rename(partial, target);
      await flushFolder(path.dirname(target));
      return manifest;
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      throw error;
    }
  } catch (error) {
    throw explain(error, target);
  } finally {
    // Ends the backup mode too, if it still lasts.
    await client.end().catch(() => {});
  }
}

/** A temporary slot keeps the WAL since the last checkpoint until the session ends. It also refuses a second backup. */
async function holdWal(client: pg.Client): Promise<void> {
  try {
    await client.query('select pg_create_physical_replication_slot($1, true, true)', [slotName]);
  } catch (error) {
    if ((error as pg.DatabaseError).code !== duplicateObject) throw error;
    throw new EmbeddedPostgresError('Another backup of this database is running. Wait until it has ended.');
  }
}

/** Returns whether the directory is an unfinished backup; anything else is not ours to remove. */
function isUnfinished(partial: string): boolean {
  if (!existsSync(partial)) return false;
  const ours = [clusterName, keyName, passwordName, manifestName];
  if (readdirSync(partial).every((name) => ours.includes(name))) return true;
  throw new EmbeddedPostgresError(`${partial} already exists. Move it away first.`);
}

async function writeBackup(
  client: pg.Client,
  folder: string,
  { dataDir, withKey, print }: BackupOptions,
): Promise<BackupManifest> {
  const cluster = clusterOf(findHome(dataDir) ?? dataDir);
  const copy = path.join(folder, clusterName);
  const files: BackupFile[] = [];
  const add = async (from: string, name: string): Promise<number> => {
    const copied = await copyFile(from, path.join(folder, name));
    files.push({ path: name, ...copied });
    return copied.bytes;
  };

  await client.query(`select pg_backup_start('carillon', true)`);
  const found = await listCluster(cluster);
  await makeFolders(copy, ['.', ...found.folders]);
  const total = found.files.reduce((sum, { bytes }) => sum + bytes, 0);
  print(`copying ${found.files.length} files (${megabytes(total)} MB) to ${folder}`);
  const count = countProgress(total, print);
  await forEachOf(found.files, async ({ name }) => {
    try {
      count(await add(path.join(cluster, name), `${clusterName}/${name}`));
    } catch (error) {
      // A table or index was removed meanwhile; the WAL has its removal.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(path.join(cluster, name)))
        throw error;
    }
  });
  await addContent(`${clusterName}/${controlFile}`, await readControlFile(path.join(cluster, controlFile)));

  // Everything that was committed by now is in the backup.
  const created_at = new Date().toISOString();
  const { rows } = await client.query<{ label: string; last: string }>(
    'select labelfile as label, pg_walfile_name(lsn) as last from pg_backup_stop(false)',
  );
  const [stopped] = rows;
  const first = /\(file ([0-9A-F]{24})\)/.exec(stopped?.label ?? '')?.[1];
  if (!stopped || first === undefined) throw new Error('PostgreSQL ended the backup without a usable label');
  await addContent(`${clusterName}/backup_label`, Buffer.from(stopped.label));
  const segments = await listSegments(path.join(cluster, 'pg_wal'), first, stopped.last);
  await forEachOf(segments, async (name) => {
    await add(path.join(cluster, 'pg_wal', name), `${clusterName}/pg_wal/${name}`);
  });

  await add(path.join(dataDir, passwordName), passwordName);
  if (withKey) await add(path.join(dataDir, keyName), keyName);
  for (const each of ['.', ...found.folders]) await flushFolder(path.join(copy, each));
  const manifest: BackupManifest = {
    format: 1,
    created_at,
    postgres_major: Number(await readFile(path.join(cluster, 'PG_VERSION'), 'utf8')),
    folders: found.folders.map((name) => `${clusterName}/${name}`),
    files,
  };
  await writeFile(path.join(folder, manifestName), `${JSON.stringify(manifest, null, 1)}\n`, {
    mode: 0o600,
    flush: true,
  });
  await flushFolder(folder);
  return manifest;

  async function addContent(name: string, content: Buffer): Promise<void> {
    await writeFile(path.join(folder, name), content, { flag: 'wx', mode: 0o600, flush: true });
    files.push({
      path: name,
      bytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    });
  }
}

/** Lists the cluster without the WAL, the control file and what belongs to the running server. */
async function listCluster(
  cluster: string,
): Promise<{ folders: string[]; files: { name: string; bytes: number }[] }> {
  const folders: string[] = [];
  const files: { name: string; bytes: number }[] = [];
  async function list(folder: string): Promise<void> {
    for (const entry of await readdir(path.join(cluster, folder), { withFileTypes: true })) {
      const name = path.posix.join(folder, entry.name);
      if (leftOut.test(entry.name) || name === controlFile) continue;
      if (entry.isDirectory()) {
        folders.push(name);
        if (!emptied.includes(name)) await list(name);
      } else if (entry.isFile()) {
        const found = await lstat(path.join(cluster, name)).catch(() => null);
        if (found) files.push({ name, bytes: found.size });
      } else if (entry.isSymbolicLink()) {
        throw new EmbeddedPostgresError(
          `${path.join(cluster, name)} is a link. Databases with tablespaces cannot be backed up by Carillon; use pg_basebackup.`,
        );
      }
    }
  }
  await list('');
  return { folders: [...folders, 'pg_wal/archive_status', 'pg_wal/summaries'], files };
}

/** The server may be writing the control file: it is read until two reads are the same. */
async function readControlFile(file: string): Promise<Buffer> {
  let last = await readFile(file);
  for (;;) {
    await delay(5);
    const again = await readFile(file);
    if (again.equals(last)) return last;
    last = again;
  }
}

async function listSegments(folder: string, first: string, last: string): Promise<string[]> {
  const segments = (await readdir(folder)).filter(
    (name) => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last,
  );
  if (first === '' || last === '' || segments.length !== segmentNumber(last) - segmentNumber(first) + 1)
    throw new EmbeddedPostgresError(
      `The log of the database from ${first} to ${last} is not complete, so this backup could not be restored. Try again.`,
    );
  return segments;
}

function segmentNumber(name: string): number {
  return Number.parseInt(name.slice(8, 16), 16) * segmentsPerLog + Number.parseInt(name.slice(16), 16);
}

function explain(error: unknown, target: string): unknown {
  if (error instanceof EmbeddedPostgresError || !(error instanceof Error)) return error;
  const { code, path: file } = error as NodeJS.ErrnoException;
  const because = (sentence: string) => new EmbeddedPostgresError(sentence, { cause: error });
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return because(
      `The disk that holds ${target} is full. No backup was kept; free some space and try again.`,
    );
  if (code === 'EACCES' || code === 'EPERM')
    return because(
      `This user cannot use ${file} (${code}). Run the backup as the user that runs the service, or as root.`,
    );
  return because(`The backup failed, and nothing of it was kept: ${error.message}`);
}
