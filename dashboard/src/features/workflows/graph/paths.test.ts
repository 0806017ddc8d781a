import { describe, expect, test } from 'vitest';
import { order } from '../test-harness.ts';
import { missingTargets, pathsOf, unreachableSteps } from './paths.ts';

describe('paths', () => {
  test('go to the next step, to what is named, and to the end', () => {
    expect(
      pathsOf(order.steps).map(({ from, to, reasons }) => [from, to, reasons.map(({ kind }) => kind)]),
    ).toEqual([
      [0, 3, ['event']],
      [0, 1, ['timeout']],
      [1, 2, ['always']],
      [2, 0, ['when']],
      [2, null, ['otherwise']],
      [3, null, ['always']],
    ]);
  });

  test('that lead nowhere, and steps that none leads to, are found', () => {
    const steps = [
      { id: 'a', kind: 'noop', next: 'end' },
      { id: 'b', kind: 'noop', next: 'nowhere' },
    ];
    expect(unreachableSteps(steps)).toEqual([1]);
    expect(missingTargets(steps)).toEqual([{ pointer: '/steps/1/next', target: 'nowhere' }]);
  });
});
