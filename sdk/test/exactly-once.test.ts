import { createClient, type Notification } from '@carillon/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../server/test/harness/app.ts';
import { type Fate, type Link, seededRandom, startLink } from './link.ts';

let app: TestApp;
let bad: Link;
const random = seededRandom(1815);
const losses: Fate[] = ['hang up', 'cut short', '502', '500'];

beforeAll(async () => {
  app = await startTestApp();
  bad = await startLink(app.url, () =>
    random() < 0.3 ? (losses[Math.floor(random() * losses.length)] ?? '500') : 'hand on',
  );
});

afterAll(async () => {
  await bad.stop();
  await app.stop();
});

const clientOf = (url: string) =>
  createClient({ base_url: url, api_key: app.testKey, max_retries: 30, retry_delay_ms: 1 });

const message = (index: number) => ({
  channel: 'in_app' as const,
  recipient: { external_user_id: `user-${index}` },
  html_body: '<p>x</p>',
});

async function stored(): Promise<string[]> {
  const { rows } = await app.pool.query('select id from notifications');
  return rows.map((row) => row.id);
}

test('three hundred sends through a link that loses three answers in ten arrive three hundred times', async () => {
  const client = clientOf(bad.url);
  const sent: Notification[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      while (next < 300) sent.push(await client.notifications.send(message(next++)));
    }),
  );
  expect(new Set(sent.map(({ id }) => id))).toEqual(new Set(await stored()));
  expect(sent).toHaveLength(300);
  await waitUntil(async () => {
    const { rows } = await app.pool.query(
      "select count(*)::int from notifications where status = 'delivered'",
    );
    return rows[0].count === 300 ? true : new Error(JSON.stringify(rows));
  }, 30_000);
  const { rows } = await app.pool.query(
    'select count(*)::int, count(distinct external_user_id)::int as users from inbox_items',
  );
  expect(rows).toEqual([{ count: 300, users: 300 }]);
  // The link was as bad as it claims to be.
  expect(bad.lost).toBeGreaterThan(75);
  expect(bad.forwarded).toBe(300 + bad.lost);
}, 120_000);

test('so do batches, whose elements each have a key of their own', async () => {
  const before = (await stored()).length;
  const client = clientOf(bad.url);
  for (let batch = 0; batch < 10; batch += 1) {
    const notifications = Array.from({ length: 20 }, (_none, index) => message(index));
    const { data } = await client.notifications.sendBatch({ notifications });
    expect(data.map(({ notification }) => notification?.status)).toHaveLength(20);
  }
  expect((await stored()).length).toBe(before + 200);
}, 60_000);

test('what was deleted by a request whose answer was lost is deleted, not missing', async () => {
  const fates: Fate[] = ['hang up', 'hand on'];
  const link = await startLink(app.url, () => fates.shift() ?? 'hand on');
  const { address } = await clientOf(app.url).suppressions.add({ address: 'gone@example.com' });
  await clientOf(link.url).suppressions.remove(address);
  await expect(clientOf(link.url).suppressions.remove(address)).rejects.toMatchObject({ status: 404 });
  await link.stop();
});

test('what must not happen twice and has no key is not tried again when it may have happened', async () => {
  const link = await startLink(app.url, () => 'hang up');
  await expect(
    clientOf(link.url).templates.create({
      key: 'once',
      name: 'Once',
      subject_template: 'Hi',
      html_body_template: '<p>Hi</p>',
    }),
  ).rejects.toMatchObject({ name: 'ConnectionError', code: 'connection_failed' });
  expect(link.forwarded).toBe(1);
  expect((await clientOf(app.url).templates.get('once')).name).toBe('Once');
  await link.stop();
});
