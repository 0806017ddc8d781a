import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureInstalled } from './install.mjs';
import { root, run } from './setup.mjs';

/** Runs a TypeScript program of this repository (path from its root); resolves to its exit code. */
export async function runTypeScript(program, args) {
  await ensureInstalled();
  const loader = pathToFileURL(join(root, 'scripts/typescript.mjs')).href;
  return run(process.execPath, [
    '--conditions=carillon-source', // our own packages from their sources too
    '--import',
    loader,
    join(root, program),
    ...args,
  ]);
}
