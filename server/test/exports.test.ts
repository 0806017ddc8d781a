import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Runs a check of scripts/ on a tree of these files; resolves to its exit code and what it printed. */
function run(check: string, files: Record<string, string>): Promise<{ code: number; output: string }> {
  const cwd = mkdtempSync(join(tmpdir(), 'exports-'));
  folders.push(cwd);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  const script = fileURLToPath(new URL(`../../scripts/${check}.mjs`, import.meta.url));
  return new Promise((resolve) => {
    execFile(process.execPath, [script], { cwd }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr });
    });
  });
}

describe('the check for unused exports', () => {
  it('accepts values that are imported by name, as a namespace, on demand, through an index, or by a test', async () => {
    const { code, output } = await run('unused-exports', {
      'server/src/bell.ts':
        'export const ring = 1; export function toll() {} export class Bell {} export const { a, b: [c] } = x;',
      'server/src/tower.ts': 'export const height = 1; export type Unused = 1;',
      'server/src/rope.ts': 'export const length = 1;',
      'server/src/index.ts': "export { ring as sound } from './bell.ts';",
      'server/src/main.ts':
        "import { sound } from './index.ts'; import * as tower from './tower.ts'; import('./rope.ts');",
      'cli/test/bell.test.ts': "import { toll, Bell, a, c } from '../../server/src/bell.ts';",
    });
    expect(output).toContain('5 files export only values that others import');
    expect(code).toBe(0);
  });

  it('names every value that no other file imports, and an unused line of an index', async () => {
    const { code, output } = await run('unused-exports', {
      'server/src/bell.ts': '\nexport const ring = 1;\nexport function toll() {}\nexport default 1;',
      'server/src/tower/bell.ts': 'export const toll = 1;',
      'server/src/index.ts': "import { toll } from './tower/bell.ts';\nexport { ring } from './bell.ts';",
    });
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toEqual([
      'server/src/bell.ts:3 exports toll, which no other file imports',
      'server/src/bell.ts:4 exports default, which no other file imports',
      'server/src/index.ts:2 exports ring, which no other file imports',
    ]);
  });

  it('fails on an empty tree', async () => {
    expect((await run('unused-exports', {})).code).toBe(1);
  });
});

describe('the check for unique type names', () => {
  it('accepts a schema with its type, a re-export, a local type, and what tests declare', async () => {
    const { code, output } = await run('unique-types', {
      'server/src/bell.ts': 'export const Bell = 1; export type Bell = typeof Bell; interface Rope {}',
      'server/src/index.ts':
        "export { Bell } from './bell.ts'; export type { Bell as Chime } from './bell.ts';",
      'server/src/rope.ts': 'export interface Rope {}',
      'server/src/knot.ts': "import type { Rope } from './rope.ts'; export type { Rope };",
      'server/src/rope.test.ts': 'export interface Rope {}',
      'server/src/tower/test-harness.ts': 'export class Rope {}',
    });
    expect(output).toContain('2 exported types have names of their own');
    expect(code).toBe(0);
  });

  it('names every type, interface or class that two files export', async () => {
    const { code, output } = await run('unique-types', {
      'server/src/bell.ts': 'export type Bell = 1;\nexport interface Rope {}',
      'server/src/tower/bell.ts': 'export class Bell {}\nexport const Rope = 1;\nexport type Rope = 1;',
    });
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toEqual([
      'Bell is declared in server/src/bell.ts:1, server/src/tower/bell.ts:1',
      'Rope is declared in server/src/bell.ts:2, server/src/tower/bell.ts:3',
    ]);
  });

  it('fails on an empty tree', async () => {
    expect((await run('unique-types', {})).code).toBe(1);
  });
});

describe('the check that services are composed once', () => {
  const feature = {
    'server/src/features/bells/index.ts': "export { createBellService, createClapper } from './service.ts';",
    'server/src/features/bells/service.ts':
      'export function createBellService() { return createClapper(); } export function createClapper() {}',
    'server/src/services.ts': 'createBellService();',
  };

  it('accepts a service that one file builds, parts that many build, and what tests build', async () => {
    const { code, output } = await run('composed-once', {
      ...feature,
      'server/src/features/bells/routes.ts': 'createClapper();',
      'server/src/features/bells/bells.test.ts': 'createBellService();',
    });
    expect(output).toContain('1 factories of services are called in one file each');
    expect(code).toBe(0);
  });

  it('names a service that a second file builds, by its name or because services.ts builds it', async () => {
    const { code, output } = await run('composed-once', {
      ...feature,
      'server/src/channels/towers/store.ts': 'export const createTowerStore = () => {};',
      'server/src/features/bells/routes.ts': 'createClapper(); createTowerStore();',
      'server/src/features/bells/job.ts':
        'const bells = { ...createBellService(), store: createTowerStore() };',
      'server/src/services.ts': 'createBellService(createClapper());',
    });
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toEqual([
      'createBellService is called in server/src/features/bells/job.ts, server/src/services.ts',
      'createClapper is called in server/src/features/bells/routes.ts, server/src/features/bells/service.ts, server/src/services.ts',
      'createTowerStore is called in server/src/features/bells/job.ts, server/src/features/bells/routes.ts',
    ]);
  });

  it('fails on an empty tree', async () => {
    expect((await run('composed-once', {})).code).toBe(1);
  });
});
