import { expect, test } from 'vitest';
import { runTrial } from './trial.ts';

test('kill -9 of API, workers and database under load loses nothing and repeats nothing', {
  timeout: 180_000,
}, async () => {
  const report = await runTrial({ kills: 6, pauseMs: () => 2_000 });
  expect(report.lost).toEqual([]);
  expect(report.duplicated).toEqual([]);
  expect(report.surprises).toEqual([]);
  expect(report.unexpectedEnds).toEqual([]);
  expect(report.kills).toEqual({ api: 2, worker: 2, database: 2 });
  // Every key that was tried was repeated until it was acknowledged, so there is one notification for each.
  expect(report.counts.notifications).toBe(report.counts.acknowledged);
  expect(report.counts.acknowledged).toBeGreaterThan(200);
  expect(report.takeovers.filter(({ leases }) => leases > 0)).not.toEqual([]);
  expect(report.longestTakeoverMs).toBeLessThan(15_000);
});
