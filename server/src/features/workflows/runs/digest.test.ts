import { afterAll, beforeAll, expect, test } from 'vitest';
import { email, shape, startWorkflows, type Workflows } from './test-harness.ts';

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

const steps = (window: string, extra: object = {}) => [
  { id: 'collect', kind: 'digest', key: '{{ trigger.user }}', window, ...extra },
  email('mail', {
    subject: '{{ digest.items | size }} for {{ trigger.user }}',
    text_body: '{{ digest.items | json }}',
  }),
];

// biome-ignore lint/suspicious/noExplicitAny: whatever the wire holds
type Run = any;
const survivors = (runs: Run[]): Run[] => runs.filter(({ steps }) => steps.length > 1);
const outputOf = (run: Run) => JSON.parse(run.steps[0].output_json);
const items = async (run: Run): Promise<number[]> => {
  const { body } = await app.request('GET', `/v1/notifications/${run.steps[1].notification_id}`);
  return JSON.parse(body.text_body).map((item: { n: number }) => item.n);
};

test('of many runs one survives, with the items of all', async () => {
  await app.define('few', steps('PT1S'));
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.push(await app.trigger('few', { user: 'ada', n }));
  const alone = await app.trigger('few', { user: 'joan', n: 9 });
  const runs = [];
  for (const id of ids) runs.push(await app.reaches(id, 'completed'));
  const [survivor, ...more] = survivors(runs);
  expect(more).toEqual([]);
  expect(shape(survivor)).toEqual(['collect:digested', 'mail:sent']);
  expect(outputOf(survivor)).toMatchObject({ count: 5 });
  expect((await items(survivor)).sort()).toEqual([0, 1, 2, 3, 4]);
  for (const run of runs.filter(({ id }) => id !== survivor.id)) {
    expect(shape(run)).toEqual(['collect:digested']);
    expect(outputOf(run).surviving_run_id).toBe(survivor.id);
  }
  expect(await items(await app.reaches(alone, 'completed'))).toEqual([9]);
});

test('is closed when it is full, and the next item opens another', async () => {
  await app.define('full', steps('1d', { max_items: 4 }));
  const ids = await Promise.all(
    Array.from({ length: 12 }, (_, n) => (n % 2 ? app : other).trigger('full', { user: 'ada', n })),
  );
  const runs = [];
  for (const id of ids) runs.push(await app.reaches(id, 'completed'));
  const kept = survivors(runs);
  expect(kept).toHaveLength(3);
  const collected = (await Promise.all(kept.map(items))).flat();
  expect(collected.sort((a, b) => a - b)).toEqual(ids.map((_, n) => n));
});

test('under load in two processes no item is dropped at an edge, and none is in two digests', async () => {
  await app.define('edges', steps('PT0.05S', { max_items: 7 }));
  const ids: string[] = [];
  for (let wave = 0; wave < 10; wave += 1) {
    const started = Array.from({ length: 40 }, (_, n) =>
      (n % 2 ? app : other).trigger('edges', { user: `u${n % 3}`, n: wave * 40 + n }),
    );
    ids.push(...(await Promise.all(started)));
  }
  const runs = [];
  for (const id of ids) runs.push(await app.reaches(id, 'completed'));
  const kept = survivors(runs);
  const collected = (await Promise.all(kept.map(items))).flat();
  expect(collected.sort((a, b) => a - b)).toEqual(ids.map((_, n) => n));
  const counts = kept.map((run) => outputOf(run).count);
  expect(Math.max(...counts)).toBeLessThanOrEqual(7);
  const named = new Set(
    runs.filter(({ steps }) => steps.length === 1).map((run) => outputOf(run).surviving_run_id),
  );
  const keptIds = new Set(kept.map(({ id }) => id));
  expect([...named].filter((id) => !keptIds.has(id))).toEqual([]);
  const { rows } = await app.pool.query(
    `select (select count(*) from digests)::int as open, (select count(*) from digest_items)::int as items`,
  );
  expect(rows[0]).toEqual({ open: 0, items: 0 });
}, 90_000);

test('a cancelled survivor closes its digest: the next run opens a new one', async () => {
  await app.define('cancelled', steps('1d', { max_items: 2 }));
  const first = await app.trigger('cancelled', { user: 'ada', n: 1 });
  await app.reaches(first, 'waiting');
  await app.request('POST', `/v1/workflows/runs/${first}/cancel`);
  await app.reaches(first, 'cancelled');
  const ids = [
    await app.trigger('cancelled', { user: 'ada', n: 2 }),
    await app.trigger('cancelled', { user: 'ada', n: 3 }),
  ];
  const runs = [];
  for (const id of ids) runs.push(await app.reaches(id, 'completed'));
  const [survivor] = survivors(runs);
  expect((await items(survivor)).sort()).toEqual([2, 3]);
});
