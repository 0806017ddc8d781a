// Expired notifications removed per second when they belong to 1,000 environments against 10, with commits of 5 ms more.
import { startApp } from '../server/src/app.ts';
import { loadConfig } from '../server/src/config.ts';
import { createPool, type Pool, query } from '../server/src/db/sql.ts';
import { forget } from '../server/src/housekeeping.ts';
import { startDatabase } from './harness/database.ts';
import { createReport } from './harness/report.ts';
import { seedEnvironments } from './harness/seed.ts';

const few = 10;
const many = 1_000;
const rows = 20_000;
const rounds = 3;
const retentionDays = 30;
/** `commit_delay` before each flush, in microseconds: a disk or a synchronous standby that takes its time. */
const slowCommits = { commit_delay: '5000', commit_siblings: '0' };

const report = createReport('retention');
const database = await startDatabase();
const app = await startApp(
  loadConfig({
    ...{ HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', CARILLON_ROLES: 'api' },
    ...{ DATABASE_URL: database.url, CARILLON_DATA_DIR: database.dataDir },
    CARILLON_RETENTION_DAYS: String(retentionDays),
  }),
);
const slow = createPool(database.url, 2, slowCommits);
try {
  const environments = await seedEnvironments(database.pool, many);
  const rates = { few: [] as number[], many: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    rates.few.push(await measure(environments.slice(0, few)));
    rates.many.push(await measure(environments));
  }
  const fewRate = report.rounds(`of ${few} environments`, rates.few, 'rows/s');
  const manyRate = report.rounds(`of ${many} environments`, rates.many, 'rows/s');
  report.close(manyRate / fewRate, { op: '>=', figure: 0.5 });
} finally {
  await slow.end();
  await app.stop();
  await database.stop();
}

async function measure(environments: string[]): Promise<number> {
  await seedExpired(database.pool, environments);
  const began = performance.now();
  await forget({ ...app.deps, pool: slow }, () => false);
  const seconds = (performance.now() - began) / 1000;
  const [left] = await query<{ count: number }>(
    database.pool,
    `select ((select count(*) from notifications) + (select count(*) from notification_contents)
       + (select count(*) from sandbox_messages) + (select count(*) from inbox_items))::int as count`,
  );
  if (left?.count !== 0) throw new Error(`${left?.count} rows were not removed`);
  return rows / seconds;
}

/** Emails with their sandbox messages, and every tenth an inbox item of one of 1,000 users; environments alternate. */
async function seedExpired(pool: Pool, environments: string[]): Promise<void> {
  await query(
    pool,
    `with input as materialized (
       select uuidv7(-make_interval(days => $3::int, mins => 1) + make_interval(secs => n / 1000.0)) as id, n,
         ($1::uuid[])[1 + n % cardinality($1::uuid[])] as environment_id,
         case when n / cardinality($1::uuid[]) % 10 = 0 then 'in_app' else 'email' end as channel
       from generate_series(0, $2::int - 1) n
     ), contents as (
       insert into notification_contents (notification_id, subject, html_body)
       select id, 'Your order has been shipped', '<p>It is on its way.</p>' from input
     ), messages as (
       insert into sandbox_messages (environment_id, id, notification_id, channel, provider, recipient, payload, payload_bytes)
       select environment_id, id, id, channel, 'sandbox', 'delivered@sandbox.test', '{}', 2 from input where channel = 'email'
     ), items as (
       insert into inbox_items (id, environment_id, external_user_id, position, data, bytes)
       select id, environment_id, 'user ' || n % 1000, id, '{}', 2 from input where channel = 'in_app'
       returning environment_id, external_user_id
     ), inboxes as (
       insert into inboxes as inbox (environment_id, external_user_id, unread)
       select environment_id, external_user_id, count(*) from items group by 1, 2
       on conflict (environment_id, external_user_id) do update set unread = inbox.unread + excluded.unread
     )
     insert into notifications (id, environment_id, channel, status, priority, address, events)
     select id, environment_id, channel, 'delivered', 'normal', 'delivered@sandbox.test', '[]' from input`,
    [environments, rows, retentionDays],
  );
  await query(pool, 'vacuum analyze');
}
