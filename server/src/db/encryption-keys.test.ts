import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { canMount } from './embedded/test-harness.ts';
import { loadKeyring } from './encryption-keys.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-key-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('the first start makes a key that only its owner can read, and later ones use it', () => {
  const dataDir = join(folder, 'data');
  const made = loadKeyring(null, dataDir);
  expect(statSync(join(dataDir, 'encryption.key')).mode & 0o777).toBe(0o600);
  expect(loadKeyring(null, dataDir).ids).toEqual(made.ids);
});

test.runIf(process.getuid?.() === 0)('a key that root makes belongs to whom the directory belongs', () => {
  chownSync(folder, 1, 1);
  loadKeyring(null, folder);
  expect(statSync(join(folder, 'encryption.key'))).toMatchObject({ uid: 1, gid: 1 });
});

test('a key that cannot be written is said in words', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(() => loadKeyring(null, join(folder, 'file', 'data'))).toThrow(
    /cannot be written.*ENOTDIR.*CARILLON_ENCRYPTION_KEY/,
  );
});

test.runIf(process.getuid?.() === 0 && canMount())(
  'a full disk leaves no broken key behind, and a later start makes one',
  () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'carillon-test', folder]);
    try {
      writeFileSync(join(folder, 'ballast'), Buffer.alloc(4096));
      expect(() => loadKeyring(null, folder)).toThrow('(ENOSPC)');
      expect(readdirSync(folder)).toEqual(['ballast']);
      rmSync(join(folder, 'ballast'));
      expect(loadKeyring(null, folder).ids).toHaveLength(1);
    } finally {
      execFileSync('umount', [folder]);
    }
  },
);
