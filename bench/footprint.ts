// Bytes on disk, WAL and write transactions per notification: what docs/guides/growing.md computes with.
import { query } from '../server/src/db/sql.ts';
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

interface Sizes {
  rows: number;
  indexes: number;
  toast: number;
}

const none: Sizes = { rows: 0, indexes: 0, toast: 0 };

const report = createReport('footprint');
const database = await startDatabase();
const { pool } = database;
const nextRequest = postRequests('/v1/notifications', testKey, message);
const api = await startService('worker.ts', database, { CARILLON_ROLES: 'api' });
try {
  await query(pool, 'vacuum'); // its maps of free space are made before the count
  const empty = await sizes();
  for (const { connections, notifications } of phases) {
    const accepted = await cost(notifications, async () => {
      await runLoad({ url: api.url, connections, nextRequest, expectedStatus: 202, requests: notifications });
    });
    report.line(`accept, ${String(connections).padStart(2)} at once   ${accepted}`);
  }
  const worker = await startService('worker.ts', database, { CARILLON_ROLES: 'worker' });
  report.line(`send                 ${await cost(total, delivered)}`);
  await worker.stop();

  await query(pool, 'vacuum');
  const grown = await sizes();
  await query(pool, 'vacuum full');
  const compact = await sizes();
  report.line('\nbytes per notification           rows  indexes  TOAST  together, when compact');
  const stored = { grown: 0, compact: 0 };
  for (const [table, size] of grown) {
    const [before, packed] = [empty.get(table) ?? none, compact.get(table) ?? none];
    const bytes = (sum(size) - sum(before)) / total;
    // Work is gone when it is done: its tables keep their pages for the next.
    if (bytes < least || table.startsWith('queue_')) continue;
    const packedBytes = (sum(packed) - sum(before)) / total;
    stored.grown += bytes;
    stored.compact += packedBytes;
    const parts = [size.rows - before.rows, size.indexes - before.indexes, size.toast - before.toast];
    const columns = [...parts.map((part) => part / total), packedBytes];
    report.line(`${table.padEnd(30)} ${columns.map((column) => column.toFixed(0).padStart(6)).join('  ')}`);
  }
  const sent = Buffer.byteLength(JSON.stringify(message));
  report.line(
    `stored per notification of ${sent} bytes: ${stored.grown.toFixed(0)} bytes as the tables grew, ${stored.compact.toFixed(0)} when compact`,
  );
  report.close(stored.grown / sent, { op: '<=', figure: 6 });
} finally {
  await api.stop();
  await database.stop();
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
async function cost(notifications: number, work: () => Promise<void>): Promise<string> {
  await query(pool, 'checkpoint'); // full pages are written after a checkpoint: every phase begins with them
  const before = await position();
  await work();
  const after = await position();
  const wal = (after.wal - before.wal) / notifications;
  const transactions = (after.transactions - before.transactions) / notifications;
  return `${wal.toFixed(0).padStart(6)} bytes of WAL, ${transactions.toFixed(3)} write transactions per notification`;
}

async function position(): Promise<{ wal: number; transactions: number }> {
  const [row] = await query<{ wal: string; transactions: string }>(
    pool,
    `select pg_current_wal_insert_lsn() - '0/0' as wal, pg_snapshot_xmax(pg_current_snapshot()) as transactions`,
  );
  return { wal: Number(row?.wal), transactions: Number(row?.transactions) };
}

async function delivered(): Promise<void> {
  for (const end = Date.now() + drainWithinMs; ; ) {
    const [left] = await query<{ count: number }>(
      pool,
      `select count(*)::int as count from notifications where status <> 'delivered'`,
    );
    if (left?.count === 0) return;
    if (Date.now() > end) throw new Error(`${left?.count} notifications were not delivered`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
