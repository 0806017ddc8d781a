import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { makeOwnDirectory } from './access.ts';
import type { Account } from './account.ts';
import { EmbeddedPostgresError, explainOutput, MAY_NOT_SWITCH_USER } from './error.ts';
import { findPackage, makeMissingLinks, type PostgresPackage } from './package.ts';
import { runTool } from './tool.ts';

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
