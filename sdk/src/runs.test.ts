import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WorkflowRun } from './generated/types.ts';
import { createWaiting } from './runs.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a run that ends shortly before the deadline is seen', async () => {
  let looks = 0;
  const { waitForCompletion } = createWaiting(async () => {
    looks += 1;
    return { status: looks < 6 ? 'running' : 'completed' } as WorkflowRun;
  });
  // Far from any deadline, the sixth look is due after 2.64 s.
  const waited = waitForCompletion('r1', { timeout_ms: 2600 });
  await vi.advanceTimersByTimeAsync(2600);
  expect(await waited).toEqual({ status: 'completed' });
});
