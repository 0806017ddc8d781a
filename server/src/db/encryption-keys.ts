import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createKeyring, type Keyring } from '../kernel/crypto.ts';
import { inheritOwner } from '../kernel/owner.ts';
import { type Sql, statement } from './sql.ts';

/** Loads the configured keys, else the one generated into the data directory on the first start. */
export function loadKeyring(configured: readonly Buffer[] | null, dataDir: string): Keyring {
  return createKeyring(configured ?? [generatedKey(dataDir)]);
}

function keyPath(dataDir: string): string {
  return join(dataDir, 'encryption.key');
}

function generatedKey(dataDir: string): Buffer {
  const path = keyPath(dataDir);
  try {
    makeKey(path);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new Error(
      `The encryption key cannot be written to ${path} (${reason}). Give this user write access and free disk space, set CARILLON_DATA_DIR to another directory, or set CARILLON_ENCRYPTION_KEY.`,
      { cause: error },
    );
  }
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
  if (key.length !== 32) throw new Error(`${path} does not contain a key of 32 bytes in base64.`);
  return key;
}

/**
 * Makes the key if there is none yet. The file is flushed: values sealed with a key that a power cut then removed would be
 * lost.
 */
function makeKey(path: string): void {
  let file: number;
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Exclusive: of two processes that start at once, one makes the key and the other reads it.
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (existsSync(path)) return;
    throw error;
  }
  try {
    writeFileSync(file, `${randomBytes(32).toString('base64')}\n`, { flush: true });
    inheritOwner(path);
  } catch (error) {
    rmSync(path); // a full disk leaves the file empty, and then no later start would make a key
    throw error;
  } finally {
    closeSync(file);
  }
}

const known = statement<{ id: string }>('encryption_keys_list', 'select id from encryption_keys');
const remember = statement(
  'encryption_keys_insert',
  'insert into encryption_keys (id) values ($1) on conflict do nothing',
);

/** Lists the ids of the keys that processes on this database sealed with. */
export async function listUsedKeys(sql: Sql): Promise<string[]> {
  return (await known(sql)).map((row) => row.id);
}

/**
 * Opens the keys of this process. A process with different keys from the rest would seal values that no other process can open,
 * so it must not start. New keys are added beside an old one (CARILLON_ENCRYPTION_KEY=new,old).
 */
export async function openKeyring(
  sql: Sql,
  configured: readonly Buffer[] | null,
  dataDir: string,
): Promise<Keyring> {
  const used = await listUsedKeys(sql);
  const ifLost = `If that key is lost, see "When the key is lost" in docs/guides/secrets.md.`;
  // Making a new key here would only hide that the file was forgotten when the data was moved.
  if (configured === null && used.length > 0 && !existsSync(keyPath(dataDir))) {
    throw new Error(
      `There is no ${keyPath(dataDir)}, and the secrets in this database were encrypted with the key ${used.join(', ')}. Put the file back, or set CARILLON_ENCRYPTION_KEY. ${ifLost}`,
    );
  }
  const keyring = loadKeyring(configured, dataDir);
  if (used.length > 0 && !used.some((id) => keyring.ids.includes(id))) {
    throw new Error(
      `The secrets in this database were encrypted with another key (${used.join(', ')}; this process has ${keyring.ids.join(', ')}). Set CARILLON_ENCRYPTION_KEY to that key, or put it after the new one, separated by a comma. ${ifLost}`,
    );
  }
  await remember(sql, [keyring.ids[0]]);
  return keyring;
}

const forget = statement<{ id: string }>(
  'encryption_keys_delete',
  'delete from encryption_keys where not (id = any ($1::text[])) returning id',
);

/**
 * Removes keys that no value is sealed with, so that a process that has only such a key does not start. Returns the removed
 * ids.
 */
export async function forgetKeys(sql: Sql, inUse: string[]): Promise<string[]> {
  return (await forget(sql, [inUse])).map((row) => row.id);
}
