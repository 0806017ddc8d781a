import { type Pool, type Sql, statement } from '../../../db/sql.ts';
import { addToNotesSql, leasesWithoutSql } from '../../../queue/index.ts';
import type { BrakeNote } from './hold.ts';
import { type ActiveRule, hashSubject, windows } from './rules.ts';

/** An amount to count for a subject: what a rule limits on its own, such as one recipient. */
export interface Demand {
  environmentId: string;
  rule: ActiveRule;
  subject: string;
  amount: number;
  /** When the window ends; counting is by the clock of the database. */
  at: number;
}

/** The count of a subject within its window. */
export interface WindowTotal {
  total: number;
  slot_at: Date;
  /** The oldest slot within the window that has an amount. */
  first_at: Date;
}

/** What is counted for a demand. */
interface DemandTotal {
  demand: Demand;
  window: WindowTotal;
}

/** The leases of notifications that a worker asks about. */
interface Leases {
  workerId: string;
  ids: string[];
}

/** Marks a notification as counted, on its lease: after its worker died, the next one does not count it again. */
const mark: BrakeNote = { braked: true };
/** Leases are marked once a tenth of a limit is used. Below that, counting a notification twice holds nothing back. */
const nearShare = 10;

interface TotalRow extends WindowTotal {
  /** Of the demand, from 1. */
  position: number;
}

/** Counts that many sends share are locked last, and for a short time. Everyone locks in the same order: no deadlocks. */
const isShared = ({ scope }: ActiveRule): boolean => scope !== 'recipient';

/** The demands, each with its rule: a batch has many demands and few rules. The parameters $1 to $8 are those of `parametersOf`. */
const wantedSql = (slots: string): string => `wanted as (
     select position, subject, amount, ($4::uuid[])[rule] as environment_id, ($5::bigint[])[rule] as most,
       ($6::int[])[rule] as window_seconds, ($8::boolean[])[rule] as is_shared, ${slots} as slot_at
     from unnest($1::int[], $2::uuid[], $3::bigint[]) with ordinality as given (rule, subject, amount, position))`;

/** The slot of a time; the length of slots is in seconds. */
const slotSql = (at: string, length: string): string =>
  `date_bin(make_interval(secs => ${length}), ${at}, 'epoch')`;

/** A rule object belongs to one environment (state.ts). */
function parametersOf(demands: Demand[]): unknown[] {
  const rules = [...new Map(demands.map(({ rule, environmentId }) => [rule, environmentId])).entries()];
  const positions = new Map(rules.map(([rule], index) => [rule, index + 1]));
  return [
    plainArray(demands.map(({ rule }) => positions.get(rule))),
    plainArray(demands.map(({ subject }) => hashSubject(subject))),
    plainArray(demands.map(({ amount }) => amount)),
    rules.map(([, environmentId]) => environmentId),
    rules.map(([{ limit }]) => limit),
    rules.map(([{ window }]) => windows[window].seconds),
    rules.map(([{ window }]) => windows[window].slotSeconds),
    rules.map(([rule]) => isShared(rule)),
  ];
}

/** An array of PostgreSQL, for values that need no quotes: `pg` looks at each character of each of them. */
const plainArray = (values: readonly unknown[]): string => `{${values.join(',')}}`;

const take = statement<TotalRow>(
  'brake_take',
  // The clock of the database decides the slot: the clocks of the processes may differ. A count never moves back to an earlier slot. The
  // ids of the leases are read only when they are marked.
  `with ${wantedSql(`(select array_agg(${slotSql('now()', 'length')}) from unnest($7::int[]) length)[rule]`)}, taken as (
     insert into brake_counts as c (subject, environment_id, slot_at, amount, most, window_seconds)
     select subject, environment_id, slot_at, amount, most, window_seconds from wanted
     order by is_shared, subject
     on conflict (subject) do update set
       slot_at = greatest(c.slot_at, excluded.slot_at),
       amount = case when excluded.slot_at > c.slot_at then 0 else c.amount end + excluded.amount,
       most = excluded.most,
       window_seconds = excluded.window_seconds,
       (past, past_slots, past_amounts) = (
         select coalesce(sum(a), 0), array_agg(s), array_agg(a)
         from unnest(
           case when excluded.slot_at > c.slot_at then c.past_slots || c.slot_at else c.past_slots end,
           case when excluded.slot_at > c.slot_at then c.past_amounts || c.amount else c.past_amounts end) as p (s, a)
         where s >= excluded.slot_at - make_interval(secs => excluded.window_seconds) and a > 0)
     returning subject, most, past + amount as total, slot_at, coalesce(past_slots[1], slot_at) as first_at
   ), reached as (
     select bool_or(total > most) as is_over, bool_or(total > most / ${nearShare}) as is_near from taken
   ), marked as (
     ${addToNotesSql(
       'notification',
       `case when (select is_near and not is_over from reached) then $9::text::uuid[] else '{}' end`,
       mark,
       '$10',
     )}
   )
   select wanted.position::int as position, taken.slot_at, total::float8 as total, first_at
   from taken join wanted using (subject) where (select is_over from reached)`,
);

/**
 * Counts the demands, each subject once. When all are within their limits, and one is not far below, it marks the leases, and returns
 * nothing. Otherwise it returns the totals of the windows that end now.
 */
export async function takeCounts(
  sql: Sql,
  demands: Demand[],
  { workerId, ids }: Leases,
): Promise<DemandTotal[]> {
  const rows = await take(sql, [...parametersOf(demands), plainArray(ids), workerId]);
  return totalsOf(demands, rows);
}

const listUnmarked = statement<{ id: string }>(
  'brake_list_uncounted',
  leasesWithoutSql('notification', '$1::uuid[]', 'braked' satisfies keyof BrakeNote, '$2'),
);

/** Those of the leases that the worker still holds and that are not counted. */
export async function listUncounted(sql: Sql, { workerId, ids }: Leases): Promise<ReadonlySet<string>> {
  return new Set((await listUnmarked(sql, [ids, workerId])).map(({ id }) => id));
}

const list = statement<TotalRow>(
  'brake_list_counts',
  `with ${wantedSql(slotSql('to_timestamp(($9::float8[])[position])', '($7::int[])[rule]'))}
   select position::int as position, w.slot_at, coalesce(found.total, 0) as total, coalesce(found.first_at, w.slot_at) as first_at
   from wanted w left join brake_counts c using (subject) cross join lateral (
     select sum(a)::float8 as total, min(s) as first_at
     from unnest(c.past_slots || c.slot_at, c.past_amounts || c.amount) as p (s, a)
     where s >= w.slot_at - make_interval(secs => w.window_seconds) and a > 0) found`,
);

/** Reads the totals of the windows that end `at`, and counts nothing. */
export async function listCounts(sql: Sql, demands: Demand[]): Promise<DemandTotal[]> {
  const rows = await list(sql, [...parametersOf(demands), plainArray(demands.map(({ at }) => at / 1_000))]);
  return totalsOf(demands, rows);
}

function totalsOf(demands: Demand[], rows: TotalRow[]): DemandTotal[] {
  return rows.flatMap(({ position, ...window }) => {
    const demand = demands[position - 1];
    return demand ? [{ demand, window }] : [];
  });
}

/** An amount that was counted and not used. */
export interface Refund extends Pick<WindowTotal, 'slot_at'> {
  demand: Demand;
  amount: number;
}

const give = statement(
  'brake_give_back',
  // An insert locks its rows in the order given; an update has no order. The row exists, unless housekeeping has deleted it. Its slot
  // may have ended since.
  `with marked as (${addToNotesSql('notification', '$5::uuid[]', mark, '$6')})
   insert into brake_counts as c (environment_id, subject, slot_at, amount, most, window_seconds)
   select environment_id, subject, slot_at, amount, 0, 0
   from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::bigint[], $7::boolean[])
     as given (environment_id, subject, slot_at, amount, is_shared)
   order by is_shared, subject
   on conflict (subject) do update set
     amount = c.amount - case when c.slot_at = excluded.slot_at then excluded.amount else 0 end,
     (past, past_amounts) = (
       select coalesce(sum(rest), 0), array_agg(rest) from unnest(c.past_slots, c.past_amounts) as p (s, a)
         cross join lateral (select a - case when s = excluded.slot_at then excluded.amount else 0 end as rest) rests)`,
);

/** Gives back what was counted and is not sent, and marks the leases that are. */
export async function giveBack(sql: Sql, refunds: Refund[], { workerId, ids }: Leases): Promise<void> {
  if (refunds.length === 0 && ids.length === 0) return;
  await give(sql, [
    refunds.map(({ demand }) => demand.environmentId),
    refunds.map(({ demand }) => hashSubject(demand.subject)),
    refunds.map(({ slot_at }) => slot_at),
    refunds.map(({ amount }) => amount),
    ids,
    workerId,
    refunds.map(({ demand }) => isShared(demand.rule)),
  ]);
}

const countPages = statement<{ pages: number }>(
  'brake_count_pages',
  `select (pg_relation_size('brake_counts') / current_setting('block_size')::int)::int as pages`,
);

const deleteSlice = statement(
  'brake_delete_counts',
  `delete from brake_counts where ctid = any (array(
     select ctid from brake_counts
     where ctid >= format('(%s,0)', $1::int)::tid and ctid < format('(%s,0)', $2::int)::tid and slot_at + make_interval(secs => 2 * window_seconds) < now()
     for update skip locked))`,
);

const slicePages = 200;

/**
 * Deletes counts that no window reaches any more. It reads the table from end to end: an index on the time would add a quarter to
 * the cost of a count.
 */
export async function tidyBrakeCounts({ pool }: { pool: Pool }, isStopped: () => boolean): Promise<void> {
  const [table] = await countPages(pool);
  for (let page = 0; page < (table?.pages ?? 0) && !isStopped(); page += slicePages)
    await deleteSlice(pool, [page, page + slicePages]);
}
