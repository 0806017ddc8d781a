import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '../../kernel/json.ts';
import { EmbeddedPostgresError } from './error.ts';

/** The list of a backup's files, which makes it complete: it is written last. */
export interface BackupManifest {
  format: 1;
  created_at: string;
  postgres_major: number;
  /** The folders of the cluster; PostgreSQL needs the empty ones too. */
  folders: string[];
  files: BackupFile[];
}

export interface BackupFile {
  /** Relative to the backup, with forward slashes. */
  path: string;
  bytes: number;
  sha256: string;
}

export const manifestName = 'manifest.json';
export const clusterName = 'postgres';
export const keyName = 'encryption.key';
export const passwordName = 'postgres.password';

const chunkBytes = 1024 * 1024;
const copiesAtOnce = 4;
const progressEveryMs = 2_000;

/** Copies a file, flushes it, and returns its length and digest. */
export async function copyFile(from: string, to: string): Promise<Omit<BackupFile, 'path'>> {
  const source = await open(from, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  let target: FileHandle | undefined;
  try {
    target = await open(to, 'wx', 0o600);
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(chunkBytes);
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await source.read(buffer, 0, chunkBytes);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      hash.update(chunk);
      // Not `write`, which may write a part.
      await target.writeFile(chunk);
      bytes += bytesRead;
    }
    await target.sync();
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await source.close();
    await target?.close();
  }
}

/** Runs the work for each item, a few at once. After a failure no further work begins. */
export async function forEachOf<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const run = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        await work(item);
      } catch (error) {
        waiting.length = 0;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: copiesAtOnce }, run));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Returns a function that counts bytes and prints a line every two seconds. */
export function countProgress(totalBytes: number, print: (line: string) => void): (bytes: number) => void {
  let done = 0;
  let printedAt = Date.now();
  return (bytes) => {
    done += bytes;
    if (Date.now() - printedAt < progressEveryMs) return;
    printedAt = Date.now();
    print(`  ${megabytes(done)} of ${megabytes(totalBytes)} MB`);
  };
}

export function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0);
}

export async function makeFolders(below: string, folders: readonly string[]): Promise<void> {
  for (const folder of folders) await mkdir(path.join(below, folder), { recursive: true, mode: 0o700 });
}

export async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // folders cannot be opened on Windows
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function readManifest(folder: string): Promise<BackupManifest> {
  let text: string;
  try {
    text = await readFile(path.join(folder, manifestName), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new EmbeddedPostgresError(
      `${folder} is not a backup: it has no ${manifestName}. Give the directory that --backup wrote.`,
    );
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = null;
  }
  if (!isManifest(parsed))
    throw new EmbeddedPostgresError(
      `${path.join(folder, manifestName)} is damaged, or was written by a newer release. Nothing was changed.`,
    );
  return parsed;
}

function isManifest(value: unknown): value is BackupManifest {
  if (!isRecord(value) || value.format !== 1 || typeof value.postgres_major !== 'number') return false;
  const { folders, files, created_at } = value;
  return (
    typeof created_at === 'string' &&
    Array.isArray(folders) &&
    folders.every(isInside) &&
    Array.isArray(files) &&
    files.every(
      (file) =>
        isRecord(file) &&
        isInside(file.path) &&
        typeof file.bytes === 'number' &&
        typeof file.sha256 === 'string',
    )
  );
}

/** A path of a manifest that leads out of the folder would write anywhere. */
function isInside(name: unknown): name is string {
  return (
    typeof name === 'string' &&
    /^[\w./ -]+$/.test(name) &&
    !path.posix.isAbsolute(name) &&
    path.posix.normalize(name) === name &&
    !name.startsWith('..')
  );
}
