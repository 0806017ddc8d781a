// `npm run pack`: builds the packages that we publish and writes their tarballs to dist/packages, or to the folder that is given.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { buildCli } from './build-cli.mjs';
import { buildSdk } from './build-sdk.mjs';
import { buildServer } from './build-server.mjs';
import { buildPackage } from './build-widgets.mjs';
import { ensureInstalled } from './install.mjs';
import { root, runNpm, stop } from './setup.mjs';

const packages = ['server', 'sdk', 'cli', 'widgets'];

await ensureInstalled();
const folder = resolve(process.argv[2] ?? join(root, 'dist/packages'));
await buildServer();
await buildSdk();
await buildPackage();
await buildCli();

for (const name of existsSync(folder) ? readdirSync(folder) : [])
  if (/^carillon-.*\.tgz$/.test(name)) rmSync(join(folder, name)); // of an earlier version
mkdirSync(folder, { recursive: true });
// All in one npm, and without the prepack scripts: what they build is there.
const options = ['--ignore-scripts', '--silent', '--pack-destination', folder];
const code = await runNpm(['pack', ...packages.flatMap((name) => ['--workspace', name]), ...options]);
if (code !== 0) stop('The packages could not be packed; the reason is above.');
for (const name of readdirSync(folder).filter((each) => each.endsWith('.tgz'))) {
  const path = join(folder, name);
  console.log(`${relative(process.cwd(), path)}  ${(statSync(path).size / 1e6).toFixed(2)} MB`);
}
