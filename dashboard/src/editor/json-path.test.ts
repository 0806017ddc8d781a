import { describe, expect, test } from 'vitest';
import { jsonCursor } from './json-path.ts';

/** `|` marks the cursor. */
function placeIn(marked: string) {
  const position = marked.indexOf('|');
  const { path, kind, quoteAt } = jsonCursor(marked.replace('|', ''), position);
  return [path, kind, quoteAt !== null];
}

describe('where the cursor is in JSON', () => {
  test.each([
    ['|', [], 'value', false],
    ['{|', [], 'key', false],
    ['{"na|', [], 'key', true],
    ['{"name": |', ['name'], 'value', false],
    ['{"name": "A|"}', ['name'], 'value', true],
    ['{"a": 1, |}', [], 'key', false],
    ['{"steps": [{"id": "x"}, {"kind": "|"}]}', ['steps', 1, 'kind'], 'value', true],
    ['{"steps": [{"id": "x"}, {|', ['steps', 1], 'key', false],
    ['{"a": {"b": [1, 2, |', ['a', 'b', 2], 'value', false],
    ['{"a": {"b": 1}, "c": |', ['c'], 'value', false],
    ['{"a": "x \\" y", "b": |', ['b'], 'value', false],
    ['{"unfinished: 1,\n "b": |', ['b'], 'value', false],
  ])('%s', (marked, path, kind, isInString) => {
    expect(placeIn(marked)).toEqual([path, kind, isInString]);
  });

  test('Liquid is passed over', () => {
    const text = '{"a": {{ x | json: "}" }}, "b": "{{ y }} ';
    expect(jsonCursor(text, text.length)).toMatchObject({ path: ['b'], kind: 'value' });
    const block = '{% if x %}{"a": [{% endif %}';
    expect(jsonCursor(block, block.length).path).toEqual(['a', 0]);
  });
});
