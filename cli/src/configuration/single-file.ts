import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FileProblem, pretty, readJsonFile } from './json-file.ts';
import type { Files, FolderContent, KindName } from './kind.ts';

/** What people and editors leave lying about. A folder called readme.md is a template of this key. */
export function isIgnored(entry: Dirent): boolean {
  const { name } = entry;
  return name.startsWith('.') || name.endsWith('~') || (!entry.isDirectory() && /^readme\.md$/i.test(name));
}

const pathOf = (kind: KindName, key: string): string => `${kind}/${key}.json`;

export function singleFile(kind: KindName, key: string, value: unknown): Files {
  return new Map([[pathOf(kind, key), pretty(value)]]);
}

/** The value that `singleFile` was given. */
export function contentIn(files: Files): unknown {
  const [content = 'null'] = files.values();
  return JSON.parse(content);
}

/** A folder with one JSON file for each resource, called after its key. `parse` throws a FileProblem, or gives the value. */
export function readSingleFiles(
  folder: string,
  kind: KindName,
  keyPattern: RegExp,
  parse: (value: Record<string, unknown>) => unknown,
): FolderContent {
  const content: FolderContent = {
    exists: existsSync(join(folder, kind)),
    resources: new Map(),
    problems: [],
  };
  if (!content.exists) return content;
  for (const entry of readdirSync(join(folder, kind), { withFileTypes: true })) {
    if (isIgnored(entry)) continue;
    const path = `${kind}/${entry.name}`;
    try {
      if (!entry.isFile() || !entry.name.endsWith('.json')) throw new FileProblem('is not a .json file');
      const key = entry.name.slice(0, -'.json'.length);
      if (!keyPattern.test(key)) throw new FileProblem(`: “${key}” cannot be a key`);
      const { key: stated = key, ...value } = readJsonFile(join(folder, path));
      if (stated !== key)
        throw new FileProblem(`has the key “${String(stated)}”, but the key must match the file name`);
      content.resources.set(key, { files: singleFile(kind, key, parse(value)), paths: [path] });
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      content.problems.push({ path, message: error.message });
    }
  }
  return content;
}
