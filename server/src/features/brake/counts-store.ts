import { type Sql, statement } from '../../db/sql.ts';
import { addToNotesSql, leasesWithoutSql } from '../../queue/index.ts';

/** An amount to count for a subject: what a rule limits on its own, such as one recipient. */
export interface Demand {
  environmentId: string;
  /** The rule and what it counts for, hashed (rules.ts). */
  subject: string;
  amount: number;
  limit: number;
  /** When the window ends; counting is by the clock of the database. */
  at: number;
  windowSeconds: number;
  slotSeconds: number;
}

/** The count of a subject within its window. */
export interface WindowTotal {
  total: number;
  slot_at: Date;
  /** The oldest slot within the window that has an amount. */
  first_at: Date;
}

/** The leases of notifications that a worker asks about. */
interface Leases {
  workerId: string;
  ids: string[];
}

/** The mark of a counted notification, in the note on its lease: a worker that dies before the send takes no count with it. */
const mark = { braked: true };
/** Leases are marked once a tenth of a limit is used. Below, a second count keeps nothing from being sent. */
const nearShare = 10;

interface TotalRow extends WindowTotal {
  /** Of the demand, from 1. */
  position: number;
}

const take = statement<TotalRow>(
  'brake_take',
  // The clock of the database decides the slot: the clocks of the processes may differ.
  `with wanted as (
     select *, to_timestamp(floor(extract(epoch from now()) / slot_seconds) * slot_seconds) as slot_at
     from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::int[], $6::int[]) with ordinality
       as given (environment_id, subject, amount, most, window_seconds, slot_seconds, position)
   ), taken as (
     insert into brake_counts as c (environment_id, subject, slot_at, amount, expires_at)
     select environment_id, subject, slot_at, amount, slot_at + make_interval(secs => window_seconds + slot_seconds)
     from wanted
     order by environment_id, subject -- everyone locks in this order: no deadlocks
     on conflict (environment_id, subject, slot_at) do update set amount = c.amount + excluded.amount
     returning environment_id, subject, slot_at, amount
   ), counted as (
     select w.position::int as position, t.slot_at, t.amount + coalesce(past.amount, 0) as total, past.first_at,
       t.amount + coalesce(past.amount, 0) > w.most as is_over,
       (t.amount + coalesce(past.amount, 0)) * ${nearShare} > w.most as is_near
     from taken t join wanted w using (environment_id, subject) cross join lateral (
       select sum(b.amount) as amount, min(b.slot_at) filter (where b.amount > 0) as first_at from brake_counts b
       where b.environment_id = t.environment_id and b.subject = t.subject
         and b.slot_at >= t.slot_at - make_interval(secs => w.window_seconds) and b.slot_at < t.slot_at) past
   ), marked as (
     ${addToNotesSql(
       'notification',
       `case when exists (select from counted where is_near) and not exists (select from counted where is_over)
         then $7::uuid[] else '{}' end`,
       mark,
       '$8',
     )}
   )
   select position, slot_at, total::float8 as total, coalesce(first_at, slot_at) as first_at from counted
   where exists (select from counted where is_over)`,
);

/**
 * Counts the demands, each subject once. When all are within their limits, and one is not far below, it marks the leases, and returns
 * nothing. Otherwise it returns the totals of the windows that end now, with the demands.
 */
export async function takeCounts(
  sql: Sql,
  demands: Demand[],
  { workerId, ids }: Leases,
): Promise<Map<Demand, WindowTotal>> {
  const rows = await take(sql, [
    demands.map(({ environmentId }) => environmentId),
    demands.map(({ subject }) => subject),
    demands.map(({ amount }) => amount),
    demands.map(({ limit }) => limit),
    demands.map(({ windowSeconds }) => windowSeconds),
    demands.map(({ slotSeconds }) => slotSeconds),
    ids,
    workerId,
  ]);
  return byDemand(demands, rows);
}

const listUnmarked = statement<{ id: string }>(
  'brake_list_uncounted',
  leasesWithoutSql('notification', '$1::uuid[]', 'braked', '$2'),
);

/** Those of the leases that the worker still holds and that are not counted. */
export async function listUncounted(sql: Sql, { workerId, ids }: Leases): Promise<ReadonlySet<string>> {
  return new Set((await listUnmarked(sql, [ids, workerId])).map(({ id }) => id));
}

const list = statement<TotalRow>(
  'brake_list_counts',
  `select w.position::int as position, w.slot_at, coalesce(past.amount, 0)::float8 as total,
     coalesce(past.first_at, w.slot_at) as first_at
   from (
     select *, to_timestamp(floor(at / slot_seconds) * slot_seconds) as slot_at
     from unnest($1::uuid[], $2::uuid[], $3::float8[], $4::int[], $5::int[]) with ordinality
       as given (environment_id, subject, at, window_seconds, slot_seconds, position)
   ) w cross join lateral (
     select sum(b.amount) as amount, min(b.slot_at) filter (where b.amount > 0) as first_at from brake_counts b
     where b.environment_id = w.environment_id and b.subject = w.subject
       and b.slot_at >= w.slot_at - make_interval(secs => w.window_seconds)) past`,
);

/** Reads the totals of the windows that end `at`, and counts nothing. */
export async function listCounts(sql: Sql, demands: Demand[]): Promise<Map<Demand, WindowTotal>> {
  const rows = await list(sql, [
    demands.map(({ environmentId }) => environmentId),
    demands.map(({ subject }) => subject),
    demands.map(({ at }) => at / 1_000),
    demands.map(({ windowSeconds }) => windowSeconds),
    demands.map(({ slotSeconds }) => slotSeconds),
  ]);
  return byDemand(demands, rows);
}

function byDemand(demands: Demand[], rows: TotalRow[]): Map<Demand, WindowTotal> {
  return new Map(
    rows.flatMap(({ position, ...total }) => {
      const demand = demands[position - 1];
      return demand ? [[demand, total]] : [];
    }),
  );
}

/** An amount that was counted and not used. */
export interface Refund
  extends Pick<Demand, 'environmentId' | 'subject' | 'amount'>,
    Pick<WindowTotal, 'slot_at'> {}

const give = statement(
  'brake_give_back',
  // An insert, because its rows are locked in order, and an update has none. The row exists unless housekeeping was faster.
  `with marked as (${addToNotesSql('notification', '$5::uuid[]', mark, '$6')})
   insert into brake_counts as c (environment_id, subject, slot_at, amount, expires_at)
   select *, now() from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::bigint[])
     as given (environment_id, subject, slot_at, amount)
   order by 1, 2
   on conflict (environment_id, subject, slot_at) do update set amount = c.amount - excluded.amount`,
);

/** Gives back what was counted and is not sent, and marks the leases that are. */
export async function giveBack(sql: Sql, refunds: Refund[], { workerId, ids }: Leases): Promise<void> {
  if (refunds.length === 0 && ids.length === 0) return;
  await give(sql, [
    refunds.map(({ environmentId }) => environmentId),
    refunds.map(({ subject }) => subject),
    refunds.map(({ slot_at }) => slot_at),
    refunds.map(({ amount }) => amount),
    ids,
    workerId,
  ]);
}

const deleteSlice = statement<{ slot_at: Date }>(
  'brake_delete_counts',
  `delete from brake_counts where ctid = any (array(
     select ctid from brake_counts where expires_at < now() order by expires_at limit $1 for update skip locked))
   returning slot_at`,
);

const slice = 5_000;

/** Deletes counts that no window reaches any more. */
export async function tidyBrakeCounts(sql: Sql, isStopped: () => boolean): Promise<void> {
  while (!isStopped() && (await deleteSlice(sql, [slice])).length === slice) {}
}
