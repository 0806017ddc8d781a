import type pg from 'pg';
import { idTime, lowestIdAt } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import { isLockTimeout, withLockRetries } from './locks.ts';
import { type Pool, query, type Sql } from './sql.ts';

/**
 * The tables that grow with every send are partitioned by the time in their ids (docs/adr/0023). Partitions are few, because
 * every statement locks all of them: a quarter of the retention each, so that about seven exist.
 *
 * The default partition keeps the old rows that must stay when their partition is dropped (a send for next year), and is the
 * safety net for rows that no partition was made for.
 */
const tables = [
  // A settled row has some 120 bytes more than an accepted one; its updates change no indexed column, so they are HOT if the next
  // version fits the page. With 60 % nearly all are, but what settled rows leave free takes no new ones: a Live send kept 451 bytes of
  // rows and 214 of indexes. With 90 % three of four are, and it keeps 364 and 227, for 1 % more WAL.
  { name: 'notifications', key: 'id', fillfactor: 90 },
  { name: 'notification_contents', key: 'notification_id', fillfactor: 100 },
] as const;

/** Vacuum comes often and reads the newest pages alone, instead of a fifth of a large table at once. */
const vacuumSettings = 'autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05';

const dayMs = 86_400_000;
const partsPerRetention = 4;
/** Without a retention period nothing is ever dropped. */
const unlimitedWidthDays = 365;
/** Rows that stay when their partition is dropped are copied while nothing else can be written. */
const maxStragglers = 1_000;
/** Autovacuum leaves a partition alone that retention empties and then drops; by this age hardly a row is updated any more. */
const settledMs = 7 * dayMs;
/** Then the next round of housekeeping tries again. */
const tries = 5;
const lockKey = 0x0ca7_1111;

interface Partition {
  /** What its tables are called after the name of the partitioned table. */
  suffix: string;
  fromMs: number;
  toMs: number;
  isVacuumed: boolean;
}

/** Returns the partitions except the default one, oldest first. */
export async function listPartitions(sql: Sql): Promise<Partition[]> {
  const rows = await query<{ name: string; bound: string; options: string[] | null }>(
    sql,
    `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound, c.reloptions as options
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'notifications'::regclass and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'`,
  );
  return rows
    .map(({ name, bound, options }) => {
      const [, from = '', to = ''] = /FROM \((.*)\) TO \((.*)\)/.exec(bound) ?? [];
      return {
        suffix: name.slice('notifications'.length),
        fromMs: from === 'MINVALUE' ? 0 : idTime(from.slice(1)),
        toMs: idTime(to.slice(1)),
        isVacuumed: !options?.includes('autovacuum_enabled=false'),
      };
    })
    .sort((a, b) => a.fromMs - b.fromMs);
}

const widthMs = (retentionDays: number | null): number =>
  (retentionDays === null ? unlimitedWidthDays : Math.ceil(retentionDays / partsPerRetention)) * dayMs;

/** Makes partitions ahead: a whole width beyond the current time always has one. */
export async function ensurePartitions(
  pool: Pool,
  { retentionDays, nowMs, log }: { retentionDays: number | null; nowMs: number; log: Log },
): Promise<void> {
  const width = widthMs(retentionDays);
  const lastEnd = async (sql: Sql): Promise<number> => (await listPartitions(sql)).at(-1)?.toMs ?? 0;
  if ((await lastEnd(pool)) >= nowMs + width) return;
  await change(pool, async (client) => {
    let fromMs = await lastEnd(client);
    const strayed = await findStrayed(client, fromMs);
    if (strayed !== null) {
      // These rows stay in the default partition; the next partition begins when surely no more of them arrive.
      fromMs = (Math.floor(Math.max(strayed, nowMs) / dayMs) + 2) * dayMs;
      log.error(
        { until: new Date(fromMs) },
        'notifications are stored in the default partition, because no partition was made for them in time',
      );
    }
    for (; fromMs < nowMs + width; fromMs += width) {
      await createPartition(client, { fromMs, toMs: fromMs + width });
      log.info(
        { from: new Date(fromMs), to: new Date(fromMs + width) },
        'made a partition for notifications',
      );
    }
  });
}

/** The time of the newest row in the default partition that is newer than all partitions, or null. */
async function findStrayed(sql: Sql, afterMs: number): Promise<number | null> {
  const [row] = await query<{ newest: string | null }>(
    sql,
    `select greatest((select id from notifications_default order by id desc limit 1),
       (select notification_id from notification_contents_default order by notification_id desc limit 1)) as newest`,
  );
  const newest = row?.newest ? idTime(row.newest) : 0;
  return newest >= afterMs ? newest : null;
}

const suffixOf = (ms: number): string => `_p${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`;

/** Attaches a table that was made before: unlike `create table … partition of`, that blocks no statement. */
async function createPartition(
  client: pg.PoolClient,
  { fromMs, toMs }: Pick<Partition, 'fromMs' | 'toMs'>,
): Promise<void> {
  for (const { name, fillfactor } of tables) {
    const table = `${name}${suffixOf(fromMs)}`;
    await client.query(
      `create table ${table} (like ${name} including defaults including storage including indexes)
       with (fillfactor = ${fillfactor}, ${vacuumSettings})`,
    );
    await copyColumnStatistics(client, name, table);
    await client.query(
      `alter table ${name} attach partition ${table} for values from ('${lowestIdAt(fromMs)}') to ('${lowestIdAt(toMs)}')`,
    );
  }
}

/** `like` leaves them out. */
async function copyColumnStatistics(client: pg.PoolClient, from: string, to: string): Promise<void> {
  const columns = await query<{ name: string; target: number }>(
    client,
    `select attname as name, attstattarget as target from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attstattarget >= 0`,
    [from],
  );
  const changes = columns.map(({ name, target }) => `alter ${name} set statistics ${target}`);
  if (changes.length > 0) await client.query(`alter table ${to} ${changes.join(', ')}`);
}

/**
 * Drops the partitions whose rows are all older than the retention period, after the expired rows were deleted. The rows that
 * are left move to the default partition in the same transaction, so they are found at every moment and after every crash. Old
 * ids arrive only with a moved organization.
 */
export async function dropExpiredPartitions(pool: Pool, beforeMs: number, log: Log): Promise<void> {
  for (const { suffix, fromMs, toMs } of await listPartitions(pool)) {
    if (toMs > beforeMs) return;
    const rows = await query(
      pool,
      `select id from notifications where id >= $1 and id < $2 order by id limit ${maxStragglers + 1}`,
      [lowestIdAt(fromMs), lowestIdAt(toMs)],
    );
    if (rows.length > maxStragglers) {
      log.info({ until: new Date(toMs) }, 'an old partition keeps many notifications that have not ended');
      continue;
    }
    await change(pool, async (client) => {
      const others = await listPartitions(client);
      if (!others.some((other) => other.suffix === suffix)) return; // another process was first
      const kept = await replaceByStragglers(client, suffix);
      log.info({ until: new Date(toMs), kept }, 'dropped a partition of expired notifications');
    });
  }
}

/** Returns the number of notifications that moved. The lock of `detach` keeps rows from arriving between the copy and the drop. */
async function replaceByStragglers(client: pg.PoolClient, suffix: string): Promise<number | null> {
  for (const { name } of tables) await client.query(`alter table ${name} detach partition ${name}${suffix}`);
  const moved: (number | null)[] = [];
  for (const { name } of tables) {
    const columns = (await columnsOf(client, name)).join(', ');
    const copied = await client.query(
      `insert into ${name} (${columns}) select ${columns} from ${name}${suffix}`,
    );
    moved.push(copied.rowCount);
    await client.query(`drop table ${name}${suffix}`);
  }
  return moved[0] ?? null;
}

async function columnsOf(sql: Sql, table: string): Promise<string[]> {
  const rows = await query<{ name: string }>(
    sql,
    `select quote_ident(attname) as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/**
 * Autovacuum would read the indexes of a partition again and again while retention empties it, for space that the drop returns
 * anyway. A retention period that was lengthened or removed gives such partitions back to it.
 */
export async function tuneVacuum(
  pool: Pool,
  { beforeMs, nowMs }: { beforeMs: number | null; nowMs: number },
): Promise<void> {
  for (const { suffix, fromMs, toMs, isVacuumed } of await listPartitions(pool)) {
    const isEmptied = beforeMs !== null && fromMs < beforeMs && toMs < nowMs - settledMs;
    if (isVacuumed !== isEmptied) continue;
    for (const { name } of tables)
      await query(
        pool,
        `alter table if exists ${name}${suffix} set (autovacuum_enabled = ${!isEmptied}, toast.autovacuum_enabled = ${!isEmptied})`,
      );
  }
}

/**
 * Changes partitions in one transaction. A process that finds another one at it leaves it the work, and one that does not get
 * its locks tries again in the next round.
 */
async function change(pool: Pool, work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await withLockRetries(client, { tries, begin: pool.begin }, async () => {
      const [row] = await query<{ isFree: boolean }>(
        client,
        'select pg_try_advisory_xact_lock($1) as "isFree"',
        [lockKey],
      );
      if (row?.isFree) await work(client);
    });
    client.release();
  } catch (error) {
    client.release(!isLockTimeout(error));
    if (!isLockTimeout(error)) throw error;
  }
}

/** A partition is young for so many seconds after its first rows. */
const youngSeconds = 512;

/**
 * PostgreSQL plans for an empty partition as for a table that stays empty, and keeps these plans until it is analyzed. So a
 * partition is analyzed 1, 2, 4, 8 … seconds after it began to fill, at midnight, instead of when autovacuum comes.
 */
export function watchYoungPartitions({ pool, clock, log }: { pool: Pool; clock: () => number; log: Log }): {
  stop(): void;
} {
  let done = 0;
  const timer = setInterval(() => {
    const now = clock();
    const second = Math.floor((now % dayMs) / 1_000);
    if (second < 1 || second > youngSeconds) done = 0;
    else if (second >= 2 * done) {
      done = 2 ** Math.floor(Math.log2(second));
      analyzeYoung(pool, now - (now % dayMs)).catch((error) =>
        log.warn({ err: error }, 'a new partition was not analyzed'),
      );
    }
  }, 1_000);
  return { stop: () => clearInterval(timer) };
}

async function analyzeYoung(pool: Pool, fromMs: number): Promise<void> {
  if (!(await listPartitions(pool)).some((partition) => partition.fromMs === fromMs)) return;
  for (const { name } of tables) await query(pool, `analyze ${name}${suffixOf(fromMs)}`);
}
