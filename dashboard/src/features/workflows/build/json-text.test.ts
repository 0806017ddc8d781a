import { describe, expect, test } from 'vitest';
import { order } from '../test-harness.ts';
import { parseText, positionOf, rangeOf, stepAt } from './json-text.ts';

describe('the text of a body', () => {
  test('is read as JSON.parse reads it, with the place of every part', () => {
    const text = '{ "a": [1, -2.5e3, true, null, "x\\n\\u00e9"],\n  "b/c": {"~": {}} , "": [] }';
    const parsed = parseText(text);
    if (!parsed.ok) throw new Error('not read');
    expect(parsed.value).toEqual(JSON.parse(text));
    const { from, to } = rangeOf(parsed.ranges, '/b~1c/~0');
    expect(text.slice(from, to)).toBe('{}');
    expect(positionOf(text, from)).toEqual({ line: 2, column: 16 });
  });

  test.each([
    ['', 0],
    ['{', 1],
    ['{"a":}', 5],
    ['{"a":1,}', 7],
    ['[1 2]', 3],
    ['{"a":"b\n"}', 5],
    ['{"a":01}', 6],
    ['{} x', 3],
    ["{'a':1}", 1],
  ])('that is not JSON says where: %j', (text, at) => {
    expect(parseText(text)).toMatchObject({ ok: false, at });
  });

  test('nested a thousand deep is refused and not a crash', () => {
    expect(parseText('['.repeat(1000) + ']'.repeat(1000)).ok).toBe(false);
  });

  test('leads from a place to the step around it', () => {
    const text = JSON.stringify(order, null, 2);
    const parsed = parseText(text);
    if (!parsed.ok) throw new Error('not read');
    expect(stepAt(parsed.ranges, text.indexOf('"again"'))).toBe(2);
    expect(stepAt(parsed.ranges, 0)).toBeNull();
    // A missing property is shown at its parent.
    expect(rangeOf(parsed.ranges, '/steps/1/channel')).toEqual(parsed.ranges.get('/steps/1'));
  });
});
