import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ScannedPage } from '../../src/db/filtered-page.ts';
import { createPool, type Pool, query, type Sql } from '../../src/db/sql.ts';
import { allErasers } from '../../src/erasers.ts';
import { cancelSlice } from '../../src/features/campaigns/broadcasts/slices.ts';
import type { BroadcastRow } from '../../src/features/campaigns/broadcasts/store.ts';
import { deleteActivityBefore, deleteCallsBefore } from '../../src/features/insight/activity/store.ts';
import type { NotificationQuery } from '../../src/features/notifications/notifications/schema.ts';
import { listNotifications } from '../../src/features/notifications/notifications/store.ts';
import type { Person, Slice } from '../../src/features/people/users/erasure.ts';
import { listEntries } from '../../src/features/platform/audit/store.ts';
import { listDeliveries } from '../../src/features/webhooks/deliveries-store.ts';
import type { DeliveryQuery } from '../../src/features/webhooks/schema.ts';
import { type PageRequest, pageOf, pageRequest } from '../../src/kernel/page.ts';
import { countWaitingFor, releaseWaiting } from '../../src/queue/later-store.ts';
import { countReady } from '../../src/queue/store.ts';
import { lanes, workKinds } from '../../src/queue/work.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { rowsRead } from '../harness/rows-read.ts';

/** Long histories: what is read for a page, or a slice, must be no part of them. */
let app: TestApp;
let durable: Pool;
let organizationId: string;

beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } }); // nothing is to be sent
  durable = createPool(app.database.url, 1, { synchronous_commit: 'on' });
  organizationId = (await app.request('GET', '/v1/me')).body.organization_id;
});
afterAll(async () => {
  await durable.end();
  await app.stop();
});

/** The n-th id of a table. */
const idOf = (n: number): string => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
const idSql = `('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`;

/** Leaves the tables as autovacuum would. It can do nothing for rows whose commit is not on the disk yet. */
async function fill(statement: string, values: unknown[], ...tables: string[]): Promise<void> {
  await query(durable, statement, values);
  for (const table of tables) await query(durable, `vacuum analyze ${table}`);
}

/** All pages of a list: the ids, and the most rows that were read for one of them. */
async function walk<Row extends { id: string }>(
  listPage: (page: PageRequest) => Promise<{ result: ScannedPage<Row>; rows: number }>,
) {
  const ids: string[] = [];
  let mostRows = 0;
  let pages = 0;
  let cursor: string | undefined;
  do {
    const { result, rows } = await listPage(pageRequest('list', cursor ? { cursor } : {}));
    const page = pageOf('list', result.rows, 20, result.scannedTo);
    ids.push(...page.data.map(({ id }) => id));
    mostRows = Math.max(mostRows, rows);
    pages += 1;
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  return { ids, mostRows, pages };
}

describe('of 40,000 notifications', () => {
  const count = 40_000;

  beforeAll(async () => {
    await fill(
      `with written as (
         insert into notifications (id, environment_id, channel, status, priority, address, external_user_id, events)
         select ${idSql}, case when n <= 30 then $2::uuid else $1::uuid end,
           case when n % 5 in (1, 2) or n = 100 then 'sms' else 'email' end,
           case when n % 5 in (3, 4) or n = 100 then 'failed' when n > 30000 then 'queued' else 'delivered' end,
           'normal', 'Ada' || n % 4 || '@example.com', case when n % 2 = 0 then 'ada' end, '[]'
         from generate_series(1, ${count}) n
         returning id, status
       ), said as (insert into notification_contents (notification_id) select id from written),
       waiting as (
         insert into queue_ready (id, kind, lane, tag, environment_id)
         select id, 1, 1, 1, $1 from written where status = 'queued' and id <> $3
       )
       insert into queue_leased (id, kind, lane, environment_id, worker_id)
       select id, 1, 1, $1, $1 from written where id = $3`,
      [app.testEnvironmentId, app.liveEnvironmentId, idOf(39_996)],
      ...[
        'notifications',
        'notification_contents',
        'notification_rare_statuses',
        'queue_ready',
        'queue_leased',
      ],
    );
  });
  afterAll(() => query(durable, 'truncate queue_ready'));

  const page = (
    filter: NotificationQuery,
    before: PageRequest['before'] = null,
    environmentId = app.testEnvironmentId,
  ) => rowsRead(app.pool, (sql) => listNotifications(sql, environmentId, filter, { before, limit: 20 }));

  test.each<[string, NotificationQuery, string | null]>([
    ['the first page', {}, null],
    ['a page far back', {}, idOf(200)],
    ['a page of a time long ago', { created_before: '1970-01-01T00:00:00.001Z' }, null],
    ['a page by status, far back', { status: 'failed' }, idOf(200)],
    ['what is being sent, among all that is queued', { status: 'sending' }, null],
  ])('%s reads the rows that it shows', async (_, filter, before) => {
    const { result, rows } = await page(filter, before);
    expect(result.scannedTo).toBeNull();
    expect(rows).toBeLessThan(10 * 21);
  });

  test('a single one of a status that most others do not have is found in the end, a bounded part for each page', async () => {
    await query(durable, `update notifications set status = 'sent' where id = $1`, [idOf(40)]);
    const { ids, mostRows } = await walk(({ before }) => page({ status: 'sent' }, before));
    expect(ids).toEqual([idOf(40)]);
    expect(mostRows).toBeLessThan(30_000);
    await query(durable, `update notifications set status = 'delivered' where id = $1`, [idOf(40)]);
  });

  test('one that is scheduled is found behind all that were sent since, unless very many wait', async () => {
    const id = idOf(41);
    await query(durable, `update notifications set status = 'queued' where id = $1`, [id]);
    await query(
      durable,
      `with waiting as (delete from queue_ready)
       insert into queue_later (id, kind, lane, environment_id, run_at) values ($1, 1, 1, $2, now())`,
      [id, app.testEnvironmentId],
    );
    const found = await page({ status: 'queued' });
    expect(found.result).toMatchObject({ rows: [{ id }], scannedTo: null });
    expect(found.rows).toBeLessThan(50);
    await query(
      durable,
      `insert into queue_ready (id, kind, lane, tag, environment_id)
       select ${idSql}, 1, 2, n, $1 from generate_series(50001, 60001) n`,
      [app.liveEnvironmentId],
    );
    const scanned = await page({ status: 'queued' });
    expect(scanned.result.rows).toHaveLength(21); // those of the seed, by their rows alone
    expect(scanned.rows).toBeLessThan(50_000);
    await query(durable, `update notifications set status = 'delivered' where id = $1`, [id]);
    await query(
      durable,
      `with later as (delete from queue_later), others as (delete from queue_ready)
       insert into queue_ready (id, kind, lane, tag, environment_id)
       select id, 1, 1, 1, environment_id from notifications where status = 'queued' and id <> $1`,
      [idOf(39_996)],
    );
  });

  test('what waits for a reason is found behind all that were sent since, and a bounded part is read when very many wait', async () => {
    const id = idOf(42);
    const later = 'insert into queue_later (id, kind, lane, environment_id, run_at, waits_for)';
    await query(durable, `update notifications set status = 'queued' where id = $1`, [id]);
    await query(durable, `${later} values ($1, 1, 1, $2, now(), 'hold:freeze:all')`, [
      id,
      app.testEnvironmentId,
    ]);
    const held = { result: { rows: [{ id }], scannedTo: null } };
    const found = await page({ status_detail: 'held' });
    expect(found).toMatchObject(held);
    expect(found.rows).toBeLessThan(50);
    // What waits for another reason is no part of it.
    await query(
      durable,
      `${later} select ${idSql}, 1, 1, $1, now(), null from generate_series(30003, 40003) n`,
      [app.testEnvironmentId],
    );
    await query(durable, 'analyze queue_later');
    const among = await page({ status_detail: 'held' });
    expect(among).toMatchObject(held);
    expect(among.rows).toBeLessThan(50);
    const none = await page({ status_detail: 'retrying' });
    expect(none.result.rows).toEqual([]);
    expect(none.rows).toBeLessThan(50_000);
    await query(durable, `update notifications set status = 'delivered' where id = $1`, [id]);
    await query(durable, 'delete from queue_later');
  });

  test('an environment that has long been silent is found behind all the others', async () => {
    const { result, rows } = await page({}, null, app.liveEnvironmentId);
    expect(result.rows).toHaveLength(21);
    expect(rows).toBeLessThan(10 * 21);
  });

  test('two filters that have next to nothing in common read a bounded part for each page, and find it in the end', async () => {
    const { ids, mostRows, pages } = await walk(({ before }) =>
      page({ status: 'failed', channel: 'sms' }, before),
    );
    expect(ids).toEqual([idOf(100)]);
    expect(pages).toBeGreaterThan(3);
    expect(mostRows).toBeLessThan(30_000);
  });

  test('the rarer of two filters leads, whichever it is', async () => {
    for (const filter of [
      { status: 'failed', recipient: 'nobody@example.com' },
      { external_user_id: 'nobody', channel: 'sms' },
    ] as const) {
      const { result } = await page(filter);
      expect(result).toEqual({ rows: [], scannedTo: null });
    }
  });

  test('several filters give every row that has them all, once', async () => {
    const wanted = await query<{ id: string }>(
      app.pool,
      `select id from notifications where environment_id = $1 and status = 'queued' and channel = 'sms'
         and external_user_id = 'ada' and lower(address) = 'ada2@example.com'
         and not exists (select from queue_leased l where l.id = notifications.id)
       order by id desc`,
      [app.testEnvironmentId],
    );
    const filter: NotificationQuery = {
      status: 'queued',
      channel: 'sms',
      external_user_id: 'ada',
      recipient: 'ADA2@example.com',
    };
    const { ids } = await walk(({ before }) => page(filter, before));
    expect(ids).toEqual(wanted.map(({ id }) => id));
    expect(ids.length).toBeGreaterThan(100);
  });
});

describe('of 40,000 deliveries to an endpoint', () => {
  const endpointId = idOf(1);
  const notificationId = idOf(7);

  beforeAll(async () => {
    await fill(
      `with told as (
         insert into webhook_events (id, environment_id, type, notification_id, body)
         select ${idSql}, $1, 'a.b', case when n < 3 then $3::uuid end, '{}' from generate_series(1, 40000) n
       ), delivered as (
         insert into webhook_deliveries (id, environment_id, endpoint_id, event_id, event_type, status, failed_at)
         select ${idSql}, $1, $2, ${idSql},
           case when n = 60 then 'notification.complained' else 'notification.delivered' end,
           case when n in (50, 40000) then 'pending' when n = 100 then 'permanent_failure' when n % 2 = 0 then 'failed' else 'succeeded' end,
           case when n % 2 = 0 and n not in (50, 40000) then now() end
         from generate_series(1, 40000) n
       )
       insert into queue_leased (id, kind, lane, environment_id, worker_id)
       select ${idSql}, 3, 1, $1, $1 from (values (40000)) as held (n)`,
      [app.testEnvironmentId, endpointId, notificationId],
      ...['webhook_events', 'webhook_deliveries', 'queue_leased'],
    );
  });

  const page = (filter: DeliveryQuery, before: PageRequest['before'] = null) =>
    rowsRead(app.pool, (sql) => listDeliveries(sql, endpointId, filter, { before, limit: 20 }));

  test.each<[string, DeliveryQuery, number]>([
    ['a page', {}, 21],
    ['what is being delivered', { status: 'in_flight' }, 1],
    ['a rare type', { event_type: 'notification.complained' }, 1],
    ['a type that never was', { event_type: 'notification.unheard_of' }, 0],
    ['those of a notification', { notification_id: notificationId }, 2],
    ['those of a notification that failed', { notification_id: notificationId, status: 'failed' }, 1],
  ])('%s: few are read besides', async (_, filter, found) => {
    const { result, rows } = await page(filter);
    expect(result.rows).toHaveLength(found);
    expect(rows).toBeLessThan(300);
  });

  test('a page of those that failed reads a bounded part of their index besides', async () => {
    const { result, rows } = await page({ status: 'failed' });
    expect(result.rows).toHaveLength(21);
    expect(rows).toBeLessThan(6_000);
  });

  test.each([
    ['pending', idOf(50)],
    ['permanent_failure', idOf(100)],
  ] as const)(
    'a single one that is %s is found in the end, a bounded part for each page',
    async (status, id) => {
      const { ids, mostRows } = await walk(({ before }) => page({ status }, before));
      expect(ids).toEqual([id]);
      expect(mostRows).toBeLessThan(20_000);
    },
  );
});

test('of 40,000 deliveries that wait for a paused endpoint, a slice is released and some are counted without reading the rest', async () => {
  const endpointId = idOf(41_000);
  await fill(
    `insert into queue_later (id, kind, lane, environment_id, run_at, waits_for, waits_since)
     select ${idSql}, $2, $3, $1, now() + interval '30 days', 'paused:' || $4, now() - make_interval(secs => n)
     from generate_series(41001, 81000) n`,
    [app.testEnvironmentId, workKinds.webhook_delivery, lanes.bulk, endpointId],
    'queue_later',
  );
  const wait = {
    environmentId: app.testEnvironmentId,
    name: `paused:${endpointId}`,
    kind: workKinds.webhook_delivery,
    before: new Date(),
  };
  const slice = await rowsRead(app.pool, (sql) => releaseWaiting(sql, wait, 500, {}));
  expect(slice.result).toBe(500);
  expect(slice.rows).toBeLessThan(5_000);
  const count = await rowsRead(app.pool, (sql) =>
    countWaitingFor(sql, app.testEnvironmentId, wait.kind, wait.name, 1_000),
  );
  expect(count.result).toMatchObject([{ name: wait.name, count: 1_000 }]);
  expect(count.rows).toBeLessThan(2_010);
  await app.pool.query('truncate queue_later, queue_ready');
});

describe('of 20,000 entries in the audit log', () => {
  beforeAll(async () => {
    await fill(
      `insert into audit_entries (id, organization_id, environment_id, actor_kind, actor_id, action, target)
       select ${idSql}, $1, case when n = 1 then $3::uuid when n > 2 then $2::uuid end, 'key',
         case when n = 3 then $2::uuid else $3::uuid end,
         case when n = 4 then 'thing.lost' else 'thing.changed' end,
         case when n = 5 then 'thing:5' else 'thing:1' end
       from generate_series(1, 20000) n`,
      [organizationId, app.testEnvironmentId, app.liveEnvironmentId],
      'audit_entries',
    );
  });

  const page = (environmentId: string, filter: Parameters<typeof listEntries>[2]) =>
    rowsRead(app.pool, (sql) =>
      listEntries(sql, { organizationId, environmentId }, filter, { before: null, limit: 20 }),
    );

  test.each([
    ['action', (): object => ({ action: 'thing.lost' }), 4],
    ['target', (): object => ({ target: 'thing:5' }), 5],
    ['actor', (): object => ({ actorId: app.testEnvironmentId }), 3],
  ])('the one with this %s is found at once', async (_, filter, n) => {
    const { result, rows } = await page(app.testEnvironmentId, filter());
    expect(result.map(({ id }) => id)).toEqual([idOf(n)]);
    expect(rows).toBeLessThan(10);
  });

  test('those of an environment in which little happens are found behind those of the other', async () => {
    const { result, rows } = await page(app.liveEnvironmentId, { beforeId: idOf(20_000) });
    expect(result.map(({ id }) => id)).toEqual([idOf(2), idOf(1)]); // one of the organization as a whole
    expect(rows).toBeLessThan(10);
  });
});

test('of 20,000 that wait for a time, the cancellation of a broadcast reads those in the range of its ids', async () => {
  await fill(
    `insert into queue_later (id, kind, lane, environment_id, run_at)
     select ${idSql}, $2, $3, $1, now() + interval '1 day' from generate_series(1, 20000) n`,
    [app.testEnvironmentId, workKinds.notification, lanes.bulk],
    'queue_later',
  );
  const range = { first_id: idOf(15_001), last_id: idOf(15_100) };
  const row = { id: idOf(1), environment_id: app.testEnvironmentId, counts: {}, ...range } as BroadcastRow;
  const { rows } = await rowsRead(app.pool, (tx) => cancelSlice(app.deps.queue, tx, row, {}, Date.now()));
  expect(rows).toBeLessThan(300);
  await query(app.pool, 'delete from queue_later');
});

test('with 40,000 waiting in one lane, a look at the queue counts to its cap and reads nothing for the others', async () => {
  await fill(
    `insert into queue_ready (id, kind, lane, tag, environment_id)
     select ${idSql}, 1, 2, n, $1 from generate_series(1, 40000) n`,
    [app.testEnvironmentId],
    'queue_ready',
  );
  const { result, rows } = await rowsRead(app.pool, (sql) =>
    countReady(sql, Object.values(workKinds), Object.values(lanes)),
  );
  expect(result.filter(({ waiting }) => waiting > 0)).toEqual([{ kind: 1, lane: 2, waiting: 10_000 }]);
  expect(rows).toBeLessThan(10_010);
});

describe('of 40,000 that are past their time and as many that are not, a slice of housekeeping reads its own', () => {
  const longAgo = new Date('2020-01-01T00:00:00.000Z');

  test.each<[string, string, (sql: Sql) => Promise<number>]>([
    [
      'activity',
      `select $1, 60, case when n > 40000 then $2 else now() end + n * interval '1 minute', 'email', 0, 0, 0, 0, 0, 0, 0, 0`,
      (sql) => deleteActivityBefore(sql, 60, new Date('2021-01-01T00:00:00.000Z'), 100),
    ],
    [
      'webhook_activity',
      `select $1, $1, case when n > 40000 then $2 else now() end + n * interval '1 minute', 0, 0, '{}'`,
      (sql) => deleteCallsBefore(sql, new Date('2021-01-01T00:00:00.000Z'), 100),
    ],
  ])('%s', async (table, rowsOf, deleteSlice) => {
    const insert = `insert into ${table} ${rowsOf} from generate_series(1, 80000) n`;
    await fill(insert, [app.testEnvironmentId, longAgo], table);
    const { result, rows } = await rowsRead(app.pool, deleteSlice);
    expect(result).toBe(100);
    expect(rows).toBeLessThan(500);
  });
});

describe('erasing a person with a long history', () => {
  test.each(['notifications', 'runs'])('each slice reads its own part of their %s', async (table) => {
    const environmentId = app.liveEnvironmentId;
    const address = `grace-${table}@example.com`;
    const externalUserId = `grace-${table}`;
    if (table === 'notifications')
      await fill(
        `with written as (
           insert into notifications (id, environment_id, channel, status, priority, address, external_user_id, events)
           select ${idSql}, $1, 'email', 'sent', 'normal', $2, case when n % 100 > 0 then $3 end, '[]'
           from generate_series(100001, 110000) n returning id)
         insert into notification_contents (notification_id) select id from written`,
        [environmentId, address, externalUserId],
        'notifications',
      );
    else
      await fill(
        `insert into runs (id, environment_id, workflow_id, version, status, address, external_user_id, trigger_data)
         select ${idSql}, $1, $1, 1, 'completed', $2, case when n % 100 > 0 then $3 end, '{}'
         from generate_series(100001, 110000) n`,
        [environmentId, address, externalUserId],
        'runs',
      );
    const person: Person = {
      environmentId,
      externalUserId,
      addresses: [externalUserId, address],
      aliases: [],
      before: idOf(200_000),
    };
    const erasers = allErasers(app.deps);
    let slices = 0;
    for (const eraser of erasers) {
      let after: string | null = null;
      do {
        const from: string | null = after;
        const { result, rows }: { result: Slice; rows: number } = await rowsRead(app.pool, (tx) =>
          eraser.erase(tx, person, from),
        );
        expect(rows).toBeLessThan(3_000);
        after = result.next;
        slices += 1;
      } while (after !== null);
    }
    expect(slices).toBeGreaterThan(40);
    const left = await query(app.pool, `select from ${table} where address = $1 or external_user_id = $2`, [
      address,
      externalUserId,
    ]);
    expect(left).toHaveLength(0);
  });
});
