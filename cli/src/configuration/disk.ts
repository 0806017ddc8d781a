import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Files } from './kind.ts';

/** Half a file is never to be seen, whatever happens to us meanwhile. */
export function writeWhole(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const staging = join(dirname(path), `.${process.pid}.carillon`);
  writeFileSync(staging, content);
  renameSync(staging, path);
}

/** All the files of a resource, and none that it no longer has. In one go: Ctrl-C waits until the function has ended. */
export function replaceFiles(folder: string, before: readonly string[], after: Files): void {
  // First, because where `de-at` and `de-AT` are one name, it would take away what was just written.
  for (const path of before) if (!after.has(path)) rmSync(join(folder, path), { force: true });
  for (const [path, content] of after) writeWhole(join(folder, path), content);
  for (const own of new Set(before.map(dirname).filter((path) => path.includes('/')))) {
    const path = join(folder, own); // of a template; the folder of a kind stays
    if (readdirSync(path).length === 0) rmdirSync(path);
  }
}
