import { createHash } from 'node:crypto';
import type { Client } from '@carillon/sdk';

/**
 * A resource is its files: path below the folder → content, in one canonical form, whether they come from the disk or from the
 * service. Equal files are an equal resource: comparing, hashing and showing differences need to know nothing else.
 */
export type Files = ReadonlyMap<string, string>;

export interface LocalResource {
  files: Files;
  /** What lies on the disk for it; names may differ from the canonical ones. */
  paths: string[];
}

export interface FolderProblem {
  path: string;
  message: string;
}

export interface FolderContent {
  /** Whether the folder of this kind is there at all. */
  exists: boolean;
  resources: Map<string, LocalResource>;
  problems: FolderProblem[];
}

export const kindNames = [
  'categories',
  'topics',
  'translations',
  'partials',
  'layouts',
  'templates',
  'workflows',
  'rules',
  'schedules',
  'brand',
] as const;
export type KindName = (typeof kindNames)[number];

/** How one kind of resource lies in a folder and in the service. Archived categories and disabled workflows count as absent. */
export interface Kind {
  name: KindName;
  /** What a push with --prune does to what is not in the folder. */
  removal: 'archive' | 'delete' | 'disable';
  read(folder: string): FolderContent;
  list(client: Client): AsyncIterable<[key: string, files: Files]>;
  find(client: Client, key: string): Promise<Files | null>;
  /** Each request is atomic, and a second push continues after any of them. */
  write(client: Client, key: string, files: Files): Promise<void>;
  remove(client: Client, key: string): Promise<void>;
  /** The order of writes, when resources of this kind refer to each other; removals take the opposite order. */
  order?<Change extends { key: string; before: Files | null; after: Files | null }>(
    changes: Change[],
  ): Change[];
}

export function hashOf(files: Files | null): string | null {
  if (files === null) return null;
  const hash = createHash('sha256');
  for (const [path, content] of [...files].sort(([one], [other]) => (one < other ? -1 : 1)))
    hash.update(JSON.stringify([path, content]));
  return hash.digest('hex');
}
