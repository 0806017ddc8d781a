// Feed and unread count in an environment with 1,000,000 items against one with 100: does it cost the same?
import { query } from '../server/src/db/sql.ts';
import { startDatabase } from './harness/database.ts';
import { openConnection, quantile } from './harness/load.ts';
import { createReport } from './harness/report.ts';
import { startService, testKey } from './harness/service.ts';

const few = 100;
const many = Number(process.env.BENCH_ITEMS ?? 1_000_000);
const rounds = 5;
const requests = Number(process.env.BENCH_REQUESTS ?? 400);
const liveKey = 'crl_live_benchbenchbenchbenchbench';

/** Test holds the few, Live the many: a user with a hundred items among ten thousand others, and one who has half of all. */
const users = [
  { name: 'few', key: testKey, id: 'ada' },
  { name: 'many, 100 of them mine', key: liveKey, id: 'ada' },
  { name: 'many, half of them mine', key: liveKey, id: 'collector' },
];
const paths = [
  '/inbox/v1/feed',
  '/inbox/v1/feed?status=unread',
  '/inbox/v1/feed?status=read',
  '/inbox/v1/unread-count',
];

const report = createReport('inbox');
const database = await startDatabase();
const { pool } = database;
const service = await startService('worker.ts', database, {
  CARILLON_ROLES: 'api',
  CARILLON_BOOTSTRAP_LIVE_KEY: liveKey,
});
try {
  await seed();
  const tookMs = new Map<string, number[]>();
  const tokens = await Promise.all(users.map(tokenOf));
  for (let round = 0; round <= rounds; round += 1) {
    for (const path of paths) {
      const medians = await measure(path, tokens);
      if (round === 0) continue; // warm
      for (const [index, { name }] of users.entries()) {
        const key = `${path} ${name}`;
        tookMs.set(key, [...(tookMs.get(key) ?? []), medians[index] ?? 0]);
      }
    }
  }
  let worst = 0;
  for (const path of paths) {
    report.line(path);
    const [base, ...others] = users.map(({ name }) =>
      report.rounds(`  ${name}`, tookMs.get(`${path} ${name}`) ?? [], 'ms'),
    );
    for (const other of others) worst = Math.max(worst, other / (base ?? 1));
  }
  report.close(worst, { op: '<=', figure: 1.5 });
} finally {
  await service.stop();
  await database.stop();
}

/** The middle of the times of each user's requests. They take turns, so that whatever else goes on falls on all alike. */
async function measure(path: string, tokens: string[]): Promise<number[]> {
  const connection = await openConnection(service.url);
  const took: number[][] = tokens.map(() => []);
  for (let n = 0; n < requests; n += 1) {
    for (const [index, token] of tokens.entries()) {
      const began = performance.now();
      const status = await connection.send(
        `GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
      took[index]?.push(performance.now() - began);
      if (status !== 200) throw new Error(`${path} was answered with ${status}`);
    }
  }
  connection.close();
  return took.map((times) => quantile(times, 0.5));
}

async function tokenOf({ key, id }: { key: string; id: string }): Promise<string> {
  const response = await fetch(`${service.url}/v1/inbox/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ external_user_id: id, scope: 'inbox' }),
  });
  return ((await response.json()) as { token: string }).token;
}

async function seed(): Promise<void> {
  await seedItems('test', few, `'ada'`);
  await seedItems('live', few, `'ada'`);
  await seedItems('live', Math.floor(many / 2), `'collector'`);
  await seedItems('live', Math.ceil(many / 2) - few, `'user-' || n % 10000`);
  await query(
    pool,
    `insert into inboxes (environment_id, external_user_id, unread)
     select environment_id, external_user_id, count(*) filter (where read_at is null) from inbox_items group by 1, 2`,
  );
  for (const table of ['inbox_items', 'inboxes']) await query(pool, `vacuum analyze ${table}`);
  await query(pool, 'checkpoint');
}

/** Every second one is read. `user` is SQL over `n`. */
async function seedItems(environment: 'test' | 'live', count: number, user: string): Promise<void> {
  await query(
    pool,
    `insert into inbox_items (id, environment_id, external_user_id, position, subject, html_body, data, bytes, read_at, first_read_at)
     select uuidv7(), (select id from environments where kind = $1), ${user}, uuidv7(), 'Your order has been shipped',
       '<p>It is on its way.</p>', '{}', 26, case when n % 2 = 0 then now() end, case when n % 2 = 0 then now() end
     from generate_series(1, $2::int) n`,
    [environment, count],
  );
}
