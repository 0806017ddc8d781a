import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../errors.ts';
import type { Files } from './kind.ts';

/** Writes atomically: an interrupted write never leaves a partial file. */
export function writeWhole(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const staging = join(dirname(path), `.${process.pid}.carillon`);
  writeFileSync(staging, content);
  renameSync(staging, path);
}

/** All the files of a resource, and none that it no longer has. In one go: Ctrl-C waits until the function has ended. */
export function replaceFiles(folder: string, before: readonly string[], after: Files): void {
  for (const path of after.keys()) {
    // Keys come from a service that may not be what it says: they must not lead out of the folder.
    if (path.includes('\\') || path.split('/').some((part) => part === '' || part.startsWith('..')))
      throw new CliError(`The server has a resource that cannot be stored as a file: ${path}`);
  }
  // First, because where `de-at` and `de-AT` are one name, it would take away what was just written.
  for (const path of before) if (!after.has(path)) rmSync(join(folder, path), { force: true });
  for (const [path, content] of after) writeWhole(join(folder, path), content);
  for (const own of new Set(before.map(dirname).filter((path) => path.includes('/')))) {
    const path = join(folder, own); // of a template; the folder of a kind stays
    if (readdirSync(path).length === 0) rmdirSync(path);
  }
}
