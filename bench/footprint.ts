// Bytes on disk, WAL and write transactions per notification: what docs/guides/growing.md computes with.
import { type Pool, query } from '../server/src/db/sql.ts';
import { startSmtpSimulator } from '../server/test/simulators/smtp.ts';
import { startDatabase } from './harness/database.ts';
import { postRequests, runLoad } from './harness/load.ts';
import { message } from './harness/message.ts';
import { createReport } from './harness/report.ts';
import { startService, testKey } from './harness/service.ts';

/** How many callers send at once decides how many requests share a transaction. */
const phases = [
  { connections: 1, notifications: 1_000 },
  { connections: 8, notifications: 3_000 },
  { connections: 64, notifications: 8_000 },
];
const drainWithinMs = 60_000;
/** Tables that do not grow with sends still get their first pages. */
const least = 10;
const total = phases.reduce((count, { notifications }) => count + notifications, 0);

const liveKey = 'crl_live_benchbenchbenchbenchbench';

interface Sizes {
  rows: number;
  indexes: number;
  toast: number;
}

/** Its rows expire, and are counted apart. */
const forADay = 'idempotency_keys';

const none: Sizes = { rows: 0, indexes: 0, toast: 0 };

/** The ways of a notification: the sandbox, which keeps its message, and Live through a mail server. */
const ways = [
  {
    name: 'sandbox',
    key: testKey,
    recipient: () => message.recipient,
    sent: 'delivered',
    kept: 3_000,
    wal: 5_500,
  },
  {
    name: 'Live, SMTP',
    key: liveKey,
    recipient: (number: number) => ({ ...message.recipient, address: `ada.${number}@example.com` }),
    ...{ sent: 'sent', kept: 1_800, wal: 3_600 },
  },
];
type Way = (typeof ways)[number];

const report = createReport('footprint');
const mailServer = await startSmtpSimulator();
let pool: Pool;
const kept: number[] = [];
for (const way of ways) kept.push(await measure(way));
await mailServer.stop();
report.close(kept.at(-1) ?? Number.NaN, { op: '<=', figure: ways.at(-1)?.kept ?? 0 });

/** Returns the bytes that one notification keeps. */
async function measure({ name, key, recipient, sent, kept, wal }: Way): Promise<number> {
  report.line(`\n${name}`);
  const database = await startDatabase();
  pool = database.pool;
  const settings = { CARILLON_BOOTSTRAP_LIVE_KEY: liveKey, CARILLON_ALLOW_PRIVATE_NETWORK: 'loopback' };
  const api = await startService('worker.ts', database, { ...settings, CARILLON_ROLES: 'api' });
  try {
    await configureMail(api.url);
    await query(pool, 'vacuum'); // its maps of free space are made before the count
    const empty = await sizes();
    let number = 0;
    const nextRequest = (): string =>
      postRequests('/v1/notifications', key, { ...message, recipient: recipient(number++) })();
    let walOfAccept = 0;
    for (const { connections, notifications } of phases) {
      const accepted = await cost(notifications, async () => {
        await runLoad({
          url: api.url,
          connections,
          nextRequest,
          expectedStatus: 202,
          requests: notifications,
        });
      });
      walOfAccept = accepted.wal;
      report.line(`accept, ${String(connections).padStart(2)} at once   ${accepted.text}`);
    }
    const worker = await startService('worker.ts', database, { ...settings, CARILLON_ROLES: 'worker' });
    const updates = await settlements();
    const sending = await cost(total, () => settled(sent));
    report.line(`send                 ${sending.text}`);
    await worker.stop();
    const after = await settlements();
    const hot = (after.hot - updates.hot) / (after.updates - updates.updates);
    report.line(`updates of notifications that changed no index (HOT): ${(hot * 100).toFixed(0)} %`);
    report.goal('WAL to accept (64 at once) and send', walOfAccept + sending.wal, { op: '<=', figure: wal });

    await query(pool, 'vacuum');
    const grown = await sizes();
    await query(pool, 'vacuum full');
    const stored = reportSizes(empty, grown, await sizes());
    const bytes = Buffer.byteLength(JSON.stringify(message));
    report.line(
      `stored per notification of ${bytes} bytes: ${stored.grown.toFixed(0)} bytes as the tables grew, ${stored.compact.toFixed(0)} when compact`,
    );
    report.goal(`bytes kept, ${name}`, stored.grown, { op: '<=', figure: kept });
    return stored.grown;
  } finally {
    await api.stop();
    await database.stop();
  }
}

async function configureMail(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json' };
  const { environment_id } = await (await fetch(`${url}/v1/me`, { headers })).json();
  const config = { host: '127.0.0.1', port: mailServer.port, secure: false };
  const response = await fetch(`${url}/v1/environments/${environment_id}/email-settings`, {
    ...{ method: 'PUT', headers },
    body: JSON.stringify({ from_address: 'bells@example.com', providers: [{ kind: 'smtp', config }] }),
  });
  if (!response.ok) throw new Error(await response.text());
}

function reportSizes(
  empty: Map<string, Sizes>,
  grown: Map<string, Sizes>,
  compact: Map<string, Sizes>,
): { grown: number; compact: number } {
  report.line('\nbytes per notification           rows  indexes  TOAST  together, when compact');
  const stored = { grown: 0, compact: 0 };
  for (const [table, size] of grown) {
    const [before, packed] = [empty.get(table) ?? none, compact.get(table) ?? none];
    const bytes = (sum(size) - sum(before)) / total;
    // Work is gone when it is done: its tables keep their pages for the next.
    if (bytes < least || table.startsWith('queue_')) continue;
    const packedBytes = (sum(packed) - sum(before)) / total;
    if (table !== forADay) {
      stored.grown += bytes;
      stored.compact += packedBytes;
    }
    const parts = [size.rows - before.rows, size.indexes - before.indexes, size.toast - before.toast];
    const columns = [...parts.map((part) => part / total), packedBytes];
    report.line(`${table.padEnd(30)} ${columns.map((column) => column.toFixed(0).padStart(6)).join('  ')}`);
  }
  return stored;
}

/** The updates of notifications, and those of them that changed no index. */
async function settlements(): Promise<{ updates: number; hot: number }> {
  await query(pool, 'select pg_stat_force_next_flush()');
  const [row] = await query<{ updates: string; hot: string }>(
    pool,
    `select sum(n_tup_upd) as updates, sum(n_tup_hot_upd) as hot from pg_stat_user_tables where relname ~ '^notifications_(p|default)'`,
  );
  return { updates: Number(row?.updates), hot: Number(row?.hot) };
}

function sum({ rows, indexes, toast }: Sizes): number {
  return rows + indexes + toast;
}

async function sizes(): Promise<Map<string, Sizes>> {
  const rows = await query<{ name: string; rows: string; indexes: string; total: string }>(
    pool,
    `select coalesce(p.inhparent, c.oid)::regclass::text as name, sum(pg_relation_size(c.oid)) as rows,
       sum(pg_indexes_size(c.oid)) as indexes, sum(pg_total_relation_size(c.oid)) as total
     from pg_class c left join pg_inherits p on p.inhrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' group by 1 order by 1`,
  );
  return new Map(
    rows.map((row) => {
      const [own, indexes, all] = [Number(row.rows), Number(row.indexes), Number(row.total)];
      return [row.name, { rows: own, indexes, toast: all - own - indexes }];
    }),
  );
}

/** The WAL and the transactions with a write, which each wait for a flush unless they share it. */
async function cost(
  notifications: number,
  work: () => Promise<void>,
): Promise<{ wal: number; text: string }> {
  await query(pool, 'checkpoint'); // full pages are written after a checkpoint: every phase begins with them
  const before = await position();
  await work();
  const after = await position();
  const wal = (after.wal - before.wal) / notifications;
  const transactions = (after.transactions - before.transactions) / notifications;
  const text = `${wal.toFixed(0).padStart(6)} bytes of WAL, ${transactions.toFixed(3)} write transactions per notification`;
  return { wal, text };
}

async function position(): Promise<{ wal: number; transactions: number }> {
  const [row] = await query<{ wal: string; transactions: string }>(
    pool,
    `select pg_current_wal_insert_lsn() - '0/0' as wal, pg_snapshot_xmax(pg_current_snapshot()) as transactions`,
  );
  return { wal: Number(row?.wal), transactions: Number(row?.transactions) };
}

async function settled(status: string): Promise<void> {
  for (const end = Date.now() + drainWithinMs; ; ) {
    const [left] = await query<{ count: number }>(
      pool,
      'select count(*)::int as count from notifications where status <> $1',
      [status],
    );
    if (left?.count === 0) return;
    if (Date.now() > end) throw new Error(`${left?.count} notifications are not ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
