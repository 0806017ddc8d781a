import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

type Check = (tree: object) => { problems: string[]; summary: string };

const script = (name: string) => import(new URL(`../../../scripts/${name}.mjs`, import.meta.url).href);
const { readTree } = (await script('exports')) as { readTree(root: string): object };
const { unusedExports } = (await script('unused-exports')) as { unusedExports: Check };
const { uniqueTypes } = (await script('unique-types')) as { uniqueTypes: Check };
const { composedOnce } = (await script('composed-once')) as { composedOnce: Check };

/** What a check says of a tree of these files. */
function run(check: Check, files: Record<string, string>): ReturnType<Check> {
  const root = mkdtempSync(join(tmpdir(), 'exports-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return check(readTree(root));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

describe('the check for unused exports', () => {
  it('accepts names that are imported by name, as a namespace, on demand, through an index, or by a test', () => {
    const { problems, summary } = run(unusedExports, {
      'server/src/bell.ts':
        'export const ring = 1; export function toll() {} export class Bell {} export const { a, b: [c] } = x;',
      'server/src/tower.ts': 'export const height = 1; export type Height = 1;',
      'server/src/rope.ts': 'export const length = 1;',
      'server/src/index.ts': "export { ring as sound } from './bell.ts';",
      'server/src/main.ts':
        "import { sound } from './index.ts'; import * as tower from './tower.ts'; import('./rope.ts');",
      'cli/test/bell.test.ts': "import { toll, Bell, a, c } from '../../server/src/bell.ts';",
    });
    expect(summary).toBe('5 files export only names that others import');
    expect(problems).toEqual([]);
  });

  it('names every value and type that no other file imports, and an unused line of an index', () => {
    const { problems } = run(unusedExports, {
      'server/src/bell.ts':
        '\nexport const ring = 1;\nexport function toll() {}\nexport default 1;\nexport type Rope = 1;',
      'server/src/tower/bell.ts': 'export const toll = 1;',
      'server/src/index.ts': "import { toll } from './tower/bell.ts';\nexport { ring } from './bell.ts';",
    });
    expect(problems).toEqual([
      'server/src/bell.ts:3 exports toll, which no other file imports',
      'server/src/bell.ts:4 exports default, which no other file imports',
      'server/src/bell.ts:5 exports Rope, which no other file imports',
      'server/src/index.ts:2 exports ring, which no other file imports',
    ]);
  });

  it('fails on an empty tree', () => {
    expect(run(unusedExports, {}).problems).toHaveLength(1);
  });
});

describe('the check for unique type names', () => {
  it('accepts a schema with its type, a re-export, a local type, and what tests declare', () => {
    const { problems, summary } = run(uniqueTypes, {
      'server/src/bell.ts': 'export const Bell = 1; export type Bell = typeof Bell; interface Rope {}',
      'server/src/index.ts':
        "export { Bell } from './bell.ts'; export type { Bell as Chime } from './bell.ts';",
      'server/src/rope.ts': 'export interface Rope {}',
      'server/src/knot.ts': "import type { Rope } from './rope.ts'; export type { Rope };",
      'server/src/rope.test.ts': 'export interface Rope {}',
      'server/src/tower/test-harness.ts': 'export class Rope {}',
    });
    expect(summary).toBe('2 exported types have names of their own');
    expect(problems).toEqual([]);
  });

  it('names every type, interface or class that two files export', () => {
    const { problems } = run(uniqueTypes, {
      'server/src/bell.ts': 'export type Bell = 1;\nexport interface Rope {}',
      'server/src/tower/bell.ts': 'export class Bell {}\nexport const Rope = 1;\nexport type Rope = 1;',
    });
    expect(problems).toEqual([
      'Bell is declared in server/src/bell.ts:1, server/src/tower/bell.ts:1',
      'Rope is declared in server/src/bell.ts:2, server/src/tower/bell.ts:3',
    ]);
  });

  it('fails on an empty tree', () => {
    expect(run(uniqueTypes, {}).problems).toHaveLength(1);
  });
});

describe('the check that services are composed once', () => {
  const feature = {
    'server/src/features/bells/index.ts': "export { createBellService, createClapper } from './service.ts';",
    'server/src/features/bells/service.ts':
      'export function createBellService() { return createClapper(); } export function createClapper() {}',
    'server/src/services.ts': 'createBellService();',
  };

  it('accepts a service that one file builds, parts that many build, and what tests build', () => {
    const { problems, summary } = run(composedOnce, {
      ...feature,
      'server/src/features/bells/routes.ts': 'createClapper();',
      'server/src/features/bells/bells.test.ts': 'createBellService();',
    });
    expect(summary).toBe('1 factories of services are called in one file each');
    expect(problems).toEqual([]);
  });

  it('names a service that a second file builds, by its name or because services.ts builds it', () => {
    const { problems } = run(composedOnce, {
      ...feature,
      'server/src/channels/towers/store.ts': 'export const createTowerStore = () => {};',
      'server/src/features/bells/routes.ts': 'createClapper(); createTowerStore();',
      'server/src/features/bells/job.ts':
        'const bells = { ...createBellService(), store: createTowerStore() };',
      'server/src/services.ts': 'createBellService(createClapper());',
    });
    expect(problems).toEqual([
      'createBellService is called in server/src/features/bells/job.ts, server/src/services.ts',
      'createClapper is called in server/src/features/bells/routes.ts, server/src/features/bells/service.ts, server/src/services.ts',
      'createTowerStore is called in server/src/features/bells/job.ts, server/src/features/bells/routes.ts',
    ]);
  });

  it('fails on an empty tree', () => {
    expect(run(composedOnce, {}).problems).toHaveLength(1);
  });
});
