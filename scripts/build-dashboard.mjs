// The dashboard as the service serves it: dashboard/ → server/dist/dashboard, compressed beforehand, with files.json, the list
// of what there is and its hashes: of this build (`current`) and of those before it (`former`).
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { ensureInstalled, interruptions } from './install.mjs';
import { noteBundledPackages } from './licences.mjs';
import { withLock } from './lock.mjs';
import { dist, isProgram, root, run, stop } from './setup.mjs';

const target = join(dist, 'dashboard');
const marker = join(target, '.build');
const folders = ['dashboard/src', 'dashboard/public', 'sdk/src'].map((folder) => join(root, folder));
const files = ['dashboard/index.html', 'dashboard/vite.config.ts', 'package-lock.json'].map((file) =>
  join(root, file),
);
const openPageMs = 3_600_000;

/** Builds when a source has changed since the last time. Others that want it too wait for the one that builds. */
export async function ensureDashboard() {
  if (isDashboardFresh()) return;
  const code = await run(process.execPath, [import.meta.filename]);
  if (code !== 0) {
    const error = new Error('The dashboard could not be built; the reason is above.');
    throw Object.assign(error, { wasInterrupted: interruptions.includes(code) });
  }
}

export function isDashboardFresh() {
  return existsSync(marker) && readFileSync(marker, 'utf8') === fingerprint();
}

/** Names, times and sizes instead of contents: a warm start should not read the whole source. */
function fingerprint() {
  const hash = createHash('sha256');
  const inputs = folders.flatMap((folder) => filesBelow(folder));
  for (const path of [...inputs, ...files, import.meta.filename].sort()) {
    const { mtimeMs, size } = statSync(path);
    hash.update(`${relative(root, path)} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

async function build() {
  const built = fingerprint();
  for (const name of readdirSync(dist)) {
    // Of a build that was killed: ours is the only one under way.
    if (/^\.dashboard-\d+$/.test(name)) rmSync(join(dist, name), { recursive: true, force: true });
  }
  const staging = join(dist, `.dashboard-${process.pid}`);
  try {
    // Tests that build it have another one, with which React would be the one for development, half as big again.
    process.env.NODE_ENV = 'production';
    const vite = await import('vite');
    const { output } = await vite.build({
      configFile: join(root, 'dashboard/vite.config.ts'),
      logLevel: 'warn',
      mode: 'production',
      build: { outDir: staging },
    });
    publish(staging);
    noteBundledPackages(
      target,
      output.flatMap(({ moduleIds = [] }) => moduleIds),
    );
    writeFileSync(marker, built);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/**
 * What has a hash in its name comes first and index.html, which names it, later: a page that is fetched meanwhile finds what it
 * needs. Files of the build before stay for an hour, for pages that are open. The list is last: it is how a running service
 * learns of all this.
 */
function publish(staging) {
  const hashes = {};
  const paths = filesBelow(staging).map((path) => relative(staging, path).replaceAll('\\', '/'));
  for (const path of paths) {
    const bytes = readFileSync(join(staging, path));
    hashes[path] = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
    writeFileSync(join(staging, `${path}.gz`), gzipSync(bytes, { level: 9 }));
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    writeFileSync(join(staging, `${path}.br`), brotliCompressSync(bytes, { params }));
  }
  mkdirSync(join(target, 'assets'), { recursive: true });
  const former = formerFiles(hashes);
  writeFileSync(join(staging, 'files.json'), JSON.stringify({ current: hashes, former }));
  // A package that was just installed has no open pages.
  const ignored = Object.keys(former).map((path) => `${path}*\n`);
  writeFileSync(join(target, '.npmignore'), ignored.join(''));
  const order = [
    ...paths.filter((path) => path.startsWith('assets/')),
    ...paths.filter((path) => !path.startsWith('assets/')),
  ];
  for (const path of order.flatMap((each) => [each, `${each}.gz`, `${each}.br`])) {
    renameSync(join(staging, path), join(target, path));
  }
  renameSync(join(staging, 'files.json'), join(target, 'files.json'));
  for (const name of readdirSync(join(target, 'assets'))) {
    const path = `assets/${name.replace(/\.(gz|br)$/, '')}`;
    if (hashes[path] === undefined && former[path] === undefined) rmSync(join(target, 'assets', name));
  }
}

/** What pages that are open may still ask for: the hour begins when a build is replaced, not when it was made. */
function formerFiles(hashes) {
  const list = join(target, 'files.json');
  const before = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : {};
  const isWanted = ([path]) =>
    path.startsWith('assets/') && hashes[path] === undefined && existsSync(join(target, path));
  const replaced = Object.entries(before.current ?? {}).filter(isWanted);
  for (const [path] of replaced) utimesSync(join(target, path), new Date(), new Date());
  const older = Object.entries(before.former ?? {})
    .filter(isWanted)
    .filter(([path]) => Date.now() - statSync(join(target, path)).mtimeMs < openPageMs);
  return Object.fromEntries([...older, ...replaced]);
}

if (isProgram(import.meta.filename)) {
  // Whoever asks for it, a test for example: what is built is what is served.
  process.env.NODE_ENV = 'production';
  await ensureInstalled({ share: 'pages' });
  try {
    mkdirSync(dist, { recursive: true });
    await withLock(
      join(dist, '.dashboard-lock'),
      () => {},
      async () => {
        if (!isDashboardFresh()) await build();
      },
    );
  } catch (error) {
    stop(error.message); // a mistake in the sources with its place, or a disk that cannot be written to
  }
}
