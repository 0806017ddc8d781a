import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts';
import { lowestIdAt, newId } from '../kernel/ids.ts';
import { createLog } from '../kernel/log.ts';
import { dropExpiredPartitions, ensurePartitions, listPartitions, tuneVacuum } from './partitions.ts';
import { createPool, query, transaction } from './sql.ts';

const dayMs = 86_400_000;
const lines: string[] = [];
const log = createLog('info', { write: (line) => lines.push(JSON.parse(line).msg) });
const environmentId = newId();

let database: TestDatabase;
let startMs: number;
beforeEach(async () => {
  lines.length = 0;
  database = await createTestDatabase();
  startMs = (await listPartitions(database.pool))[0]?.toMs ?? 0;
});
afterEach(() => database.drop());

const insert = async (atMs: number, status = 'delivered'): Promise<string> => {
  const id = newId(atMs);
  await query(
    database.pool,
    `with content as (insert into notification_contents (notification_id, subject) values ($1, 'Hello'))
     insert into notifications (id, environment_id, channel, status, priority, events)
     values ($1, $2, 'email', $3, 'normal', '[]')`,
    [id, environmentId, status],
  );
  return id;
};
/** The tables in which both rows of a notification are. */
const tablesOf = async (id: string): Promise<string[]> => {
  const rows = await query<{ name: string }>(
    database.pool,
    `select tableoid::regclass::text as name from notifications where id = $1
     union all select tableoid::regclass::text from notification_contents where notification_id = $1`,
    [id],
  );
  return rows.map(({ name }) => name);
};
const names = (suffix: string): string[] => [`notifications${suffix}`, `notification_contents${suffix}`];
const ensure = (nowMs: number, retentionDays: number | null = 30): Promise<void> =>
  ensurePartitions(database.pool, { retentionDays, nowMs, log });

test('partitions are made ahead, a quarter of the retention wide, once, and rows find theirs', async () => {
  await Promise.all([ensure(startMs), ensure(startMs), ensure(startMs)]);
  await ensure(startMs);
  await ensure(startMs + 8 * dayMs, null);
  const partitions = await listPartitions(database.pool);
  expect(
    partitions.map(({ fromMs, toMs }) => [(fromMs - startMs) / dayMs, (toMs - startMs) / dayMs]),
  ).toEqual([
    [-startMs / dayMs, 0],
    [0, 8],
    [8, 8 + 365],
  ]);
  const [, , last] = partitions;
  expect(await tablesOf(await insert(startMs - 1))).toEqual(names('_p0'));
  expect(await tablesOf(await insert(startMs + 8 * dayMs))).toEqual(names(last?.suffix ?? ''));
  expect(await tablesOf(await insert(startMs + 1_000 * dayMs))).toEqual(names('_default'));
});

test('every partition has the indexes and settings of its table', async () => {
  await ensure(startMs);
  const shapes = await query<{ table: string; indexes: string[]; statistics: string[]; storage: string[] }>(
    database.pool,
    `select c.relname as table,
       array(select regexp_replace(pg_get_indexdef(indexrelid), '.* (USING)', '\\1') from pg_index where indrelid = c.oid order by 1) as indexes,
       array(select attname::text from pg_attribute where attrelid = c.oid and attstattarget = 0 order by 1) as statistics,
       array(select unnest(c.reloptions) order by 1) as storage
     from pg_class c where c.relname like any (array['notifications%', 'notification_contents%']) and c.relkind in ('r', 'p')
     order by 1`,
  );
  for (const parent of ['notifications', 'notification_contents']) {
    const [{ table: _, storage: __, ...shape } = { table: '', storage: [] }, ...partitions] = shapes.filter(
      ({ table }) => table === parent || table.startsWith(`${parent}_`),
    );
    expect(partitions).toHaveLength(3);
    for (const { table: ___, storage, ...partition } of partitions) {
      expect(partition).toEqual(shape);
      expect(storage).toEqual(partitions[0]?.storage);
      expect(storage).toContain('autovacuum_vacuum_scale_factor=0.05');
    }
  }
});

test('rows that came before their partition was made stay in the default one, and the log says so', async () => {
  const strayed = await insert(startMs + 5 * dayMs);
  await ensure(startMs + 5 * dayMs);
  expect(await tablesOf(strayed)).toEqual(names('_default'));
  expect((await listPartitions(database.pool)).at(-1)?.fromMs).toBe(startMs + 7 * dayMs);
  expect(lines.filter((line) => line.includes('default partition'))).toHaveLength(1);
});

test('a partition that has expired is dropped, and what must stay is found at every moment', async () => {
  await ensure(startMs);
  const kept = [await insert(startMs - dayMs, 'queued'), await insert(startMs - 1, 'queued')];
  const newer = await insert(startMs);
  const seen = new Set<number>();
  let isDone = false;
  const reader = (async () => {
    while (!isDone) {
      const rows = await query(
        database.pool,
        `select from notifications join notification_contents on notification_id = id where id = any ($1::uuid[])`,
        [[...kept, newer]],
      );
      seen.add(rows.length);
    }
  })();
  await dropExpiredPartitions(database.pool, startMs - 1, log);
  expect(await listPartitions(database.pool)).toHaveLength(2);
  await Promise.all([1, 2].map(() => dropExpiredPartitions(database.pool, startMs, log)));
  isDone = true;
  await reader;
  expect([...seen]).toEqual([3]);
  expect(await listPartitions(database.pool)).toHaveLength(1);
  for (const id of kept) expect(await tablesOf(id)).toEqual(names('_default'));
  expect(await query(database.pool, `select from pg_class where relname like '%\\_p0%'`)).toHaveLength(0);
  // The next partitions are made beside the old rows that the default one keeps.
  await ensure(startMs + 8 * dayMs);
  expect((await listPartitions(database.pool)).at(-1)?.toMs).toBe(startMs + 16 * dayMs);
});

test('a drop that does not get its locks gives up without stopping sends, and is repeated', async () => {
  await ensure(startMs);
  await insert(startMs - 1, 'queued');
  const readers = createPool(database.url, 1);
  await transaction(readers, async (tx) => {
    await query(tx, 'select from notifications limit 1');
    const dropping = dropExpiredPartitions(database.pool, startMs, log);
    for (let sent = 0; sent < 20; sent += 1) await insert(startMs); // none waits for the reader
    await dropping;
    expect(await listPartitions(database.pool)).toHaveLength(2);
  });
  await readers.end();
  await dropExpiredPartitions(database.pool, startMs, log);
  expect(await listPartitions(database.pool)).toHaveLength(1);
}, 60_000);

test('a partition with many rows that have not ended stays', async () => {
  await query(
    database.pool,
    `insert into notifications (id, environment_id, channel, status, priority, events)
     select ('00000000-0001-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $1, 'email', 'queued', 'normal', '[]'
     from generate_series(1, 1001) n`,
    [environmentId],
  );
  await dropExpiredPartitions(database.pool, startMs, log);
  expect(await listPartitions(database.pool)).toHaveLength(1);
});

test('autovacuum leaves a partition alone while retention empties it', async () => {
  await ensure(startMs);
  const vacuumed = async () => (await listPartitions(database.pool)).map(({ isVacuumed }) => isVacuumed);
  const nowMs = startMs + 8 * dayMs;
  await tuneVacuum(database.pool, { beforeMs: startMs - dayMs, nowMs: startMs });
  expect(await vacuumed()).toEqual([true, true]);
  await tuneVacuum(database.pool, { beforeMs: startMs - dayMs, nowMs });
  expect(await vacuumed()).toEqual([false, true]);
  await tuneVacuum(database.pool, { beforeMs: null, nowMs });
  expect(await vacuumed()).toEqual([true, true]);
});

test('the lowest id of a moment is the first that belongs to its partition', async () => {
  await ensure(startMs);
  const [, next] = await listPartitions(database.pool);
  const [row] = await query<{ isFirst: boolean }>(
    database.pool,
    `select pg_get_expr(relpartbound, oid) like '%FROM (''' || $1 || ''')%' as "isFirst" from pg_class where relname = $2`,
    [lowestIdAt(startMs), `notifications${next?.suffix}`],
  );
  expect(row).toEqual({ isFirst: true });
});
