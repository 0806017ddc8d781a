import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
const folders = new Set(files.flatMap((file) => parentsOf(file)));
const known = new Set([...files, ...folders]);

const source = 'server/src';
const rooms = readdirSync(join(root, source, 'features'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const roomPages = rooms.map((room) => `${source}/features/${room}/README.md`);
const pages = [
  'ARCHITECTURE.md',
  'AGENTS.md',
  'CONTRIBUTING.md',
  ...files
    .filter((file) => file.startsWith(`${source}/`) && file.endsWith('README.md'))
    .filter((file) => !file.includes('/embedded/')), // that one names files of the data directory
];

function parentsOf(file: string): string[] {
  const parent = dirname(file);
  return parent === '.' ? [] : [parent, ...parentsOf(parent)];
}

/** `a/{b,c}.ts` → `a/b.ts`, `a/c.ts`. */
function expanded(path: string): string[] {
  const [whole, before = '', list = '', after = ''] = /^(.*?)\{([^{}]*)\}(.*)$/.exec(path) ?? [];
  return whole === undefined
    ? [path]
    : list.split(',').flatMap((part) => expanded(before + part.trim() + after));
}

const codeIn = (text: string): string[] =>
  [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code ?? []);

/** The files and folders that a page names. `<channel>` and `NAME` stand for any. */
function pathsIn(page: string): string[] {
  return codeIn(read(page).replaceAll(/```[\s\S]*?```/g, ''))
    .filter((code) => /^[\w.{}, /-]+$/.test(code) && /^(?!\/).*(\/|\.(ts|mjs|cjs|sql|md|json)$)/.test(code))
    .filter((code) => !/ (?![^{]*\})/.test(code) && !/^carillon-dev\//.test(code))
    .flatMap(expanded);
}

function exists(path: string, page: string): boolean {
  const folder = dirname(page);
  const bases = [folder, source, `${source}/features`, '.', 'server', 'docs/guides'];
  if (bases.some((base) => known.has(posix.join(base, path).replace(/\/$/, '')))) return true;
  // A name alone is any file of that name, in the room of the page or, for the pages of the root, anywhere.
  return (
    !path.includes('/') &&
    files.some((file) => file.startsWith(folder === '.' ? '' : `${folder}/`) && file.endsWith(`/${path}`))
  );
}

/** The rows of the table below a heading: the cells of each. */
function tableBelow(page: string, heading: RegExp): string[][] {
  const lines = read(page).split('\n');
  const from = lines.findIndex((line) => heading.test(line));
  const begin = lines.findIndex((line, index) => index >= from && line.startsWith('|'));
  const end = lines.findIndex((line, index) => index > begin && !line.startsWith('|'));
  return lines.slice(begin + 2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const law = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs'));
const floorOf = new Map<string, number>(
  law.forbidden.flatMap(({ name, comment }: { name: string; comment: string }) => {
    const [, floor] = /is on floor (\d+)/.exec(comment) ?? [];
    return floor ? [[name.replace('floor-of-', ''), Number(floor)]] : [];
  }),
);

test('ARCHITECTURE.md shows the rooms on the floors of the import law, with their features', () => {
  const shown = tableBelow('ARCHITECTURE.md', /^\| floor/).map(([floor, room, features = '']) => ({
    floor: Number(floor),
    room: codeIn(room ?? '')[0],
    features: codeIn(features).sort(),
  }));
  const found = rooms.map((room) => ({
    floor: floorOf.get(room),
    room,
    features: readdirSync(join(root, source, 'features', room), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort(),
  }));
  const ordered = (list: { room: string | undefined }[]) =>
    list.sort((one, other) => ((one.room ?? '') < (other.room ?? '') ? -1 : 1));
  expect(ordered(shown)).toEqual(ordered(found));
});

describe('the page of a room', () => {
  test.each(roomPages)(
    '%s fits on a screen, and names its tables, callers, decisions and additions',
    (page) => {
      const text = read(page);
      expect(text.split('\n').length).toBeLessThanOrEqual(61);
      for (const part of ['Promises', 'Tables', 'Called by', 'Decisions', 'Does not', 'Where do I add …'])
        expect(text).toContain(`**${part}`);
    },
  );

  test('each table of the database belongs to one room, to the machinery or to HTTP', () => {
    const tables = [...read(`${source}/db/schema.sql`).matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(
      ([, name = '']) => name,
    );
    const named = new Set(roomPages.flatMap((page) => codeIn(read(page))));
    const others = tables.filter((table) => !named.has(table) && !table.startsWith('queue_'));
    expect(others).toEqual([
      'encryption_keys',
      'migrations',
      'organization_moves',
      'rate_buckets',
      'workers',
    ]);
  });
});

test('the files and folders that the pages about the structure name exist', () => {
  const gone = pages.flatMap((page) =>
    pathsIn(page)
      .filter((path) => !exists(path, page))
      .map((path) => `${page}: ${path}`),
  );
  expect(gone).toEqual([]);
});

test('the paths of ARCHITECTURE.md name each of their files once, and count them', () => {
  const counted = [...read('ARCHITECTURE.md').matchAll(/^\*\*([^*]+)\*\*[^\n]*\((\d+) files\)/gm)];
  expect(counted.length).toBe(7);
  for (const [line, name = '', count] of counted) {
    const rows = tableBelow(
      'ARCHITECTURE.md',
      new RegExp(`^${line.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')}`),
    );
    const listed = rows.flatMap(([, , cell = '']) => codeIn(cell).flatMap(expanded));
    expect(
      listed.filter((file, index) => listed.indexOf(file) !== index),
      name,
    ).toEqual([]);
    expect({ name, files: listed.length }).toEqual({ name, files: Number(count) });
    expect(
      listed.filter((file) => !known.has(`${source}/${file}`)),
      name,
    ).toEqual([]);
  }
});

test('ARCHITECTURE.md and AGENTS.md answer the same fifteen questions', () => {
  const questions = (page: string) => tableBelow(page, /^## Where do I add/).map(([what]) => what);
  expect(questions('ARCHITECTURE.md')).toHaveLength(15);
  expect(questions('AGENTS.md')).toEqual(questions('ARCHITECTURE.md'));
});

test('the glossary has at most forty terms', () => {
  const [, glossary = ''] = read('ARCHITECTURE.md').split('## Glossary');
  expect([...glossary.matchAll(/\*\*[^*]+\*\*/g)].length).toBeLessThanOrEqual(40);
});
