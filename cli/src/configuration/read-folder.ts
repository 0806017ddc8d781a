import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FileProblem } from './json-file.ts';
import type { Files, FolderContent, KindName, LocalResource } from './kind.ts';

/** The keys of most kinds. */
export const keyPattern = /^[a-z0-9][a-z0-9_.-]{0,99}$/;

/** What people and editors leave lying about. A folder called readme.md is a template of this key. */
function isIgnored(entry: Dirent): boolean {
  const { name } = entry;
  return name.startsWith('.') || name.endsWith('~') || (!entry.isDirectory() && /^readme\.md$/i.test(name));
}

/** Calls `read` for every entry in the folder of a kind. Tells everything that is wrong, not only the first. */
export function readFolder(
  folder: string,
  kind: KindName,
  read: (entry: Dirent, path: string, content: FolderContent) => void,
): FolderContent {
  const content: FolderContent = {
    exists: existsSync(join(folder, kind)),
    resources: new Map(),
    problems: [],
  };
  for (const entry of content.exists ? entriesIn(folder, kind) : []) {
    const path = `${kind}/${entry.name}`;
    collectProblem(content, path, () => read(entry, path, content));
  }
  return content;
}

/** A folder with one file for each resource, called after its key. `read` throws a FileProblem, or gives the canonical files. */
export function readFiles(
  folder: string,
  kind: KindName,
  { extension, pattern = keyPattern }: { extension: string; pattern?: RegExp },
  read: (key: string, path: string) => Files,
): FolderContent {
  return readFolder(folder, kind, (entry, path, { resources }) => {
    if (!entry.isFile() || !entry.name.endsWith(extension))
      throw new FileProblem(`is not a ${extension} file`);
    const key = checkedKey(entry.name.slice(0, -extension.length), pattern);
    resources.set(key, { files: read(key, join(folder, path)), paths: [path] });
  });
}

/** A folder with a folder for each resource, called after its key. `read` gets what lies in it. */
export function readFolders(
  folder: string,
  kind: KindName,
  noun: string,
  read: (key: string, entries: Dirent[], content: FolderContent) => LocalResource,
): FolderContent {
  return readFolder(folder, kind, (entry, path, content) => {
    if (!entry.isDirectory())
      throw new FileProblem(`is not a folder; a ${noun} is a folder named after its key`);
    const entries = entriesIn(folder, path);
    if (entries.length === 0) return; // as git leaves it behind
    const key = checkedKey(entry.name, keyPattern);
    content.resources.set(key, read(key, entries, content));
  });
}

/** A problem of one file does not keep the others from being read; the result is null then. */
export function collectProblem<Result>(
  { problems }: FolderContent,
  path: string,
  read: () => Result,
): Result | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    problems.push({ path, message: error.message });
    return null;
  }
}

function entriesIn(folder: string, path: string): Dirent[] {
  return readdirSync(join(folder, path), { withFileTypes: true }).filter((entry) => !isIgnored(entry));
}

function checkedKey(key: string, pattern: RegExp): string {
  if (!pattern.test(key)) throw new FileProblem(`: “${key}” cannot be a key`);
  return key;
}
