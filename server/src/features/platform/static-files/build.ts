import { readFileSync, statSync } from 'node:fs';
import type { StaticFile } from './answer.ts';

/** Built pages on disk, as the list beside them describes them. */
export interface Build {
  folder: URL;
  /** When the list of files was written, which identifies the build. */
  writtenAt: number;
  /** Maps a path to the hash of its content. */
  files: Record<string, string>;
  /** Hashes of the scripts within the pages. */
  scripts: string[];
  /** Files that were already requested. */
  kept: Map<string, StaticFile>;
}

/** In the bundle the folder is beside main.js; from the sources, the same built folder is used. */
export function builtFolders(name: string): URL[] {
  return [new URL(`./${name}/`, import.meta.url), new URL(`../../../../dist/${name}/`, import.meta.url)];
}

/** A build may be replaced while the service runs: its document names files that the previous list does not have. */
export function currentBuild(folders: readonly URL[], known: Build | null): Build | null {
  for (const folder of folders) {
    const list = new URL('files.json', folder);
    const writtenAt = statSync(list, { throwIfNoEntry: false })?.mtimeMs;
    if (writtenAt === undefined) continue;
    if (known?.folder === folder && known.writtenAt === writtenAt) return known;
    const { former, current, scripts = [] } = JSON.parse(readFileSync(list, 'utf8'));
    return { folder, writtenAt, files: { ...former, ...current }, scripts, kept: new Map() };
  }
  return null;
}

const contentTypes: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  webp: 'image/webp',
};

export function contentTypeOf(path: string): string {
  return contentTypes[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
}
