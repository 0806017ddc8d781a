import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/harness/app.ts';
import { query, transaction } from '../db/sql.ts';
import { updateByReceipts } from '../features/delivery/receipts/store.ts';
import { newId } from '../kernel/ids.ts';
import { findOperatorCommand } from './index.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
});
afterAll(() => app.stop());

async function compact(): Promise<string[]> {
  const lines: string[] = [];
  const command = findOperatorCommand(['--compact']);
  expect(await command?.run(app.deps.config, (line) => lines.push(line), command.args)).toBe(0);
  return lines;
}

/** Notifications as releases before the compact form stored them. */
async function plant(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  await query(
    app.pool,
    `with given as (select id, '2026-11-01T10:00:00.000Z' as at from unnest($1::uuid[]) as id),
     contents as (insert into notification_contents (notification_id) select id from given)
     insert into notifications (id, environment_id, channel, status, priority, address, attempt_count, events, trace)
     select id, $2, 'email', 'sent', 'normal', 'ada@example.com', 1,
       jsonb_build_array(
         jsonb_build_object('type', 'Queued', 'occurred_at', at, 'detail', null, 'suppression_reason', null),
         jsonb_build_object('type', 'Sent', 'occurred_at', at, 'detail', 'smtp: 250 OK', 'suppression_reason', null)),
       jsonb_build_array(
         jsonb_build_object('at', at, 'kind', 'passed', 'gates', '["still_wanted"]'::jsonb),
         jsonb_build_object('at', at, 'kind', 'attempt', 'name', 'smtp', 'provider_kind', 'smtp', 'verdict', 'accepted',
           'detail', '250 OK', 'code', '250', 'provider_message_id', id, 'latency_ms', 12))
     from given`,
    [ids, app.testEnvironmentId],
  );
  return ids;
}

const show = async (id: string) => ({
  notification: (await app.request('GET', `/v1/notifications/${id}`)).body,
  trace: (await app.request('GET', `/v1/notifications/${id}/trace`)).body,
});

test('notifications of earlier releases are rewritten, and read as before', async () => {
  const ids = await plant(2_100);
  const [first = '', busy = '', reported = ''] = ids;
  const delivered = {
    type: 'Delivered',
    occurred_at: '2026-11-01T10:00:05.000Z',
    detail: null,
    suppression_reason: null,
  };
  await updateByReceipts(app.pool, [
    { id: reported, status: 'delivered', events: [delivered], last_error: null },
  ]);
  const before = await Promise.all([first, busy, reported].map(show));
  expect(before[0]?.trace.entries).toMatchObject([
    { name: 'still_wanted' },
    { name: 'smtp', latency_ms: 12 },
  ]);
  expect(before[2]?.notification.events.map(({ type }: { type: string }) => type)).toEqual([
    'Queued',
    'Sent',
    'Delivered',
  ]);

  await transaction(app.pool, async (tx) => {
    await query(tx, 'select from notifications where id = $1 for update', [busy]); // it is being sent
    expect((await compact()).at(-1)).toBe('2100 notifications read, 2099 rewritten in the compact form');
  });
  expect(await Promise.all([first, busy, reported].map(show))).toEqual(before);
  expect((await compact()).at(-1)).toBe('2100 notifications read, 1 rewritten in the compact form');
  expect((await compact()).at(-1)).toBe('2100 notifications read, 0 rewritten in the compact form');
  expect(await Promise.all([first, busy, reported].map(show))).toEqual(before);
  const [sizes] = await query<{ rows: number }>(
    app.pool,
    `select count(*)::int as rows from notifications where events = '[]' and trace = '[]' and length(history) < 160`,
  );
  expect(sizes?.rows).toBe(2_100);
});

test('a command that ends in the middle leaves each notification in one form or the other, and the next one goes on', async () => {
  const ids = await plant(2_500);
  const shown = [ids[0] ?? '', ids[1_500] ?? '', ids[2_499] ?? ''];
  const before = await Promise.all(shown.map(show));
  await app.pool.query(
    `create function crash() returns trigger language plpgsql as $$ begin raise exception 'crashed'; end $$;
     create trigger crash before update on notifications for each row when (new.id = '${ids[1_500]}') execute function crash()`,
  );
  await expect(compact()).rejects.toThrow('crashed');
  const [{ left = 0 } = {}] = await query<{ left: number }>(
    app.pool,
    `select count(*)::int as left from notifications where events <> '[]'`,
  );
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(2_500);
  expect(await Promise.all(shown.map(show))).toEqual(before);

  await app.pool.query('drop function crash cascade');
  expect((await compact()).at(-1)).toMatch(new RegExp(` ${left} rewritten in the compact form$`));
  expect(await Promise.all(shown.map(show))).toEqual(before);
});

test('what a process of an earlier release appends is shown beside what was there', async () => {
  const { body } = await app.request('POST', '/v1/notifications', {
    body: { channel: 'email', recipient: { address: 'ada@example.com' }, subject: 'Hi', text_body: 'Hi' },
  });
  const at = new Date().toISOString();
  await query(
    app.pool,
    `update notifications n set status = 'sent', events = n.events || $2::jsonb, trace = n.trace || $3::jsonb where n.id = $1`,
    [
      body.id,
      JSON.stringify([{ type: 'Sent', occurred_at: at, detail: 'smtp: OK', suppression_reason: null }]),
      JSON.stringify([{ at, kind: 'gate', name: 'brake', verdict: 'hold', detail: 'Held.' }]),
    ],
  );
  const { notification, trace } = await show(body.id);
  expect(notification.events.map(({ type }: { type: string }) => type)).toEqual(['Queued', 'Sent']);
  expect(trace.entries).toMatchObject([{ name: 'brake', verdict: 'hold' }]);
});
