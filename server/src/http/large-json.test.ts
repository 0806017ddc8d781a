import { expect, test } from 'vitest';
import { jsonInPieces, pieceLength } from './large-json.ts';

const long = 'a"é\n'.repeat(pieceLength);
/** Cut in the middle, its halves would be escaped each for itself. */
const pairs = `x${'🎉'.repeat(pieceLength)}`;

test.each([
  ['small values', { data: [{ a: 1 }, 'b', null], next_cursor: null }],
  ['what JSON leaves out', { data: [undefined, { a: undefined, at: new Date(0) }], b: undefined }],
  ['a long text', { data: [{ id: 1, text: long, more: [long] }], next_cursor: 'x' }],
  ['a long text of surrogate pairs', { text: pairs, odd: pairs.slice(1) }],
  ['half a pair at the end', { text: `${'x'.repeat(2 * pieceLength - 1)}\ud83c` }],
  ['many values', { data: Array.from({ length: 30_000 }, (_, n) => ({ n, list: [n, { n }] })) }],
  ['empty ones', { data: [], filler: long, none: {} }],
])('%s are written as JSON.stringify writes them', async (_, value) => {
  expect(String(await jsonInPieces(value)) === JSON.stringify(value)).toBe(true);
});

test('other work goes on while a long answer is written', async () => {
  let turns = 0;
  let isWritten = false;
  const count = () => {
    turns += 1;
    if (!isWritten) setImmediate(count);
  };
  setImmediate(count);
  await jsonInPieces({ data: Array(30).fill({ long }) });
  isWritten = true;
  expect(turns).toBeGreaterThan(2);
});
