import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/harness/database.ts';
import { query, type Sql, transaction } from '../../../db/sql.ts';
import { newId } from '../../../kernel/ids.ts';
import { settleNotifications } from '../../delivery/dispatch/store.ts';
import { updateByReceipts } from '../../delivery/receipts/store.ts';
import { deleteNotifications, listNotifications } from './store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const environmentId = newId();
const event = (type: string) => ({
  ...{ type, occurred_at: new Date().toISOString(), detail: null, suppression_reason: null },
});

async function insert(status: string): Promise<string> {
  const id = newId();
  await query(
    database.pool,
    `with content as (insert into notification_contents (notification_id) values ($1))
     insert into notifications (id, environment_id, channel, status, priority, address, events)
     values ($1, $2, 'email', $3, 'normal', 'ada@example.com', $4)`,
    [id, environmentId, status, JSON.stringify([event('Queued')])],
  );
  return id;
}

const settle = (sql: Sql, id: string, status: 'sent' | 'failed') =>
  settleNotifications(sql, [
    {
      ...{ id, status, events: [event('Sent')], trace: [], attempts: 1, round: 1 },
      ...{ sent_at: new Date().toISOString(), last_error: null, suppression_reason: null },
    },
  ]);
const report = (sql: Sql, id: string, status: 'delivered' | 'bounced' | 'complained') =>
  updateByReceipts(sql, [{ id, status, events: [event('Reported')], last_error: null }]);

const listed = async (status: 'failed' | 'bounced' | 'complained' | 'suppressed') => {
  const { rows } = await listNotifications(
    database.pool,
    environmentId,
    { status },
    { before: null, limit: 20 },
  );
  return rows.map(({ id }) => id);
};

test('a notification is listed by the status that it has now, and no longer when it is deleted', async () => {
  const [failed, bounced, complained, suppressed] = [
    await insert('queued'),
    await insert('queued'),
    await insert('sent'),
    await insert('suppressed'),
  ];
  await settle(database.pool, failed, 'failed');
  await settle(database.pool, bounced, 'sent');
  expect(await listed('bounced')).toEqual([]);
  await report(database.pool, bounced, 'bounced');
  await report(database.pool, complained, 'delivered');
  await report(database.pool, complained, 'complained');
  expect(await listed('failed')).toEqual([failed]);
  expect(await listed('bounced')).toEqual([bounced]);
  expect(await listed('complained')).toEqual([complained]);
  expect(await listed('suppressed')).toEqual([suppressed]);
  await deleteNotifications(
    database.pool,
    [failed, bounced, complained, suppressed].map((id) => ({ environmentId, id })),
  );
  expect(await query(database.pool, 'select from notification_rare_statuses')).toHaveLength(0);
});

test('settlements and receipts are HOT updates: they write to no index', async () => {
  const id = await insert('queued');
  const updates = await transaction(database.pool, async (tx) => {
    await settle(tx, id, 'sent');
    await report(tx, id, 'delivered');
    return query<{ updated: number; hot: number }>(
      tx,
      `select n_tup_upd::int as updated, n_tup_hot_upd::int as hot
       from pg_stat_xact_user_tables where relname like 'notifications\\_%' and n_tup_upd > 0`,
    );
  });
  const [{ updated, hot } = { updated: 0, hot: 0 }] = updates; // of this connection
  expect(updated).toBeGreaterThanOrEqual(2);
  expect(hot).toBe(updated);
});
