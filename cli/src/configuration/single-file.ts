import { FileProblem, pretty, readJsonFile } from './json-file.ts';
import type { Files, FolderContent, KindName } from './kind.ts';
import { readFiles } from './read-folder.ts';

const extension = '.json';

export function singleFile(kind: KindName, key: string, value: unknown): Files {
  return new Map([[`${kind}/${key}${extension}`, pretty(value)]]);
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
  pattern: RegExp,
  parse: (value: Record<string, unknown>) => unknown,
): FolderContent {
  return readFiles(folder, kind, { extension, pattern }, (key, path) => {
    const { key: stated = key, ...value } = readJsonFile(path);
    if (stated !== key)
      throw new FileProblem(`has the key “${String(stated)}”, but the key must match the file name`);
    return singleFile(kind, key, parse(value));
  });
}
