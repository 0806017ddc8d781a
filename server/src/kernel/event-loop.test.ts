import { expect, test } from 'vitest';
import { shouldYield, yieldToEventLoop } from './event-loop.ts';

/** Which turn of the event loop it is. */
function countTurns(): { now: () => number; stop: () => void } {
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = (): void => {
    turns += 1;
    next = setImmediate(count);
  };
  next = setImmediate(count);
  return { now: () => turns, stop: () => clearImmediate(next) };
}

function compute(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('long computations that begin together each get a turn of the event loop of their own', async () => {
  const turns = countTurns();
  const turnsOfAll = await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (shouldYield()) await yieldToEventLoop();
      compute(25);
      return turns.now();
    }),
  );
  turns.stop();
  expect(new Set(turnsOfAll).size).toBe(8);
});

test('short ones share one', async () => {
  const turns = countTurns();
  const turnsOfAll = await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (shouldYield()) await yieldToEventLoop();
      return turns.now();
    }),
  );
  turns.stop();
  expect(new Set(turnsOfAll).size).toBeLessThan(8);
});
