// The package @carillon/sdk: sdk/src → sdk/dist/esm and sdk/dist/cjs, JavaScript and declarations. `npm pack` runs it too.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureInstalled } from './install.mjs';
import { exclusively, isProgram, root, run, stop, tsc } from './setup.mjs';

const source = join(root, 'sdk/src');
const target = join(root, 'sdk/dist');
const entries = ['index', 'inbox/index', 'webhooks'];

/** One at a time: it begins by removing what is there. */
export function buildSdk() {
  return exclusively(build);
}

async function build() {
  const began = Date.now();
  rmSync(target, { recursive: true, force: true });
  const { build: bundle } = await import('esbuild');
  const common = { bundle: true, target: 'es2022', sourcemap: false, outbase: source, logLevel: 'warning' };
  await bundle({
    ...common,
    entryPoints: entries.map((entry) => join(source, `${entry}.ts`)),
    outdir: join(target, 'esm'),
    format: 'esm',
    splitting: true,
    chunkNames: 'shared-[hash]',
    platform: 'neutral',
  });
  await bundle({
    ...common,
    entryPoints: [join(source, 'index.ts')],
    outdir: join(target, 'cjs'),
    format: 'cjs',
    platform: 'node',
  });
  const code = await run(process.execPath, [tsc, '-p', join(root, 'sdk/tsconfig.build.json')]);
  if (code !== 0) stop('The declarations of the SDK could not be created; the reason is above.');
  await addDoors();
  addDeclarations();
  writeFileSync(join(target, 'cjs/package.json'), '{ "type": "commonjs" }\n');
  console.log(`built the SDK in ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

/** In CommonJS the smaller entries are views of the whole, so that an error class is the same whichever one it came from. */
async function addDoors() {
  for (const entry of entries.slice(1)) {
    const names = Object.keys(await import(pathToFileURL(join(target, 'esm', `${entry}.js`)).href));
    const file = join(target, 'cjs', `${entry}.js`);
    const up = '../'.repeat(entry.split('/').length - 1) || './';
    const lines = names.map((name) => `exports.${name} = all.${name};`);
    writeNew(file, `const all = require('${up}index.js');\n${lines.join('\n')}\n`);
  }
}

/** TypeScript keeps `./x.ts` in declarations, where consumers have `./x.d.ts` beside a bundle: `./x.js` names both. */
function addDeclarations() {
  const from = join(target, 'esm');
  for (const name of readdirSync(from, { recursive: true }).filter((each) => each.endsWith('.d.ts'))) {
    const text = readFileSync(join(from, name), 'utf8').replaceAll(/(from '\.{1,2}\/[^']+)\.ts'/g, "$1.js'");
    for (const kind of ['esm', 'cjs']) writeNew(join(target, kind, name), text);
  }
}

function writeNew(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

if (isProgram(import.meta.filename)) {
  await ensureInstalled();
  await buildSdk();
}
