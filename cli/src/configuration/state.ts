import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../errors.ts';
import { isObject } from '../input.ts';
import { writeWhole } from './disk.ts';
import { pretty } from './json-file.ts';
import type { KindName } from './kind.ts';

/** What the service and the folder had in common when they last met: the hash of each resource. */
type Hashes = Record<string, string>;

/** Per environment, because the same folder is pushed to Test and to Live. */
export interface State {
  /** Null: this kind was never pulled from or pushed to this environment. */
  baseOf(kind: KindName): Readonly<Hashes> | null;
  set(kind: KindName, key: string, hash: string | null): void;
  save(): void;
}

/** In place of a hash: a push was at it, and did not come back to say how it ended. What is there now is its own doing. */
export const underWay = 'under way';

const stateFile = '.carillon-state.json';

export function readState(folder: string, environmentId: string): State {
  const path = join(folder, stateFile);
  const all = read(path);
  const own: Partial<Record<KindName, Hashes>> = { ...all[environmentId] };
  return {
    baseOf: (kind) => own[kind] ?? null,
    set(kind, key, hash) {
      const { [key]: _before, ...others } = own[kind] ?? {};
      own[kind] = hash === null ? others : { ...others, [key]: hash };
    },
    save() {
      for (const [kind, hashes] of Object.entries(own)) own[kind as KindName] = sorted(hashes);
      writeWhole(path, pretty({ version: 1, environments: { ...all, [environmentId]: own } }));
    },
  };
}

const sorted = (hashes: Hashes): Hashes => Object.fromEntries(Object.entries(hashes).sort());

function read(path: string): Record<string, Partial<Record<KindName, Hashes>>> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return {};
    throw new CliError(`${path} cannot be read: ${(error as Error).message}`);
  }
  try {
    const { version, environments } = JSON.parse(text) as { version?: unknown; environments?: unknown };
    if (version === 1 && isObject(environments))
      return environments as Record<string, Partial<Record<KindName, Hashes>>>;
  } catch {}
  throw new CliError(`${path} is broken.`, {
    hint: 'Delete the file, then run `carillon diff` and pull or push again.',
  });
}
