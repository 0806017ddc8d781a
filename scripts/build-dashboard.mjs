// The dashboard as the service serves it: dashboard/ → server/dist/dashboard, compressed beforehand, with files.json, the list
// of what there is and its hashes.
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
import { withLock } from './lock.mjs';
import { dist, ensureInstalled, isProgram, root, run } from './setup.mjs';

const target = join(dist, 'dashboard');
const marker = join(target, '.build');
const folders = ['dashboard/src', 'dashboard/public', 'sdk/src'].map((folder) => join(root, folder));
const files = ['dashboard/index.html', 'dashboard/vite.config.ts', 'package-lock.json'].map((file) =>
  join(root, file),
);

/** Builds when a source has changed since the last time. Others that want it too wait for the one that builds. */
export async function ensureDashboard() {
  if (isDashboardFresh()) return;
  const code = await run(process.execPath, [import.meta.filename]);
  if (code !== 0) throw new Error('The dashboard could not be built; the reason is above.');
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
  const staging = join(dist, `.dashboard-${process.pid}`);
  try {
    // Tests that build it have another one, with which React would be the one for development, half as big again.
    process.env.NODE_ENV = 'production';
    const vite = await import('vite');
    await vite.build({
      configFile: join(root, 'dashboard/vite.config.ts'),
      logLevel: 'warn',
      mode: 'production',
      build: { outDir: staging },
    });
    publish(staging, built);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/**
 * What has a hash in its name comes first and index.html, which names it, later: a page that is fetched meanwhile finds what it
 * needs. Files of the build before stay for an hour, for pages that are open.
 */
function publish(staging, built) {
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
  writeFileSync(join(staging, 'files.json'), JSON.stringify(hashes));
  mkdirSync(join(target, 'assets'), { recursive: true });
  const order = [
    ...paths.filter((path) => path.startsWith('assets/')),
    ...paths.filter((path) => !path.startsWith('assets/')),
  ];
  for (const path of order.flatMap((each) => [each, `${each}.gz`, `${each}.br`])) {
    renameSync(join(staging, path), join(target, path));
  }
  renameSync(join(staging, 'files.json'), join(target, 'files.json'));
  writeFileSync(marker, built);
  for (const name of readdirSync(join(target, 'assets'))) {
    const path = join(target, 'assets', name);
    const isOurs = hashes[`assets/${name.replace(/\.(gz|br)$/, '')}`] !== undefined;
    if (!isOurs && Date.now() - statSync(path).mtimeMs > 3_600_000) rmSync(path);
  }
}

if (isProgram(import.meta.filename)) {
  // Whoever asks for it, a test for example: what is built is what is served.
  process.env.NODE_ENV = 'production';
  await ensureInstalled();
  mkdirSync(dist, { recursive: true });
  await withLock(
    join(dist, '.dashboard-lock'),
    () => {},
    async () => {
      if (!isDashboardFresh()) await build();
    },
  );
}
