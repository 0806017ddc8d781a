import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { inheritOwner } from '../../kernel/owner.ts';
import type { Account } from './account.ts';
import {
  type BackupManifest,
  clusterName,
  copyFile,
  countProgress,
  flushFolder,
  forEachOf,
  keyName,
  makeFolders,
  megabytes,
  readManifest,
} from './backup-files.ts';
import { findBinaries } from './binaries.ts';
import { clusterOf } from './cluster.ts';
import { removeEndpoint } from './endpoint.ts';
import { EmbeddedPostgresError } from './error.ts';
import { decideRestore, finishRestore, prepareFiles, removePrepared } from './finish-restore.ts';
import { openInstallation } from './home.ts';
import { startEmbeddedPostgres } from './index.ts';
import type { Lock } from './lock.ts';
import { readPidFile, terminate } from './postmaster.ts';
import { identify, isServerOf } from './process.ts';

interface RestoreOptions {
  dataDir: string;
  /** The directory of the backup. */
  source: string;
  /** Replaces a database that is in the data directory. */
  force: boolean;
  print: (line: string) => void;
  /** Looks at the restored database before it takes its place; an error keeps everything as it was. */
  inspect: (url: string) => Promise<void>;
}

const STAGED = 'postgres.restored-';

/**
 * Restores a backup. The copy is verified and opened once in a directory of its own, and only then takes the place of the
 * database. So every failure leaves the installation as it was, and a kill leaves the former or the restored one whole.
 */
export async function restore(options: RestoreOptions): Promise<BackupManifest> {
  const locks: Lock[] = [];
  try {
    return await restoreLocked(options, locks);
  } catch (error) {
    throw explain(error, options.dataDir);
  } finally {
    for (const lock of locks) lock.release();
  }
}

async function restoreLocked(
  { dataDir: given, source, force, print, inspect }: RestoreOptions,
  locks: Lock[],
): Promise<BackupManifest> {
  const manifest = await readManifest(source);
  const { dataDir, home, account, hasFinishedRestore } = await openInstallation(given, locks, print);
  const cluster = clusterOf(home);
  const keyFile = path.join(dataDir, keyName);
  // A restore that was interrupted is repeated as it was given: no service has used its database yet.
  const hasData = existsSync(path.join(cluster, 'PG_VERSION')) && !hasFinishedRestore;
  if (hasData && !force)
    throw new EmbeddedPostgresError(
      `${dataDir} already has a database. Add --force to replace it, or set CARILLON_DATA_DIR to another directory.`,
    );
  if (!force && (await hasOtherKey(source, keyFile)))
    throw new EmbeddedPostgresError(
      `${keyFile} is not the encryption key of this backup. Move it away, or add --force to replace it.`,
    );
  const binaries = await findBinaries(account, print);
  if (manifest.postgres_major !== binaries.major)
    throw new EmbeddedPostgresError(
      `The backup is of PostgreSQL ${manifest.postgres_major}, and the bundled one is PostgreSQL ${binaries.major}. Restore it with the Carillon release that made it.`,
    );

  for (const name of await readdir(home)) {
    if (!name.startsWith(STAGED)) continue;
    await stopServer(clusterOf(path.join(home, name)), binaries.pgCtl); // of a restore that was killed
    await rm(path.join(home, name), { recursive: true, force: true });
  }
  const staged = await mkdtemp(path.join(home, STAGED));
  try {
    await prepareStaging(staged, account);
    await copyVerified(source, staged, manifest, print);
    print('opening the restored database');
    const database = await startEmbeddedPostgres({ dataDir: staged, log: print });
    try {
      await inspect(database.url);
    } finally {
      await database.stop();
    }

    await stopServer(cluster, binaries.pgCtl); // of a Carillon that was killed
    await prepareFiles(staged, dataDir);
    await decideRestore(staged, home);
  } catch (error) {
    await removePrepared(dataDir);
    await rm(staged, { recursive: true, force: true });
    throw error;
  }
  await finishRestore(dataDir, home).catch((error: Error) => {
    throw new EmbeddedPostgresError(
      `The backup is restored, but not in its place yet (${error.message}). The next start, or the same command, finishes it.`,
      { cause: error },
    );
  });
  return manifest;
}

/** The account of the server must be able to pass through, as through the data directory. */
async function prepareStaging(staged: string, account: Account | undefined): Promise<void> {
  if (account !== undefined) await chmod(staged, 0o711);
  inheritOwner(staged);
}

/** Copies the files of the manifest and compares each with its digest. */
async function copyVerified(
  source: string,
  staged: string,
  manifest: BackupManifest,
  print: (line: string) => void,
): Promise<void> {
  const total = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  print(
    `restoring ${manifest.files.length} files (${megabytes(total)} MB) of the backup of ${manifest.created_at}`,
  );
  await makeFolders(staged, [clusterName, ...manifest.folders]);
  const count = countProgress(total, print);
  await forEachOf(manifest.files, async ({ path: name, bytes, sha256 }) => {
    const copied = await copyFile(path.join(source, name), path.join(staged, name)).catch((error) => {
      if (error.code === 'ENOENT') throw damaged(path.join(source, name), 'is missing');
      throw error;
    });
    if (copied.bytes !== bytes || copied.sha256 !== sha256)
      throw damaged(path.join(source, name), 'was changed since the backup');
    count(bytes);
  });
  for (const folder of [clusterName, ...manifest.folders]) await flushFolder(path.join(staged, folder));
}

function damaged(file: string, how: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(`The backup is damaged: ${file} ${how}. Nothing was changed.`);
}

async function stopServer(cluster: string, pgCtl: string): Promise<void> {
  const file = readPidFile(cluster);
  const identity = file && isServerOf(file.pid, cluster) ? identify(file.pid) : undefined;
  if (identity) await terminate(identity, pgCtl);
  if (file) removeEndpoint(file.endpoint);
}

async function hasOtherKey(source: string, keyFile: string): Promise<boolean> {
  const kept = path.join(source, keyName);
  if (!existsSync(keyFile) || !existsSync(kept)) return false;
  return (await readFile(keyFile, 'utf8')).trim() !== (await readFile(kept, 'utf8')).trim();
}

function explain(error: unknown, dataDir: string): unknown {
  if (error instanceof EmbeddedPostgresError || !(error instanceof Error)) return error;
  const { code, path: file } = error as NodeJS.ErrnoException;
  const because = (sentence: string) => new EmbeddedPostgresError(sentence, { cause: error });
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return because(
      `The disk that holds the database of ${dataDir} is too full for the backup. Nothing was changed; free some space and try again.`,
    );
  if (code === 'EACCES' || code === 'EPERM')
    return because(
      `This user cannot use ${file} (${code}). Restore as the user that runs the service, or as root.`,
    );
  return error;
}
