import { expect, test } from 'vitest';
import { readBody } from './definition.ts';

test('half a body is drawn as far as it goes', () => {
  expect(readBody({ steps: [{ id: 5 }, null, 'x'] })?.steps).toEqual([
    { id: '', kind: '' },
    { id: '', kind: '' },
    { id: '', kind: '' },
  ]);
  for (const value of [null, [], 'x', {}, { steps: {} }]) expect(readBody(value)).toBeNull();
});
