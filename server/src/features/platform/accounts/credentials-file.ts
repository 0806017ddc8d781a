import { readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../../config.ts';
import { inheritOwner } from '../../../kernel/owner.ts';

const fields = [
  'test_key',
  'live_key',
  'admin_email',
  'admin_password',
  'organization_id',
  'test_environment_id',
  'live_environment_id',
] as const;

/** The credentials from the first start, for the terminal, the demo and scripts. */
export type Credentials = Record<(typeof fields)[number], string>;

type Place = Pick<Config, 'CARILLON_DATA_DIR'>;

export function credentialsPath(config: Place): string {
  return join(config.CARILLON_DATA_DIR, 'credentials.json');
}

/** Writes the file atomically and durably; only the owner of the process can read it. */
export async function writeCredentials(config: Place, credentials: Credentials): Promise<void> {
  const path = credentialsPath(config);
  const draft = `${path}.tmp`;
  try {
    await mkdir(config.CARILLON_DATA_DIR, { recursive: true });
    await rm(draft, { force: true }); // the mode applies only to a new file
    await writeFile(draft, `${JSON.stringify(credentials, null, 2)}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    });
    inheritOwner(draft);
    await rename(draft, path);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new Error(
      `The first credentials cannot be written to ${path} (${reason}). Give this user write access and free disk space, or set CARILLON_DATA_DIR to another directory.`,
      { cause: error },
    );
  }
}

/** Returns null when there is no such file: the first start ran on another host, or the file was moved. */
export function readCredentials(config: Place): Credentials | null {
  try {
    const read: Credentials = JSON.parse(readFileSync(credentialsPath(config), 'utf8'));
    return fields.every((field) => typeof read[field] === 'string') ? read : null;
  } catch {
    return null;
  }
}
