import { expect, test } from 'vitest';
import { emptyRow, type FilterRow, filterOf, problemOfRows } from './filter-rows.ts';

const row = (condition: FilterRow['condition'], values: string, attribute = ''): FilterRow => ({
  ...emptyRow(),
  ...{ condition, values, attribute },
});

test('rows become a filter; attributes keep their type, and quotes make a text', () => {
  expect(
    filterOf([
      row('locales', 'it, pt-BR,'),
      row('topics_none', 'ads'),
      row('attributes', 'pro, "Rome, Italy"', ' plan '),
      row('attributes', 'true, 5, "5", 1e', 'level'),
    ]),
  ).toEqual({
    locales: ['it', 'pt-BR'],
    topics_none: ['ads'],
    attributes: { plan: ['pro', 'Rome, Italy'], level: [true, 5, '5', '1e'] },
  });
});

test.each<[string, FilterRow[], boolean]>([
  ['no row', [], true],
  ['a row without a value', [row('locales', ' , ')], true],
  ['an attribute without a name', [row('attributes', 'pro')], true],
  ['a condition twice', [row('topics_any', 'a'), row('topics_any', 'b')], true],
  ['an attribute twice', [row('attributes', 'a', 'plan'), row('attributes', 'b', 'plan')], true],
  ['two attributes', [row('attributes', 'a', 'plan'), row('attributes', 'b', 'team')], false],
])('%s is checked before the dry run', (_, rows, isProblem) => {
  expect(problemOfRows(rows) !== null).toBe(isProblem);
});
