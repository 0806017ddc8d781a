import { expect, test } from 'vitest';
import { blocksOf, blocksProblem } from './payload.ts';

const text = (length = 1, type = 'mrkdwn') => ({ type, text: 'x'.repeat(length) });
const section = (length = 1) => ({ type: 'section', text: text(length) });
const button = (more: object = {}) => ({
  type: 'button',
  text: text(75, 'plain_text'),
  value: 'x'.repeat(2_000),
  ...more,
});
const many = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);

test.each<[string, unknown]>([
  ['fifty blocks', many(50, section(3_000))],
  ['what the builder exports', { blocks: [section()] }],
  ['fields', [{ type: 'section', fields: many(10, text(2_000)) }]],
  ['a header', [{ type: 'header', text: text(150, 'plain_text') }]],
  [
    'a context',
    [{ type: 'context', elements: [...many(9, text()), { type: 'image', image_url: 'u', alt_text: 'a' }] }],
  ],
  ['actions', [{ type: 'actions', elements: many(25, button()) }]],
  ['an image', [{ type: 'image', image_url: 'https://x', alt_text: 'a', title: text(2_000, 'plain_text') }]],
  ['a divider', [{ type: 'divider', block_id: 'a' }]],
  ['a kind that we do not know', [{ type: 'hologram', anything: 1 }]],
  ['an accessory', [{ ...section(), accessory: button() }]],
  ['a table', [{ type: 'table', rows: many(100, many(20, text())) }]],
  [
    'characters as people count them',
    [{ type: 'header', text: { type: 'plain_text', text: '👍'.repeat(150) } }],
  ],
])('takes %s', (_name, value) => {
  expect(blocksProblem(value)).toBeNull();
});

test.each<[string, unknown, string]>([
  ['no list', 'text', 'blocks must be a list'],
  ['no blocks', [], 'blocks must not be empty'],
  ['fifty-one', many(51, section()), 'blocks must have at most 50 elements'],
  ['a block that is text', ['x'], 'blocks[0] must be an object'],
  ['a block without a type', [{}], 'blocks[0].type must be text'],
  ['a section without content', [{ type: 'section' }], 'blocks[0] must have text or fields'],
  ['a long section', [section(), section(3_001)], 'blocks[1].text.text must have at most 3000 characters'],
  ['empty text', [{ type: 'section', text: text(0) }], 'blocks[0].text.text must not be empty'],
  [
    'text of another kind',
    [{ type: 'section', text: text(1, 'html') }],
    'blocks[0].text.type must be plain_text or mrkdwn',
  ],
  [
    'eleven fields',
    [{ type: 'section', fields: many(11, text()) }],
    'blocks[0].fields must have at most 10 elements',
  ],
  [
    'a long field',
    [{ type: 'section', fields: [text(2_001)] }],
    'blocks[0].fields[0].text must have at most 2000 characters',
  ],
  [
    'a long header',
    [{ type: 'header', text: text(151) }],
    'blocks[0].text.text must have at most 150 characters',
  ],
  [
    'a full context',
    [{ type: 'context', elements: many(11, text()) }],
    'blocks[0].elements must have at most 10 elements',
  ],
  [
    '26 actions',
    [{ type: 'actions', elements: many(26, button()) }],
    'blocks[0].elements must have at most 25 elements',
  ],
  [
    'a long button',
    [{ type: 'actions', elements: [button({ text: text(76) })] }],
    'blocks[0].elements[0].text.text must have at most 75 characters',
  ],
  [
    'a long link',
    [{ type: 'actions', elements: [button({ url: 'x'.repeat(3_001) })] }],
    'blocks[0].elements[0].url must have at most 3000 characters',
  ],
  ['an image without words', [{ type: 'image', image_url: 'x' }], 'blocks[0].alt_text must be text'],
  ['the same id twice', many(2, { type: 'divider', block_id: 'a' }), 'every block_id must be unique'],
  [
    'much markdown',
    many(2, { type: 'markdown', text: 'x'.repeat(6_001) }),
    'markdown blocks must have at most 12000 characters',
  ],
  ['a high table', [{ type: 'table', rows: many(101, []) }], 'blocks[0].rows must have at most 100 elements'],
])('refuses %s', (_name, value, problem) => {
  expect(blocksProblem(value)).toBe(problem);
});

test('the blocks are the list, however they came', () => {
  expect(blocksOf({ blocks: [1] })).toEqual([1]);
  expect(blocksOf([1])).toEqual([1]);
});
