// `npm run docs`: builds the documentation site from docs/, and publishes it to server/dist/guide, from where a service serves it at
// /docs/guide. VitePress is not among the packages of the repository, because `npm test` would install it too: 102 MB.
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { checkSwitches } from './options.mjs';
import { runTypeScript } from './run-typescript.mjs';
import { root, run } from './setup.mjs';

checkSwitches(
  'npm run docs',
  'build the documentation site; DOCS_BASE is its path, /docs/guide/ by default',
  {
    '--serve': 'show it at http://127.0.0.1:4173 afterwards',
  },
);
const site = join(root, 'site');
await ensureInstalled();
await ensureInstalled({ folder: site });
const vitepress = (...args) =>
  run(process.execPath, [join(site, 'node_modules/vitepress/bin/vitepress.js'), ...args], { cwd: site });
const steps = [
  () => runTypeScript('site/pages.ts', []),
  () => vitepress('build'),
  () => runTypeScript('site/publish.ts', []),
];
if (process.argv.includes('--serve')) steps.push(() => vitepress('preview', '--host', '127.0.0.1'));
for (const step of steps) {
  process.exitCode = await step();
  if (process.exitCode !== 0) break;
}
