import { expect, test } from 'vitest';
import { type Page, skipEmptyPages } from './pages.ts';

/** A list with these pages; the cursors are their indices. */
function listOf(pages: string[][]) {
  const asked: (string | undefined)[] = [];
  const read = async (cursor: string | undefined): Promise<Page<string>> => {
    asked.push(cursor);
    const place = Number(cursor ?? 0);
    return {
      data: pages[place] ?? [],
      next_cursor: place + 1 < pages.length ? String(place + 1) : null,
    };
  };
  return { read, asked };
}

test('empty pages are skipped until one has items', async () => {
  const { read } = listOf([[], [], ['found'], ['later']]);
  expect(await skipEmptyPages(read, undefined)).toEqual({ data: ['found'], next_cursor: '3' });
});

test('a list without items ends as one empty page', async () => {
  const { read } = listOf([[], []]);
  expect(await skipEmptyPages(read, undefined)).toEqual({ data: [], next_cursor: null });
});

test('after twenty empty pages the reader decides whether to continue', async () => {
  const { read, asked } = listOf(Array.from({ length: 1_000 }, () => []));
  expect(await skipEmptyPages(read, '5')).toEqual({ data: [], next_cursor: '25' });
  expect(asked).toHaveLength(20);
});
