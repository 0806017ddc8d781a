import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { inheritOwner } from '../../kernel/owner.ts';
import { copyFile, flushFolder, keyName, passwordName } from './backup-files.ts';
import { clusterOf } from './cluster.ts';

/*
 * The last part of a restore, which replaces a cluster, a key and a password that fit only each other. Everything is prepared
 * first; then one rename to `postgres.restored` decides. Before it the former installation is whole. After it only renames are
 * left, each of which can be found done, and the next start or restore does those that a kill prevented.
 */

/** Key and password wait under this name in the data directory, which may be on another disk than the cluster. */
const prepared = (dataDir: string, name: string): string => path.join(dataDir, `${name}.restored`);
const preparedNames = [keyName, passwordName];

function decided(home: string): string {
  return path.join(home, 'postgres.restored');
}

/** Puts the key and the password of a staged backup beside those that they replace. A backup without a key keeps the present one. */
export async function prepareFiles(staged: string, dataDir: string): Promise<void> {
  await removePrepared(dataDir);
  for (const name of preparedNames) {
    if (!existsSync(path.join(staged, name))) continue;
    await copyFile(path.join(staged, name), prepared(dataDir, name));
    inheritOwner(prepared(dataDir, name));
  }
  await flushFolder(dataDir);
}

export async function removePrepared(dataDir: string): Promise<void> {
  for (const name of preparedNames) await rm(prepared(dataDir, name), { force: true });
}

/** From now on the staged cluster is the one of the installation. */
export async function decideRestore(staged: string, home: string): Promise<void> {
  await flushFolder(staged);
  await rename(staged, decided(home));
}

/** Finishes a restore that was decided. Returns whether there was one. */
export async function finishRestore(dataDir: string, home: string): Promise<boolean> {
  const restored = decided(home);
  if (!existsSync(restored)) return false;
  const cluster = clusterOf(home);
  if (existsSync(clusterOf(restored))) {
    await flushFolder(home); // a power cut must not undo the decision and keep what follows from it
    await placeKey(dataDir);
    await placeFile(dataDir, passwordName);
    await flushFolder(dataDir);
    if (existsSync(cluster)) await rename(cluster, path.join(restored, 'replaced'));
    await rename(clusterOf(restored), cluster);
    await flushFolder(home);
  }
  await rm(restored, { recursive: true, force: true });
  return true;
}

/** A key is never destroyed: values elsewhere may be sealed with it. */
async function placeKey(dataDir: string): Promise<void> {
  const keyFile = path.join(dataDir, keyName);
  const next = prepared(dataDir, keyName);
  if (existsSync(next) && existsSync(keyFile) && !(await readFile(keyFile)).equals(await readFile(next)))
    await rename(keyFile, `${keyFile}.replaced-${Date.now()}`);
  await placeFile(dataDir, keyName);
}

async function placeFile(dataDir: string, name: string): Promise<void> {
  const next = prepared(dataDir, name);
  if (existsSync(next)) await rename(next, path.join(dataDir, name));
}
