import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decideRestore, finishRestore, prepareFiles } from './finish-restore.ts';

const parts = ['encryption.key', 'postgres.password', 'postgres/PG_VERSION'];

/** Writes the parts of an installation, whose content tells which one it is. */
function writeParts(folder: string, content: string): void {
  mkdirSync(join(folder, 'postgres'), { recursive: true });
  for (const part of parts) writeFileSync(join(folder, part), content);
}

/** Fails when parts of different installations are mixed. */
function contentOf(folder: string): string {
  const contents = new Set(parts.map((part) => readFileSync(join(folder, part), 'utf8')));
  expect([...contents]).toHaveLength(1);
  return [...contents][0] ?? '';
}

/** Kills its process instead of the rename or removal with this number. */
const killAt = (count: number): string => `
  import promises from 'node:fs/promises';
  import { syncBuiltinESMExports } from 'node:module';
  let left = ${count};
  for (const name of ['rename', 'rm']) {
    const real = promises[name];
    promises[name] = (...given) => (left-- === 0 ? process.kill(process.pid, 'SIGKILL') : real(...given));
  }
  syncBuiltinESMExports();`;

describe('a restore that is killed', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-finish-restore-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const restoreInto = async (dataDir: string, staged: string): Promise<void> => {
    writeParts(staged, 'restored');
    await prepareFiles(staged, dataDir);
    await decideRestore(staged, dataDir);
    await finishRestore(dataDir, dataDir);
  };
  const moduleUrl = new URL('finish-restore.ts', import.meta.url).href;
  const restoreKilledAt = (count: number, dataDir: string, staged: string): NodeJS.Signals | null =>
    spawnSync(
      process.execPath,
      [
        ...['--import', './scripts/typescript.mjs', '--input-type=module', '--eval'],
        `${killAt(count)}
         const { prepareFiles, decideRestore, finishRestore } = await import(${JSON.stringify(moduleUrl)});
         const [dataDir, staged] = ${JSON.stringify([dataDir, staged])};
         await prepareFiles(staged, dataDir);
         await decideRestore(staged, dataDir);
         await finishRestore(dataDir, dataDir);`,
      ],
      { cwd: fileURLToPath(new URL('../../../../', import.meta.url)) },
    ).signal;

  test('leaves the former installation or the restored one whole, and can be repeated', {
    timeout: 60_000,
  }, async () => {
    const found: string[] = [];
    for (let count = 0, isKilled = true; isKilled; count += 1) {
      const dataDir = join(folder, `killed-${count}`);
      const staged = join(dataDir, 'postgres.restored-1');
      writeParts(dataDir, 'former');
      writeParts(staged, 'restored');
      isKilled = restoreKilledAt(count, dataDir, staged) === 'SIGKILL';
      await finishRestore(dataDir, dataDir); // a start does this first
      found.push(contentOf(dataDir));

      await restoreInto(dataDir, join(dataDir, 'postgres.restored-2'));
      expect(contentOf(dataDir)).toBe('restored');
      const keys = readdirSync(dataDir).filter((name) => name.startsWith('encryption.key.'));
      expect(keys.map((name) => readFileSync(join(dataDir, name), 'utf8'))).toEqual(['former']);
    }
    expect(found.at(0)).toBe('former');
    expect(found.filter((content) => content === 'restored').length).toBeGreaterThan(4);
  });

  test('keeps the key when the backup has none', async () => {
    const dataDir = join(folder, 'without-key');
    const staged = join(dataDir, 'postgres.restored-1');
    writeParts(dataDir, 'former');
    writeParts(staged, 'restored');
    rmSync(join(staged, 'encryption.key'));
    await prepareFiles(staged, dataDir);
    await decideRestore(staged, dataDir);
    await finishRestore(dataDir, dataDir);
    expect(readFileSync(join(dataDir, 'encryption.key'), 'utf8')).toBe('former');
    expect(readdirSync(dataDir).sort()).toEqual(['encryption.key', 'postgres', 'postgres.password']);
  });
});
