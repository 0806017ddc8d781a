// `npm run pack`: builds the packages that we publish and writes their tarballs to dist/packages.
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildCli } from './build-cli.mjs';
import { buildSdk } from './build-sdk.mjs';
import { buildServer } from './build-server.mjs';
import { buildPackage } from './build-widgets.mjs';
import { ensureInstalled, isProgram, root, runNpm, stop } from './setup.mjs';

const packages = ['server', 'sdk', 'cli', 'widgets'];

/** The folder is emptied first: afterwards it has one tarball for each package. */
export async function pack(folder) {
  await buildServer();
  await buildSdk();
  await buildPackage();
  await buildCli();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // All in one npm, and without the prepack scripts: what they build is there.
  const options = ['--ignore-scripts', '--silent', '--pack-destination', folder];
  const code = await runNpm(['pack', ...packages.flatMap((name) => ['--workspace', name]), ...options]);
  if (code !== 0) stop('The packages could not be packed; the reason is above.');
}

if (isProgram(import.meta.filename)) {
  await ensureInstalled();
  const folder = join(root, 'dist/packages');
  await pack(folder);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    console.log(`${relative(root, path)}  ${(statSync(path).size / 1e6).toFixed(2)} MB`);
  }
}
