// The elements as the service serves them: widgets/src → server/dist/widgets, one module each with everything included,
// compressed beforehand, and a manifest with their hashes. With --package: the package @carillon/widgets (widgets/dist).
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { ensureInstalled } from './install.mjs';
import { noteBundledPackages, packageFolders, writeLicences } from './licences.mjs';
import { dist, exclusively, isProgram, root, run, stop, tsc } from './setup.mjs';

const target = join(dist, 'widgets');
const marker = join(target, '.build');
const sources = [join(root, 'widgets/src'), join(root, 'sdk/src')];
const elements = ['inbox', 'preferences'];
/** It has no imports and exports, so the module is also a classic script, which service workers are. */
const workers = ['push-worker'];

/** Builds when a source has changed since the last time. */
export async function ensureWidgets() {
  if (!areWidgetsFresh()) await exclusively(build);
}

export function areWidgetsFresh() {
  return existsSync(marker) && readFileSync(marker, 'utf8') === fingerprint();
}

function fingerprint() {
  const hash = createHash('sha256');
  const inputs = sources.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  for (const path of [...inputs, import.meta.filename, join(root, 'package-lock.json')].sort()) {
    const { mtimeMs, size } = statSync(path);
    hash.update(`${relative(root, path)} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

async function build() {
  if (areWidgetsFresh()) return;
  const built = fingerprint();
  const { outputs, modules } = await bundle([...elements, ...workers], { splitting: false });
  const staging = join(dist, `.widgets-${process.pid}`);
  mkdirSync(staging, { recursive: true });
  mkdirSync(target, { recursive: true });
  const manifest = {};
  for (const { name, bytes } of outputs) {
    const digest = createHash('sha384').update(bytes).digest();
    const mark = digest.toString('hex').slice(0, 12);
    manifest[name] = {
      file: name.replace(/\.js$/, `-${mark}.js`),
      integrity: `sha384-${digest.toString('base64')}`,
      bytes: bytes.length,
    };
    writeFileSync(join(staging, name), bytes);
    writeFileSync(join(staging, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(join(staging, `${name}.br`), brotliCompressSync(bytes, { params }));
  }
  writeFileSync(join(staging, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  noteBundledPackages(staging, modules);
  writeFileSync(join(staging, '.build'), built);
  // The manifest after what it names, which a running service then reads; the marker last: whoever finds it finds the rest.
  const last = ['manifest.json', '.build'];
  const names = readdirSync(staging).filter((name) => !last.includes(name));
  for (const name of [...names, ...last]) renameSync(join(staging, name), join(target, name));
  rmSync(staging, { recursive: true, force: true });
}

async function bundle(names, options) {
  const esbuild = await import('esbuild');
  const { outputFiles, metafile } = await esbuild
    .build({
      entryPoints: names.map((name) => join(root, 'widgets/src', `${name}.ts`)),
      outdir: 'out',
      write: false,
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      platform: 'browser',
      conditions: ['carillon-source', 'production'],
      legalComments: 'none',
      absWorkingDir: root,
      metafile: true,
      logLevel: 'warning',
      ...options,
    })
    .catch((error) => {
      if (error.errors === undefined) throw error;
      return stop('The widgets could not be built; the reason is above.');
    });
  const outputs = outputFiles.map(({ path, contents }) => ({
    name: path.split(/[\\/]/).at(-1),
    bytes: contents,
  }));
  return { outputs, modules: Object.keys(metafile.inputs) };
}

/** What `npm pack` puts into the package: the same modules, sharing what they have in common, with types. */
export async function buildPackage() {
  const folder = join(root, 'widgets/dist');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { outputs, modules } = await bundle([...elements, ...workers, 'react'], {
    splitting: true,
    external: ['react'],
    chunkNames: 'shared-[hash]',
  });
  for (const { name, bytes } of outputs) writeFileSync(join(folder, name), bytes);
  writeLicences(join(folder, 'THIRD-PARTY-LICENSES'), packageFolders(modules));
  const code = await run(process.execPath, [tsc, '-p', join(root, 'widgets/tsconfig.build.json')]);
  if (code !== 0) stop('The declarations of the widgets could not be created; the reason is above.');
  addDeclarations(folder);
}

/** Only what pages see has types in the package; the machinery behind it (and the types of Lit) stays outside. */
function addDeclarations(folder) {
  const made = join(folder, 'types/widgets/src');
  for (const name of ['public', 'texts', 'messages', 'react']) {
    // TypeScript keeps `./x.ts` in declarations; consumers have `./x.d.ts`, which `./x.js` names.
    const text = readFileSync(join(made, `${name}.d.ts`), 'utf8').replaceAll(/('\.\/[^']+)\.ts'/g, "$1.js'");
    writeFileSync(join(folder, `${name}.d.ts`), text);
  }
  rmSync(join(folder, 'types'), { recursive: true });
  for (const name of elements) {
    const element = `Carillon${name[0].toUpperCase()}${name.slice(1)}`;
    const lines = [
      `import type { ${element}Element } from './public.js';`,
      "export { type Messages, registerMessages } from './messages.js';",
      "export type * from './public.js';",
      `export declare const ${element}: { new (): ${element}Element };`,
    ];
    writeFileSync(join(folder, `${name}.d.ts`), `${lines.join('\n')}\n`);
  }
}

if (isProgram(import.meta.filename)) {
  const isPackage = process.argv.includes('--package');
  await ensureInstalled({ share: isPackage ? 'all' : 'pages' });
  await (isPackage ? buildPackage() : ensureWidgets());
}
