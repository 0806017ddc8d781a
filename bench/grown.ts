// Accept and drain rates with 5,000,000 finished notifications in the database against an empty one.
import { type Pool, query } from '../server/src/db/sql.ts';
import { startDatabase } from './harness/database.ts';
import { postRequests, runLoad } from './harness/load.ts';
import { message } from './harness/message.ts';
import { createReport } from './harness/report.ts';
import { seedEnvironments } from './harness/seed.ts';
import { type Service, startService, testKey } from './harness/service.ts';
import type { Drained } from './harness/stopwatch.ts';

const finished = 5_000_000;
const environments = 100;
const slice = 250_000;
const days = 60;
const rounds = 5;
const notifications = 10_000;
const warmUp = 2_000;
const connections = 64;

interface Side {
  url: string;
  dataDir: string;
  pool: Pool;
}

// Two databases of one server, so that the rounds of both can alternate.
const report = createReport('grown');
const database = await startDatabase();
const nextRequest = postRequests('/v1/notifications', testKey, message);
const services: Service[] = [];
try {
  const empty = await prepare(await database.beside('empty'));
  const grown = await prepare(await database.beside('grown'));
  const began = Date.now();
  await seedFinished(grown.pool);
  report.line(
    `${finished} finished notifications in one database, after ${Math.round((Date.now() - began) / 1000)} s\n`,
  );

  const rates = { accepted: { empty: [], grown: [] }, drained: { empty: [], grown: [] } } as Record<
    'accepted' | 'drained',
    Record<'empty' | 'grown', number[]>
  >;
  for (const side of [empty, grown]) await round(side); // for the compiler and the caches
  for (let count = 0; count < rounds; count += 1) {
    for (const [name, side] of [['empty', empty] as const, ['grown', grown] as const]) {
      const { accepted, drained } = await round(side);
      rates.accepted[name].push(accepted);
      rates.drained[name].push(drained);
    }
  }
  const ratio = (what: 'accepted' | 'drained'): number => {
    const before = report.rounds(`${what}, empty`, rates[what].empty, 'notifications/s');
    return report.rounds(`${what}, grown`, rates[what].grown, 'notifications/s') / before;
  };
  const accepted = ratio('accepted');
  const drained = ratio('drained');
  report.goal('\naccepted, grown / empty', accepted, { op: '>=', figure: 0.9 });
  report.close(drained, { op: '>=', figure: 0.9 });
} finally {
  await Promise.all(services.map((service) => service.stop()));
  await database.stop();
}

/** An API process that stays; it makes the tables and the first organization. */
async function prepare(side: Side) {
  const api = await startService('worker.ts', side, { CARILLON_ROLES: 'api' });
  services.push(api);
  return { ...side, api };
}

async function round(
  side: Awaited<ReturnType<typeof prepare>>,
): Promise<Record<'accepted' | 'drained', number>> {
  const load = { url: side.api.url, connections, nextRequest, expectedStatus: 202, requests: notifications };
  const { perSecond: accepted } = await runLoad(load);
  const worker = await startService('counted-worker.ts', side, {
    CARILLON_ROLES: 'worker',
    BENCH_WARM_UP: String(warmUp),
    BENCH_COUNT: String(notifications - warmUp),
  });
  const { perSecond: drained } = await worker.said<Drained>();
  await worker.stop();
  return { accepted, drained };
}

/**
 * Delivered emails of the last weeks, to a million addresses. Indexes are built afterwards, and rows are written as full pages:
 * that is the state in which years of sends leave the tables, in minutes.
 */
async function seedFinished(pool: Pool): Promise<void> {
  const ids = await seedEnvironments(pool, environments);
  const indexes = await query<{ name: string; definition: string }>(
    pool,
    `select indexrelid::regclass::text as name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition
     from pg_index where indrelid = 'notifications'::regclass and not indisprimary`,
  );
  for (const { name } of indexes) await query(pool, `drop index ${name}`);
  await query(pool, 'alter table notifications_p0 reset (fillfactor)');
  const events = ['Queued', 'Sent', 'Delivered'].map((type) => ({
    ...{ type, occurred_at: '2026-01-01T00:00:00.000Z', detail: null, suppression_reason: null },
  }));
  const trace = [
    { at: '2026-01-01T00:00:00.000Z', kind: 'gate', name: 'suppression', verdict: 'pass', detail: null },
    {
      at: '2026-01-01T00:00:00.000Z',
      kind: 'attempt',
      provider: 'sandbox',
      outcome: 'accepted',
      detail: null,
    },
  ];
  for (let done = 0; done < finished; done += slice) {
    await query(
      pool,
      `with input as materialized (
         select uuidv7(make_interval(secs => (n::float8 / $3 - 1) * 86400 * $4)) as id, n,
           ($1::uuid[])[1 + n % cardinality($1::uuid[])] as environment_id
         from generate_series($2::int, $2::int + $5::int - 1) n
       ), contents as (
         insert into notification_contents (notification_id, subject, html_body)
         select id, 'Your order has been shipped', '<p>It is on its way.</p>' from input
       )
       insert into notifications (id, environment_id, channel, status, priority, address, external_user_id, attempt_count, round,
         sent_at, events, trace)
       select id, environment_id, 'email', case when n % 50 = 0 then 'failed' else 'delivered' end, 'normal',
         'user-' || n * 7919::bigint % 1000000 || '@example.com', 'user-' || n * 7919::bigint % 1000000, 1, 1, now(), $6, $7
       from input`,
      [ids, done, finished, days, slice, JSON.stringify(events), JSON.stringify(trace)],
    );
  }
  await query(pool, `set maintenance_work_mem = '256MB'`);
  for (const { definition } of indexes) await query(pool, definition);
  await query(pool, 'alter table notifications_p0 set (fillfactor = 25)');
  await query(pool, 'vacuum analyze');
  await query(pool, 'checkpoint');
}
