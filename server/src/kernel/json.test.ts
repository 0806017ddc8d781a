import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from './json.ts';

test('equal values have equal text, whatever the order of keys', () => {
  expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: 1.0 })).toBe('{"a":1,"b":[1,{"c":"x","d":null}]}');
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(JSON.parse(canonicalJson(value)))).toBe(canonicalJson(value));
    }),
  );
});

test('a hundred levels have a text, one more has none', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
  expect(canonicalJson(nested(100))).toHaveLength(201);
  expect(() => canonicalJson(nested(101))).toThrow(RangeError);
});
