import { type Sql, statement } from '../../db/sql.ts';

/** An amount to count for the subject of a rule. */
export interface Demand {
  environmentId: string;
  rule: string;
  subject: string;
  amount: number;
  /** When the window ends; counting is by the clock of the database. */
  at: number;
  windowSeconds: number;
  slotSeconds: number;
}

/** The count of a subject, with the demand. */
export interface CountRow {
  environment_id: string;
  rule: string;
  subject: string;
  slot_at: Date;
  total: number;
  /** The oldest slot within the window that has an amount. */
  first_at: Date;
}

const take = statement<CountRow>(
  'brake_take',
  // The clock of the database decides the slot: the clocks of the processes may differ.
  `with wanted as (
     select *, to_timestamp(floor(extract(epoch from now()) / slot_seconds) * slot_seconds) as slot_at
     from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::int[], $6::int[])
       as given (environment_id, rule, subject, amount, window_seconds, slot_seconds)
   ), taken as (
     insert into brake_counts as c (environment_id, rule, subject, slot_at, amount, expires_at)
     select environment_id, rule, subject, slot_at, amount, slot_at + make_interval(secs => window_seconds + slot_seconds)
     from wanted
     order by environment_id, rule, subject -- everyone locks in this order: no deadlocks
     on conflict (environment_id, rule, subject, slot_at) do update set amount = c.amount + excluded.amount
     returning environment_id, rule, subject, slot_at, amount
   )
   select t.environment_id, t.rule, t.subject, t.slot_at, (t.amount + coalesce(past.amount, 0))::float8 as total,
     coalesce(past.first_at, t.slot_at) as first_at
   from taken t join wanted w using (environment_id, rule, subject) cross join lateral (
     select sum(b.amount) as amount, min(b.slot_at) filter (where b.amount > 0) as first_at from brake_counts b
     where b.environment_id = t.environment_id and b.rule = t.rule and b.subject = t.subject
       and b.slot_at >= t.slot_at - make_interval(secs => w.window_seconds) and b.slot_at < t.slot_at) past`,
);

/** Counts the demands, each subject once, and returns the counts of the windows that end now. */
export function takeCounts(sql: Sql, demands: Demand[]): Promise<CountRow[]> {
  return take(sql, [
    demands.map(({ environmentId }) => environmentId),
    demands.map(({ rule }) => rule),
    demands.map(({ subject }) => subject),
    demands.map(({ amount }) => amount),
    demands.map(({ windowSeconds }) => windowSeconds),
    demands.map(({ slotSeconds }) => slotSeconds),
  ]);
}

const list = statement<CountRow>(
  'brake_list_counts',
  `select w.environment_id, w.rule, w.subject, w.slot_at, coalesce(past.amount, 0)::float8 as total,
     coalesce(past.first_at, w.slot_at) as first_at
   from (
     select *, to_timestamp(floor(at / slot_seconds) * slot_seconds) as slot_at
     from unnest($1::uuid[], $2::text[], $3::text[], $4::float8[], $5::int[], $6::int[])
       as given (environment_id, rule, subject, at, window_seconds, slot_seconds)
   ) w cross join lateral (
     select sum(b.amount) as amount, min(b.slot_at) filter (where b.amount > 0) as first_at from brake_counts b
     where b.environment_id = w.environment_id and b.rule = w.rule and b.subject = w.subject
       and b.slot_at >= w.slot_at - make_interval(secs => w.window_seconds)) past`,
);

/** Reads the counts of the windows that end `at`, and counts nothing. */
export function listCounts(sql: Sql, demands: Demand[]): Promise<CountRow[]> {
  return list(sql, [
    demands.map(({ environmentId }) => environmentId),
    demands.map(({ rule }) => rule),
    demands.map(({ subject }) => subject),
    demands.map(({ at }) => at / 1_000),
    demands.map(({ windowSeconds }) => windowSeconds),
    demands.map(({ slotSeconds }) => slotSeconds),
  ]);
}

/** An amount that was counted and not used. */
export interface Refund extends Pick<CountRow, 'environment_id' | 'rule' | 'subject' | 'slot_at'> {
  amount: number;
}

const give = statement(
  'brake_give_back',
  // An insert, because its rows are locked in order, and an update has none. The row exists unless housekeeping was faster.
  `insert into brake_counts as c (environment_id, rule, subject, slot_at, amount, expires_at)
   select *, now() from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::bigint[])
     as given (environment_id, rule, subject, slot_at, amount)
   order by 1, 2, 3
   on conflict (environment_id, rule, subject, slot_at) do update set amount = c.amount - excluded.amount`,
);

export async function giveBack(sql: Sql, refunds: Refund[]): Promise<void> {
  if (refunds.length === 0) return;
  await give(sql, [
    refunds.map(({ environment_id }) => environment_id),
    refunds.map(({ rule }) => rule),
    refunds.map(({ subject }) => subject),
    refunds.map(({ slot_at }) => slot_at),
    refunds.map(({ amount }) => amount),
  ]);
}

const deleteSlice = statement<{ rule: string }>(
  'brake_delete_counts',
  `delete from brake_counts where ctid = any (array(
     select ctid from brake_counts where expires_at < now() order by expires_at limit $1 for update skip locked))
   returning rule`,
);

const slice = 5_000;

/** Deletes counts that no window reaches any more. */
export async function tidyBrakeCounts(sql: Sql, isStopped: () => boolean): Promise<void> {
  while (!isStopped() && (await deleteSlice(sql, [slice])).length === slice) {}
}
