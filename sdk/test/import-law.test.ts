import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the check of the import law on a tree of such files, each with the imports given. */
function judge(files: Record<string, string[]>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'import-law-'));
  for (const [path, imports] of Object.entries(files)) {
    const text = imports.map((target) => `import '${target}';`).join('\n');
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${text}\nexport const it = 1;\n`);
  }
  const exports = { '.': './src/index.ts', './inbox': './src/inbox/index.ts', './back': './src/retry.ts' };
  writeFileSync(join(folder, 'sdk/package.json'), JSON.stringify({ name: '@carillon/sdk', exports }));
  mkdirSync(join(folder, 'node_modules/@carillon'), { recursive: true });
  symlinkSync('../../sdk', join(folder, 'node_modules/@carillon/sdk'));
  return new Promise((resolve) => {
    const script = join(root, 'scripts/import-law.mjs');
    execFile(process.execPath, [script], { cwd: folder }, (_error, stdout, stderr) => {
      rmSync(folder, { recursive: true, force: true });
      resolve(stdout + stderr);
    });
  });
}

test('clients see the SDK by its doors, the SDK sees itself alone, and the service sees none of them', async () => {
  const lawful = {
    'server/src/main.ts': [],
    'sdk/src/index.ts': ['./inbox/index.ts', './retry.ts'],
    'sdk/src/inbox/index.ts': [],
    'sdk/src/retry.ts': [],
    'sdk/src/retry.test.ts': ['node:fs', '../../server/src/main.ts', './retry.ts'],
    'widgets/src/element.ts': ['@carillon/sdk/inbox'],
    'cli/src/main.ts': ['node:fs', '@carillon/sdk'],
  };
  const output = await judge({
    ...lawful,
    'sdk/src/node.ts': ['node:crypto'],
    'sdk/src/wire.ts': ['../../server/src/main.ts'],
    'widgets/src/short-cut.ts': ['../../server/src/main.ts'],
    'cli/src/back-door.ts': ['@carillon/sdk/back'],
    'server/src/up.ts': ['../../sdk/src/index.ts'],
  });
  const found = [...output.matchAll(/^(\S+) → .*\n {4}([\w-]+):/gm)].map(
    ([, file, rule]) => `${file} ${rule}`,
  );
  // These and no others: what is lawful is not among them.
  expect(found.toSorted()).toEqual([
    'cli/src/back-door.ts sdk-by-its-doors',
    'sdk/src/node.ts sdk-needs-nothing',
    'sdk/src/wire.ts clients-by-the-wire',
    'sdk/src/wire.ts sdk-needs-nothing',
    'server/src/up.ts service-knows-no-client',
    'widgets/src/short-cut.ts clients-by-the-wire',
  ]);
}, 60_000);
