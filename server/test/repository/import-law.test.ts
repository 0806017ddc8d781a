import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../../scripts/import-law.mjs', import.meta.url));
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A tree of source files; each imports the paths given, seen from server/src. */
function plant(files: Record<string, string[]>): string {
  const folder = mkdtempSync(join(tmpdir(), 'import-law-'));
  folders.push(folder);
  for (const [path, imports] of Object.entries(files)) {
    const up = '../'.repeat(path.split('/').length - 1);
    const lines = imports.map(
      (target, index) => `import { it as it${index} } from '${up || './'}${target}';`,
    );
    const used = imports.map((_target, index) => `it${index}`).join(', ');
    const file = join(folder, 'server/src', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, [...lines, `export const it = [${used}];`].join('\n'));
  }
  return folder;
}

/** Runs the check; resolves to its exit code and what it said. */
function judge(cwd: string): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script], { cwd }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr });
    });
  });
}

const lawful = {
  'main.ts': ['app.ts'],
  'app.ts': ['routes.ts', 'db/sql.ts'],
  'routes.ts': ['features/people/bells/index.ts', 'features/platform/towers/index.ts'],
  'features/people/bells/index.ts': ['features/people/bells/store.ts', 'features/platform/towers/index.ts'],
  'features/people/bells/store.ts': ['db/sql.ts', 'queue/index.ts', 'kernel/ids.ts'],
  'features/platform/towers/index.ts': ['features/platform/towers/store.ts'],
  'features/platform/towers/store.ts': ['db/sql.ts'],
  'features/platform/towers/store.test.ts': ['app.ts', 'features/people/bells/store.ts'],
  'queue/index.ts': ['db/sql.ts'],
  'channels/contract.ts': ['kernel/ids.ts'],
  'channels/registry.ts': ['channels/email/providers/one/index.ts', 'channels/sms/index.ts'],
  'channels/email/providers/one/index.ts': ['channels/contract.ts'],
  'channels/email/providers/two/index.ts': ['channels/contract.ts'],
  'channels/sms/index.ts': ['channels/contract.ts'],
  'db/sql.ts': ['kernel/ids.ts'],
  'kernel/ids.ts': [],
};

describe('the import law', () => {
  it('accepts a tree that keeps the direction', async () => {
    const { code, output } = await judge(plant(lawful));
    expect(output).toContain(`${Object.keys(lawful).length} files keep the import law`);
    expect(code).toBe(0);
  });

  it('bites at every planted violation, and at a source file that was not looked at', async () => {
    const { code, output } = await judge(
      plant({
        ...lawful,
        'kernel/up.ts': ['db/sql.ts'],
        'db/up.ts': ['queue/index.ts'],
        'queue/up.ts': ['features/people/bells/index.ts'],
        'channels/up.ts': ['queue/index.ts'],
        'http/up.ts': ['app.ts'],
        'features/people/bells/up.ts': ['routes.ts'],
        'features/people/bells/back-door.ts': ['features/platform/towers/store.ts'],
        'features/platform/towers/upstairs.ts': ['features/people/bells/index.ts'],
        'features/attic/bat.ts': ['kernel/ids.ts'],
        'back-door.ts': ['features/platform/towers/store.ts'],
        'channels/email/providers/one/sibling.ts': ['channels/email/providers/two/index.ts'],
        'channels/sms/sibling.ts': ['channels/email/providers/one/index.ts'],
        'features/people/bells/round.ts': ['features/people/bells/trip.ts'],
        'features/people/bells/trip.ts': ['features/people/bells/round.ts'],
        'features/people/bells/lost.ts': ['features/people/bells/nowhere.ts'],
        'features/people/bells/test-only.ts': ['features/platform/towers/store.test.ts'],
        'features/people/bells/not-a-type.ts': ['deps.ts'],
        'deps.ts': ['queue/index.ts'],
        'dist/hidden.ts': [],
      }),
    );
    expect(code).toBe(1);
    expect(output).toContain('server/src/dist/hidden.ts was not looked at');
    const found = [...output.matchAll(/^server\/src\/(\S+) → .*\n {4}([\w-]+):/gm)].map(
      ([, file, rule]) => `${file} ${rule}`,
    );
    expect(found).toEqual(
      expect.arrayContaining([
        'kernel/up.ts kernel-knows-nothing',
        'db/up.ts db-knows-kernel',
        'queue/up.ts queue-direction',
        'channels/up.ts channels-direction',
        'http/up.ts http-direction',
        'features/people/bells/up.ts features-direction',
        'features/people/bells/back-door.ts features-by-their-door',
        'features/platform/towers/upstairs.ts floor-of-platform',
        'features/attic/bat.ts rooms-have-a-floor',
        'back-door.ts tables-by-the-door',
        'channels/email/providers/one/sibling.ts providers-cannot-see-siblings',
        'channels/sms/sibling.ts channels-cannot-see-siblings',
        'features/people/bells/round.ts no-cycles',
        'features/people/bells/lost.ts no-dangling-imports',
        'features/people/bells/test-only.ts no-tests-in-the-service',
        'features/people/bells/not-a-type.ts deps-and-config-are-given',
      ]),
    );
    // The lawful part of the tree stays unreported.
    expect(found.filter((line) => (line.split(' ')[0] ?? '') in lawful)).toEqual([]);
  });

  it('fails when there is nothing to look at', async () => {
    expect((await judge(plant({}))).code).toBe(1);
  });
});
