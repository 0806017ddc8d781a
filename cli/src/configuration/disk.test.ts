import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { replaceFiles } from './disk.ts';

test('a resource replaces its files, takes its empty folder away, and never leaves the folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-disk-'));
  const before = ['templates/a/template.json', 'templates/a/email.html'];
  replaceFiles(folder, [], new Map(before.map((path) => [path, 'x\n'])));
  replaceFiles(folder, before, new Map([['templates/a/template.json', 'y\n']]));
  expect(readdirSync(join(folder, 'templates/a'))).toEqual(['template.json']);
  replaceFiles(folder, ['templates/a/template.json'], new Map());
  expect(readdirSync(join(folder, 'templates'))).toEqual([]);
  for (const path of ['../out', 'templates/../../out/x', 'categories/..\\out.json', '/out'])
    expect(() => replaceFiles(folder, [], new Map([[path, 'x']]))).toThrow('cannot be stored as a file');
  expect(existsSync(join(folder, '../out'))).toBe(false);
  rmSync(folder, { recursive: true });
});
