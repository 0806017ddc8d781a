// Bytes on disk, WAL and write transactions per notification: what docs/guides/growing.md computes with.
import { type Pool, query } from '../server/src/db/sql.ts';
import { startSmtpSimulator } from '../server/test/simulators/smtp.ts';
import { startDatabase } from './harness/database.ts';
import { postRequests, runLoad } from './harness/load.ts';
import { message } from './harness/message.ts';
import { createReport } from './harness/report.ts';
import { startService, testKey } from './harness/service.ts';

/** Callers who send one notification each at once, and again when all are sent: their number decides how many share a transaction. */
const phases = [
  { callers: 1, notifications: 500 },
  { callers: 8, notifications: 2_000 },
  { callers: 64, notifications: 8_000 },
];
const waveWithinMs = 30_000;
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
const forADay = 'idempotency_claims';

const none: Sizes = { rows: 0, indexes: 0, toast: 0 };

interface Way {
  name: string;
  key: string;
  recipient(number: number): object;
  /** The status at the end. */
  status: string;
  /** The goals: bytes kept, and bytes of WAL with 64 callers. */
  kept: number;
  wal: number;
}

/** The ways of a notification: the sandbox, which keeps its message, and Live through a mail server. */
const ways: Way[] = [
  {
    name: 'sandbox',
    key: testKey,
    recipient: () => message.recipient,
    status: 'delivered',
    kept: 3_000,
    wal: 5_500,
  },
  {
    name: 'Live, SMTP',
    key: liveKey,
    recipient: (number: number) => ({ ...message.recipient, address: `ada.${number}@example.com` }),
    status: 'sent',
    kept: 1_800,
    wal: 3_600,
  },
];

const report = createReport('footprint');
const mailServer = await startSmtpSimulator();
let pool: Pool;
const kept: number[] = [];
for (const way of ways) kept.push(await measure(way));
await mailServer.stop();
report.close(kept.at(-1) ?? Number.NaN, { op: '<=', figure: ways.at(-1)?.kept ?? 0 });

/** Returns the bytes that one notification keeps. */
async function measure(way: Way): Promise<number> {
  const { name, key, recipient, status, kept } = way;
  report.line(`\n${name}`);
  const database = await startDatabase();
  pool = database.pool;
  const settings = { CARILLON_BOOTSTRAP_LIVE_KEY: liveKey, CARILLON_ALLOW_PRIVATE_NETWORK: 'loopback' };
  const service = await startService('worker.ts', database, { ...settings, CARILLON_ROLES: 'api,worker' });
  const { url } = service;
  try {
    await configureMail(url);
    await query(pool, 'vacuum'); // its maps of free space are made before the count
    const empty = await sizes();
    let number = 0;
    const nextRequest = (): string =>
      postRequests('/v1/notifications', key, { ...message, recipient: recipient(number++) })();
    let wal = Number.NaN;
    const before = await updates();
    for (const { callers, notifications } of phases) {
      const phase = await cost(notifications, async () => {
        for (let sent = 0; sent < notifications; sent += callers) {
          await runLoad({ url, connections: callers, nextRequest, expectedStatus: 202, requests: callers });
          await idle();
        }
      });
      wal = phase.wal;
      report.line(`${String(callers).padStart(2)} at once   ${phase.text}`);
    }
    const after = await updates();
    const hot = (after.hot - before.hot) / (after.all - before.all);
    report.line(`updates of notifications that changed no index (HOT): ${(hot * 100).toFixed(0)} %`);
    report.goal(`WAL to accept and send, ${name}, 64 at once`, wal, { op: '<=', figure: way.wal });
    await expectAll(status);
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
    await service.stop();
    await database.stop();
  }
}

async function configureMail(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json' };
  const me = await fetch(`${url}/v1/me`, { headers });
  const { environment_id } = (await me.json()) as { environment_id: string };
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
async function updates(): Promise<{ all: number; hot: number }> {
  const [row] = await query<{ all: string; hot: string }>(
    pool,
    `select sum(n_tup_upd) as all, sum(n_tup_hot_upd) as hot from pg_stat_user_tables where relname ~ '^notifications_(p|default)'`,
  );
  return { all: Number(row?.all), hot: Number(row?.hot) };
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

/** Waits until no work is left. */
async function idle(): Promise<void> {
  for (const end = Date.now() + waveWithinMs; ; ) {
    const [left] = await query<{ any: boolean }>(
      pool,
      `select exists (select from queue_ready) or exists (select from queue_leased) or exists (select from queue_parked) as any`,
    );
    if (left?.any === false) return;
    if (Date.now() > end) throw new Error('notifications were not sent in time');
  }
}

async function expectAll(status: string): Promise<void> {
  const [others] = await query<{ count: number }>(
    pool,
    'select count(*)::int as count from notifications where status <> $1',
    [status],
  );
  if (others?.count !== 0) throw new Error(`${others?.count} notifications are not ${status}`);
}
