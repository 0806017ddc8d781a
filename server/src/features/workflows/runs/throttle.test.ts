import { afterAll, beforeAll, expect, test } from 'vitest';
import { shape, startWorkflows, type Workflows } from './test-harness.ts';

let app: Workflows;
let other: Workflows;
beforeAll(async () => {
  app = await startWorkflows();
  other = await startWorkflows({ database: app.database });
});
afterAll(async () => {
  await other.stop();
  await app.stop();
});

const throttle = (more: object) => ({
  id: 't',
  kind: 'throttle',
  key: '{{ trigger.user }}',
  window: '1h',
  ...more,
});
const after = { id: 'after', kind: 'noop' };

test('lets exactly as many runs of a key through as it says, across processes', async () => {
  await app.define('skipping', [throttle({ limit: 3 }), after]);
  const ids = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? app : other).trigger('skipping', { user: index < 10 ? 'ada' : 'grace' }),
    ),
  );
  const runs = await Promise.all(ids.map((id) => app.reaches(id, 'completed')));
  const passed = (part: typeof runs) => part.filter((run) => shape(run).includes('after:noop')).length;
  expect([passed(runs.slice(0, 10)), passed(runs.slice(10))]).toEqual([3, 3]);
  expect(runs.map(shape).filter(([first]) => first === 't:throttled')).toHaveLength(14);
});

test('makes later runs wait for their place, one window after the other', async () => {
  await app.define('waiting', [throttle({ limit: 2, mode: 'wait' }), after]);
  const ids: string[] = [];
  for (let index = 0; index < 6; index++) ids.push(await app.trigger('waiting', { user: 'ada' }));
  for (const id of ids.slice(0, 2)) await app.reaches(id, 'completed');
  const waiting = await Promise.all(ids.slice(2).map((id) => app.reaches(id, 'waiting')));
  const hours = waiting.map(({ steps, created_at }) =>
    Math.round((Date.parse(steps[0].next_scheduled_at) - Date.parse(created_at)) / 3_600_000),
  );
  expect(hours.sort()).toEqual([1, 1, 2, 2]);
});

test('a delay until a window reads the time zone of the user', async () => {
  await app.request('PUT', '/v1/users/tokyo', { body: { timezone: 'Asia/Tokyo' } });
  // A window that opened an hour ago in UTC and is closed in Tokyo.
  const clock = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  await app.define('polite', [{ id: 'd', kind: 'delay', window: { start: clock(-1), end: clock(1) } }]);
  const stranger = await app.trigger('polite', { external_user_id: 'nobody' });
  expect(shape(await app.reaches(stranger, 'completed'))).toEqual(['d:delayed']);
  const asleep = await app.reaches(await app.trigger('polite', { external_user_id: 'tokyo' }), 'waiting');
  const wakes = Date.parse(asleep.steps[0].next_scheduled_at) - Date.now();
  expect(Math.round(wakes / 3_600_000)).toBe(24 - 9 - 1);
});
