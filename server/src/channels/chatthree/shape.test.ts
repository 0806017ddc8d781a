import { expect, test } from 'vitest';
import { contentProblem, embedsOf, embedsProblem } from './payload.ts';

const x = (length: number) => 'x'.repeat(length);
const embed = (more: object = {}) => ({ title: 'a', ...more });
const many = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);

test.each<[string, unknown]>([
  ['one embed', embed()],
  ['ten', many(10, embed())],
  [
    'the longest of each',
    [embed({ title: x(256), description: x(4_096), url: x(2_048), color: 0xffffff, timestamp: 't' })],
  ],
  ['a footer and an author', embed({ footer: { text: x(2_048), icon_url: 'u' }, author: { name: x(256) } })],
  ['25 fields', embed({ fields: many(25, { name: 'n', value: 'v', inline: true }) })],
  ['an image alone', { image: { url: 'u' } }],
  ['nothing where it may be nothing', embed({ description: null, color: null, footer: null })],
  ['white space around', embed({ title: ` ${x(256)} ` })],
])('takes %s', (_name, value) => {
  expect(embedsProblem(value)).toBeNull();
});

test.each<[string, unknown, string]>([
  ['text', 'text', 'embeds must be a list'],
  ['none', [], 'embeds must not be empty'],
  ['eleven', many(11, embed()), 'embeds must have at most 10 elements'],
  ['an empty one', [embed(), {}], 'embeds[1] is empty'],
  ['a long title', embed({ title: x(257) }), 'embeds[0].title must have at most 256 characters'],
  [
    'a long description',
    embed({ description: x(4_097) }),
    'embeds[0].description must have at most 4096 characters',
  ],
  ['a long URL', embed({ url: x(2_049) }), 'embeds[0].url must have at most 2048 characters'],
  [
    'a colour that is none',
    embed({ color: -1 }),
    'embeds[0].color must be a whole number from 0 to 16777215',
  ],
  [
    'a colour that is text',
    embed({ color: 'red' }),
    'embeds[0].color must be a whole number from 0 to 16777215',
  ],
  ['a footer without text', embed({ footer: {} }), 'embeds[0].footer.text must be text'],
  [
    'a long footer',
    embed({ footer: { text: x(2_049) } }),
    'embeds[0].footer.text must have at most 2048 characters',
  ],
  [
    'a long author',
    embed({ author: { name: x(257) } }),
    'embeds[0].author.name must have at most 256 characters',
  ],
  [
    '26 fields',
    embed({ fields: many(26, { name: 'n', value: 'v' }) }),
    'embeds[0].fields must have at most 25 elements',
  ],
  [
    'a field without a value',
    embed({ fields: [{ name: 'n', value: '' }] }),
    'embeds[0].fields[0].value must not be empty',
  ],
  [
    'a long value',
    embed({ fields: [{ name: 'n', value: x(1_025) }] }),
    'embeds[0].fields[0].value must have at most 1024 characters',
  ],
  [
    'more than 6000 characters together',
    many(2, { title: x(100), description: x(2_901) }),
    'the embeds must have at most 6000 characters; they have 6002',
  ],
])('refuses %s', (_name, value, problem) => {
  expect(embedsProblem(value)).toBe(problem);
});

test('the text beside them has at most 2000 characters', () => {
  expect(contentProblem(x(2_000))).toBeNull();
  expect(contentProblem(x(2_001))).toBe('the content must have at most 2000 characters');
});

test('one embed is a list of one', () => {
  expect(embedsOf({ title: 'a' })).toEqual([{ title: 'a' }]);
});
