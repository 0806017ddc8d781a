import { expect, test } from 'vitest';
import { neededConnections, poolSizes } from './pool-settings.ts';

test('a single process and up to four have pools of full size', () => {
  for (const processes of [1, 2, 3, 4])
    expect(poolSizes(processes)).toEqual({ main: 12, claims: 3, housekeeping: 2 });
});

test('the pools of up to eight processes and one more fit the default max_connections', () => {
  for (const processes of [1, 2, 3, 4, 5, 6, 7, 8]) {
    expect(neededConnections(processes)).toBeLessThanOrEqual(104);
    expect((processes + 1) * total(processes)).toBeLessThanOrEqual(97);
  }
  expect(poolSizes(8)).toEqual({ main: 5, claims: 2, housekeeping: 1 });
});

test('no process has too few connections to work, and a server for more processes needs more connections', () => {
  expect(poolSizes(64)).toEqual({ main: 4, claims: 2, housekeeping: 1 });
  expect(neededConnections(64)).toBe(65 * 9 + 7);
});

/** With the doorbell and the heartbeat. */
function total(processes: number): number {
  const { main, claims, housekeeping } = poolSizes(processes);
  return main + claims + housekeeping + 2;
}
