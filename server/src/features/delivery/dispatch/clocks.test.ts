import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';

const slowMs = 600_000;
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ workerClock: () => Date.now() - slowMs });
});
afterAll(() => app.stop());

async function traceOf(id: string) {
  const { body } = await app.request('GET', `/v1/notifications/${id}/trace`);
  return body.entries.filter(({ kind }: { kind: string }) => kind === 'gate');
}

test('what is due by the clock of the database is sent by a worker whose own is slow', async () => {
  const { body } = await app.request('POST', '/v1/notifications', {
    body: {
      channel: 'email',
      recipient: { address: 'delivered@sandbox.test' },
      subject: 'Hello',
      text_body: 'It rings.',
      send_at: new Date(Date.now() + 3_600_000).toISOString(),
    },
  });
  await app.pool.query(
    `with due as (update notifications set send_at = now() - interval '1 minute' where id = $1)
     update queue_later set run_at = now() - interval '1 minute' where id = $1`,
    [body.id],
  );
  await app.waitFor(body.id, ({ status }) => status === 'delivered');
  expect((await traceOf(body.id)).map(({ verdict }: { verdict: string }) => verdict)).not.toContain('defer');
});
