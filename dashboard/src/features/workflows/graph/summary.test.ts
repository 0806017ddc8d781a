import { expect, test } from 'vitest';
import { workflows } from '../../../strings/workflows.ts';
import { iconOf, summaryOf } from './summary.ts';

test('a kind that there is not is drawn as unknown, also when every object has something of that name', () => {
  const step = { id: 'a', kind: 'constructor' };
  expect([iconOf(step), summaryOf(step), workflows.kind(step.kind)]).toEqual([
    'info',
    'Unknown kind constructor',
    'constructor',
  ]);
});
