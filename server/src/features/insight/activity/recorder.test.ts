import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../../../../test/harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import type { Sql } from '../../../db/sql.ts';
import { newId } from '../../../kernel/ids.ts';
import { createLog } from '../../../kernel/log.ts';
import { startRecorder } from './recorder.ts';
import { tidyActivity } from './store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const log = createLog('fatal');
const start = (changes: object = {}) =>
  startRecorder({ pool: database.pool, clock: Date.now, log, ...changes });

async function sumsOf(environmentId: string): Promise<Record<string, unknown>> {
  const { rows } = await database.pool.query(
    `select sum(accepted)::int as accepted, sum(sent)::int as sent,
       sum((select sum(n) from unnest(latency) as n))::int as latencies
     from activity where environment_id = $1 and step = 60`,
    [environmentId],
  );
  return rows[0];
}

test('what is left is written when a process stops', async () => {
  const recorder = start();
  const environment = newId();
  recorder.count(environment, 'email', 'accepted');
  recorder.count(environment, 'email', 'sent');
  recorder.took(environment, 'email', 12);
  await recorder.stop();
  expect(await sumsOf(environment)).toEqual({ accepted: 1, sent: 1, latencies: 1 });
});

test('processes that count the same at once lose nothing, and wait for nobody for ever', async () => {
  const recorders = Array.from({ length: 4 }, () => start());
  const environments = Array.from({ length: 40 }, () => newId());
  const endpoint = newId();
  for (let round = 0; round < 10; round += 1) {
    for (const [index, recorder] of recorders.entries()) {
      // Each meets the cells in another order.
      const mine = index % 2 === 0 ? environments : environments.toReversed();
      for (const environment of mine) {
        recorder.count(environment, 'email', 'accepted');
        recorder.took(environment, 'email', index * 100);
      }
      recorder.called(environments[0] ?? '', endpoint, index % 2 === 0, 30);
    }
    await Promise.all(recorders.map((recorder) => recorder.flush()));
  }
  await Promise.all(recorders.map((recorder) => recorder.stop()));
  for (const environment of environments)
    expect(await sumsOf(environment)).toMatchObject({ accepted: 40, latencies: 40 });
  const { rows } = await database.pool.query(
    `select sum(succeeded)::int as succeeded, sum(failed)::int as failed from webhook_activity where endpoint_id = $1`,
    [endpoint],
  );
  expect(rows).toEqual([{ succeeded: 20, failed: 20 }]);
});

test('while the database is away nothing is lost', async () => {
  let isAway = true;
  const pool: Sql = {
    query(config) {
      if (isAway) return Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
      return database.pool.query(config);
    },
  };
  const recorder = start({ pool });
  const environment = newId();
  for (let count = 0; count < 3; count += 1) {
    recorder.count(environment, 'sms', 'accepted');
    await recorder.flush();
  }
  isAway = false;
  await recorder.stop();
  expect(await sumsOf(environment)).toMatchObject({ accepted: 3 });
});

test('many cells are written before their time', async () => {
  const recorder = start();
  const environments = Array.from({ length: 5_000 }, () => newId());
  for (const environment of environments) recorder.count(environment, 'email', 'accepted');
  await waitUntil(
    async () => ((await sumsOf(environments[4_999] ?? '')).accepted === 1 ? true : new Error('not written')),
    20_000,
  );
  await recorder.stop();
});

test('figures are kept by minute for six hours, and by ten minutes for seven days', async () => {
  const environment = newId();
  const insert = (table: string, columns: string, ages: string[]) =>
    database.pool.query(
      `insert into ${table} select $1, ${columns} from unnest($2::interval[]) as age, lateral (select now() - age as at) t`,
      [environment, ages],
    );
  const counts = `at, 'email', 1, 0, 0, 0, 0, 0, 0, 0, null`;
  await insert('activity', `60, ${counts}`, ['5 hours 59 minutes', '6 hours 1 minute', '7 hours']);
  await insert('activity', `600, ${counts}`, ['6 hours 1 minute', '6 days 23 hours', '7 days 1 minute']);
  await insert('webhook_activity', `'${newId()}', at, 1, 0, '{}'`, ['6 days 23 hours', '7 days 1 minute']);
  await database.pool.query(
    `insert into workflow_activity select $1, now() - age, 1 from unnest(array['7 days', '9 days']::interval[]) age`,
    [environment],
  );
  await tidyActivity({ pool: database.pool, clock: Date.now }, () => false);
  const { rows } = await database.pool.query(
    `select step, count(*)::int as count from activity where environment_id = $1 group by 1
     union all select 300, count(*)::int from webhook_activity where environment_id = $1
     union all select 3600, count(*)::int from workflow_activity where workflow_id = $1 order by 1`,
    [environment],
  );
  expect(rows).toEqual([
    { step: 60, count: 1 },
    { step: 300, count: 1 },
    { step: 600, count: 2 },
    { step: 3600, count: 1 },
  ]);
});
