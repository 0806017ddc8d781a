// The longest pause of sends while every migration is applied to a database with 1,000,000 notifications.
import { listMigrations, migrate } from '../server/src/db/migrate.ts';
import { createPool, type Pool, query } from '../server/src/db/sql.ts';
import { newId } from '../server/src/kernel/ids.ts';
import { seedTables } from '../server/test/harness/seed-every-table.ts';
import { startDatabase } from './harness/database.ts';
import { createReport } from './harness/report.ts';

const notifications = 1_000_000;
const slice = 100_000;
const environments = 100;
/** Of every other table, as soon as it exists. */
const otherRows = 5_000;
const writers = 4;

const report = createReport('migrations');
const database = await startDatabase();
const pool = createPool(database.url, writers + 2);
try {
  const [first, ...later] = listMigrations();
  await migrate(pool, { upTo: first?.name ?? '' });
  await seedNotifications(database.pool);
  report.line(`${notifications} notifications\n`);

  const load = startLoad(pool);
  const pauses: { name: string; ms: number }[] = [];
  for (const { name } of later) {
    load.takeLongestMs();
    const began = performance.now();
    await migrate(pool, { upTo: name });
    const tookMs = performance.now() - began;
    await load.nextAnswers();
    pauses.push({ name, ms: load.takeLongestMs() });
    report.line(
      `${name.padEnd(34)} ${tookMs.toFixed(0).padStart(7)} ms, longest pause ${pauses.at(-1)?.ms.toFixed(0)} ms`,
    );
    await seedTables(pool, otherRows);
  }
  report.line(`\n${await load.stop()} sends meanwhile`);
  report.close(Math.max(...pauses.map(({ ms }) => ms)), { op: '<=', figure: 1_000 });
} finally {
  await pool.end();
  await database.stop();
}

/**
 * Accepts and settles one notification after the other, with the columns that every release has. The longest time between two
 * answers of a writer is the pause that a sender would notice.
 */
function startLoad(sql: Pool) {
  let longestMs = 0;
  let sends = 0;
  let isStopped = false;
  const answers: (() => void)[] = [];
  const write = async (): Promise<void> => {
    let answeredAt = performance.now();
    const answered = (): void => {
      const now = performance.now();
      longestMs = Math.max(longestMs, now - answeredAt);
      answeredAt = now;
    };
    while (!isStopped) {
      const id = newId();
      await query(
        sql,
        `with notification as (
           insert into notifications (id, environment_id, channel, status, priority, address, events)
           values ($1, $1, 'email', 'queued', 'normal', 'ada@example.com', '[]')
         )
         insert into notification_contents (notification_id, subject) values ($1, 'Hello')`,
        [id],
      );
      answered();
      await query(
        sql,
        `update notifications set status = 'failed', events = events || '[{}]'::jsonb where id = $1`,
        [id],
      );
      answered();
      sends += 1;
      for (const resolve of answers.splice(0)) resolve();
    }
  };
  const running = Promise.all(Array.from({ length: writers }, write));
  running.catch(() => {}); // the failure is thrown by `stop`
  return {
    takeLongestMs(): number {
      const taken = longestMs;
      longestMs = 0;
      return taken;
    },
    /** Resolves when sends have been answered after this moment, so that a pause that still lasts is counted. */
    async nextAnswers(): Promise<void> {
      for (let count = 0; count < 2 * writers; count += 1)
        await Promise.race([running, new Promise<void>((resolve) => answers.push(resolve))]);
    },
    async stop(): Promise<number> {
      isStopped = true;
      await running;
      return sends;
    },
  };
}

async function seedNotifications(sql: Pool): Promise<void> {
  for (let done = 0; done < notifications; done += slice)
    await query(
      sql,
      `with input as materialized (
         select uuidv7(make_interval(secs => n - $2::int)) as id, n from generate_series($1::int, $1::int + $3::int - 1) n
       ), contents as (
         insert into notification_contents (notification_id, subject) select id, 'Your order has been shipped' from input
       )
       insert into notifications (id, environment_id, channel, status, priority, address, events)
       select id, ('00000000-0000-7000-8000-' || lpad((n % ${environments})::text, 12, '0'))::uuid, 'email',
         case when n % 50 = 0 then 'failed' else 'delivered' end, 'normal', 'user-' || n || '@example.com', '[]'
       from input`,
      [done, notifications, slice],
    );
  await query(sql, 'vacuum analyze');
}
