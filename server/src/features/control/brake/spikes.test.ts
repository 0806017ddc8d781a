import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../../../test/harness/app.ts';
import { detectSpikes } from './index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

/** Counts for the last whole minute, and for each ten minutes of this hour a week back. */
async function seed(lastMinute: number, usualPerMinute: number): Promise<void> {
  const add = (step: number, at: string, accepted: number) =>
    app.pool.query(
      `insert into activity (environment_id, step, at, channel, accepted, sent, delivered, failed, suppressed, bounced,
         complained, retried) select $1, $2, ${at}, 'email', $3, 0, 0, 0, 0, 0, 0, 0
       from generate_series(1, 7) day, generate_series(0, 5) part on conflict do nothing`,
      [app.testEnvironmentId, step, accepted],
    );
  await app.pool.query('delete from activity');
  await app.pool.query('delete from brake_engagements');
  await add(60, `date_trunc('minute', now()) - interval '1 minute'`, lastMinute);
  await add(
    600,
    `date_trunc('hour', now()) - day * interval '1 day' + part * interval '10 minutes'`,
    usualPerMinute * 10,
  );
}

const engaged = async (): Promise<{ detail: string }[]> =>
  (await app.request('GET', '/v1/brake')).body.engaged;
const putRule = (rule: object) =>
  app.request('PUT', '/v1/brake/rules/spike', { body: { name: 'Spike', scope: 'spike', limit: 3, ...rule } });

test('the last minute is compared with the same hour of the last seven days', async () => {
  await seed(1_000, 100);
  await detectSpikes(app.deps);
  expect(await engaged()).toEqual([]); // Test has no such rule until one is saved
  expect(await putRule({})).toMatchObject({ status: 201, body: { action: 'notify' } });
  await seed(299, 100);
  await detectSpikes(app.deps);
  expect(await engaged()).toEqual([]);
  await seed(1_000, 100);
  await detectSpikes(app.deps);
  expect(await engaged()).toMatchObject([
    { rule: 'spike', detail: '1000 notifications in a minute; about 100 are usual at this hour.' },
  ]);
});

test('a spike holds only when the rule says so, and a release sends what it held', async () => {
  const send = async (): Promise<string> => {
    const body = {
      channel: 'email',
      recipient: { address: 'delivered@sandbox.test' },
      subject: 'Hi',
      text_body: 'Hi',
    };
    return (await app.request('POST', '/v1/notifications', { body })).body.id;
  };
  await app.waitFor(await send(), ({ status }) => status === 'delivered');
  await putRule({ action: 'hold' });
  const id = await send();
  await waitUntil(async () => {
    const { body } = await app.request('GET', `/v1/notifications/${id}/trace`);
    return body.summary.includes('(rule spike)') ? true : new Error(body.summary);
  });
  await app.request('POST', '/v1/brake/holds/spike/release', { body: { action: 'release' } });
  await app.waitFor(id, ({ status }) => status === 'delivered');
});
