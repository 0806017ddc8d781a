import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool, query } from '../../src/db/sql.ts';
import { startWorkflows, type Workflows } from '../../src/features/workflows/runs/test-harness.ts';
import { forget, startHousekeeping } from '../../src/housekeeping.ts';
import { waitUntil } from '../harness/app.ts';
import { startWebhookSink, type WebhookSink } from '../simulators/webhook-sink.ts';

let app: Workflows;
let sink: WebhookSink;
beforeAll(async () => {
  app = await startWorkflows();
  sink = await startWebhookSink();
});
afterAll(async () => {
  await sink.stop();
  await app.stop();
});

const dayMs = 86_400_000;

/** As it would be so many days from now. */
const forgetIn = (days: number, CARILLON_RETENTION_DAYS: number | null = 30) =>
  forget(
    {
      ...app.deps,
      config: { ...app.deps.config, CARILLON_RETENTION_DAYS },
      clock: () => Date.now() + days * dayMs,
    },
    () => false,
  );

async function send(more: object = {}): Promise<string> {
  const mail = { channel: 'email', recipient: { address: 'delivered@sandbox.test' } };
  const answer = await app.request('POST', '/v1/notifications', {
    body: { ...mail, subject: 'Hello', html_body: '<p>Hello</p>', ...more },
  });
  expect(answer.status).toBe(202);
  return answer.body.id;
}

test('what ended longer ago than it is kept goes with all that belongs to it, and nothing else does', async () => {
  const endpoint = await app.request('POST', '/v1/webhook-endpoints', {
    body: { url: sink.url(), event_filters: ['notification.delivered'] },
  });
  expect(endpoint.status).toBe(201);
  const told = (id: string) =>
    waitUntil(async () => {
      const { body } = await app.request('GET', `/v1/notifications/${id}/trace`);
      const [delivery] = body.webhook_deliveries;
      return delivery?.attempt_count > 0 ? delivery : new Error(JSON.stringify(body));
    });
  const mail = await send();
  const succeeded = await told(mail);
  sink.reply = () => 500;
  const owed = await send();
  const pending = await told(owed);
  expect([succeeded.status, pending.status]).toEqual(['succeeded', 'pending']);

  const inTwentyDays = new Date(Date.now() + 20 * dayMs);
  const scheduled = await send({ send_at: inTwentyDays.toISOString() });
  const sentThen = await send();
  const item = await send({ channel: 'in_app', recipient: { external_user_id: 'ada' } });
  for (const id of [sentThen, item]) await app.waitFor(id, ({ status }) => status === 'delivered');
  await app.pool.query('update notifications set send_at = $2 where id = $1', [sentThen, inTwentyDays]);

  await app.define('quick', [{ id: 'nap', kind: 'delay', duration: '1s' }]);
  await app.define('slow', [{ id: 'wait', kind: 'wait_for_event', event: 'go', timeout: '90d' }]);
  const ended = await app.trigger('quick');
  const waiting = await app.trigger('slow');
  await app.reaches(ended, 'completed');
  await app.reaches(waiting, 'waiting');

  const notification = (id: string) => `/v1/notifications/${id}`;
  const run = (id: string) => `/v1/workflows/runs/${id}`;
  const all = [...[mail, owed, scheduled, sentThen, item].map(notification), run(ended), run(waiting)];
  const left = async () => {
    const statuses = await Promise.all(all.map(async (path) => (await app.request('GET', path)).status));
    return all.filter((_, index) => statuses[index] === 200);
  };
  await forgetIn(29);
  await forgetIn(400, null);
  expect(await left()).toEqual(all);

  await forgetIn(31);
  expect(await left()).toEqual([notification(scheduled), notification(sentThen), run(waiting)]);
  for (const [table, column, id, count] of [
    ['notification_contents', 'notification_id', mail, 0],
    ['sandbox_messages', 'notification_id', mail, 0],
    ['inbox_items', 'id', item, 0],
    ['run_steps', 'run_id', ended, 0],
    ['webhook_events', 'id', succeeded.event_id, 0],
    ['webhook_deliveries', 'id', succeeded.id, 0],
    ['webhook_attempts', 'delivery_id', succeeded.id, 0],
    ['webhook_events', 'id', pending.event_id, 1],
    ['webhook_deliveries', 'id', pending.id, 1],
  ] as const) {
    const { rows } = await app.pool.query(`select from ${table} where ${column} = $1`, [id]);
    expect([table, rows.length]).toEqual([table, count]);
  }
  expect((await app.pool.query('select unread::int from inboxes')).rows).toEqual([{ unread: 0 }]);

  await forgetIn(51);
  expect(await left()).toEqual([notification(scheduled), run(waiting)]);
}, 60_000);

test('more than fits one slice goes as well, of every environment', async () => {
  const id = await send();
  await app.waitFor(id, ({ status }) => status === 'delivered');
  await app.pool.query(
    `insert into notifications (id, environment_id, channel, status, priority, events)
     select ('00000000-0001-7000-8000-' || lpad(n::text, 12, '0'))::uuid, e.id, 'email',
       case when n % 3 = 0 then 'queued' else 'failed' end, 'normal', '[]'
     from environments e, generate_series(case e.kind when 'test' then 1 else 2000 end,
       case e.kind when 'test' then 1500 else 2299 end) n`,
  );
  await forgetIn(0);
  const { rows } = await app.pool.query(
    `select status, count(*)::int from notifications where id < '00000001-0000-0000-0000-000000000000' group by 1`,
  );
  expect(rows).toEqual([{ status: 'queued', count: 600 }]);
  expect((await app.request('GET', `/v1/notifications/${id}`)).status).toBe(200);
});

test('a slice is one transaction, whether its rows belong to one environment and inbox or to many', async () => {
  await app.pool.query(
    `with environment as (
       insert into environments (id, organization_id, kind, name)
       select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, (select id from organizations limit 1), 'test', n
       from generate_series(1, 100) n returning id, name
     ), item as (
       insert into inbox_items (id, environment_id, external_user_id, position, data, bytes)
       select ('00000000-0002-7000-8000-' || lpad((n * 1000 + name::int)::text, 12, '0'))::uuid, id,
         case when name::int < 3 then 'ada' else 'user ' || n end, gen_random_uuid(), '{}', 0
       from environment, generate_series(1, case name when '1' then 101 else 3 end) n
       returning id, environment_id, external_user_id
     ), inbox as (
       insert into inboxes (environment_id, external_user_id, unread, last_seq)
       select environment_id, external_user_id, count(*), 7 from item group by 1, 2
     )
     insert into notifications (id, environment_id, channel, status, priority, events)
     select id, environment_id, 'in_app', 'delivered', 'normal', '[]' from item`,
  );
  const pool = createPool(app.database.url, 1);
  let transactions = 0;
  pool.on('acquire', () => {
    transactions += 1;
  });
  const config = { ...app.deps.config, CARILLON_RETENTION_DAYS: 30 };
  await forget({ ...app.deps, pool, config }, () => false);
  await pool.end();
  expect(transactions).toBeLessThan(10); // two slices of notifications, and the other chores

  const { rows } = await app.pool.query(
    `select b.external_user_id as user, b.unread::int, b.last_seq::int, array_agg(e.type order by seq) as types,
       array_agg(e.seq::int order by seq) as seqs, count(e.item_id)::int as items
     from inboxes b join environments v on v.id = b.environment_id join inbox_events e using (environment_id, external_user_id)
     where v.name in ('1', '2', '3') group by v.name, 1, 2, 3 order by v.name, 1`,
  );
  const one = { unread: 0, last_seq: 8, types: ['deleted'], seqs: [8], items: 1 };
  expect(rows).toEqual([
    { user: 'ada', unread: 0, last_seq: 8, types: ['reset'], seqs: [8], items: 0 },
    {
      user: 'ada',
      unread: 0,
      last_seq: 10,
      types: ['deleted', 'deleted', 'deleted'],
      seqs: [8, 9, 10],
      items: 3,
    },
    ...['user 1', 'user 2', 'user 3'].map((user) => ({ user, ...one })),
  ]);
  const left = await app.pool.query(
    `select from inbox_items where id < '00000001-0000-0000-0000-000000000000'`,
  );
  expect(left.rows).toHaveLength(0);
});

test('a spike is noted while a chore takes long', async () => {
  const rule = { name: 'Spike', scope: 'spike', limit: 2 };
  expect((await app.request('PUT', '/v1/brake/rules/spike', { body: rule })).status).toBe(201);
  const chore = await app.pool.connect();
  await query(chore, 'begin');
  await query(chore, 'lock table idempotency_claims');
  const housekeeping = startHousekeeping(app.deps, 20);
  try {
    await waitUntil(async () => {
      const waiting = await query(
        app.pool,
        `select from pg_locks where not granted and relation = 'idempotency_claims'::regclass
           and database = (select oid from pg_database where datname = current_database())`,
      );
      return waiting.length > 0 || new Error('no chore waits');
    });
    await query(
      app.pool,
      `insert into activity (environment_id, step, at, channel, accepted, sent, delivered, failed, suppressed, bounced, complained,
         retried)
       select $1, 60, date_trunc('minute', now()) + ago * interval '1 minute', 'sms', 1000, 0, 0, 0, 0, 0, 0, 0
       from generate_series(-1, 0) ago`,
      [app.testEnvironmentId],
    );
    await waitUntil(async () => {
      const { body } = await app.request('GET', '/v1/brake');
      return body.engaged.length > 0 || new Error('not noted');
    });
  } finally {
    await query(chore, 'rollback');
    chore.release();
    await housekeeping.stop();
  }
});
