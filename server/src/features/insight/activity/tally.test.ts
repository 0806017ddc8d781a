import { expect, test } from 'vitest';
import { coarsened, createTally, type NotificationCell } from './tally.ts';

test('cells are added up by environment, minute and channel, and given away once', () => {
  let now = 120_000;
  const tally = createTally(() => now, 100);
  tally.count('e', 'email', 'accepted');
  tally.count('e', 'email', 'sent');
  tally.took('e', 'email', 7);
  now = 179_999;
  tally.count('e', 'email', 'accepted');
  tally.count('e', 'sms', 'failed');
  now = 180_000;
  tally.count('e', 'email', 'accepted');
  const { notifications, calls } = tally.take();
  expect(calls).toEqual([]);
  const shown = (cells: NotificationCell[]) =>
    cells.map(({ at, channel, accepted, sent, failed }) => [at, channel, accepted, sent, failed]);
  expect(shown(notifications)).toEqual([
    [120_000, 'email', 2, 1, 0],
    [120_000, 'sms', 0, 0, 1],
    [180_000, 'email', 1, 0, 0],
  ]);
  expect(notifications.map(({ latency }) => latency?.slice(0, 3) ?? null)).toEqual([[0, 1, 0], null, null]);
  const coarse = coarsened(notifications, 600_000);
  expect(shown(coarse)).toEqual([
    [0, 'email', 3, 1, 0],
    [0, 'sms', 0, 0, 1],
  ]);
  expect(coarse[0]?.latency?.slice(0, 3)).toEqual([0, 1, 0]);
  expect(tally.take()).toEqual({ notifications: [], calls: [], triggers: [] });
});

test('what is put back is counted with what came meanwhile', () => {
  const tally = createTally(() => 0, 100);
  tally.count('e', 'email', 'sent');
  tally.took('e', 'email', 1);
  tally.called('e', 'hook', true, 1);
  tally.triggered('w');
  const taken = tally.take();
  tally.count('e', 'email', 'sent');
  tally.called('e', 'hook', false, 1);
  tally.triggered('w');
  tally.putBack(taken);
  const { notifications, calls, triggers } = tally.take();
  expect(notifications).toMatchObject([{ sent: 2, accepted: 0 }]);
  expect(notifications[0]?.latency?.[0]).toBe(1);
  expect(calls).toMatchObject([{ endpoint_id: 'hook', succeeded: 1, failed: 1 }]);
  expect(calls[0]?.latency[0]).toBe(2);
  expect(triggers).toEqual([{ workflow_id: 'w', slot: 0, triggered: 2 }]);
});

test('memory is bounded: beyond the limit only what has a cell is counted', () => {
  const tally = createTally(() => 0, 3);
  for (let environment = 0; environment < 10; environment += 1)
    tally.count(`e${environment}`, 'email', 'accepted');
  tally.called('e0', 'hook', true, 1);
  tally.count('e0', 'email', 'accepted');
  expect(tally.size()).toBe(3);
  const { notifications, calls } = tally.take();
  expect(notifications.map(({ accepted }) => accepted)).toEqual([2, 1, 1]);
  expect(calls).toEqual([]);
});

test('a clock that is set back finds the cells of before', () => {
  let now = 60_000;
  const tally = createTally(() => now, 100);
  tally.count('e', 'email', 'accepted');
  now = 120_000;
  tally.count('e', 'email', 'accepted');
  now = 60_000;
  tally.count('e', 'email', 'accepted');
  expect(tally.take().notifications.map(({ at, accepted }) => [at, accepted])).toEqual([
    [60_000, 2],
    [120_000, 1],
  ]);
});
