import { lanes, workKinds } from './work.ts';

/** The SQL that makes work ready, for statements that move rows to `queue_ready` from somewhere else. */

const laneCount = Object.keys(lanes).length;

/**
 * The smallest tag at which a scan of `queue_ready` begins, by kind and lane: see `low-water.ts`. Rows below it are dead, and an old
 * snapshot keeps vacuum from removing them.
 */
export type LowTags = number[];

export const noLowTags: LowTags = Array((Math.max(...Object.values(workKinds)) + 1) * laneCount).fill(0);

/** The index of a kind and lane in `LowTags`. */
export function lowTagIndex(kind: number, lane: number): number {
  return kind * laneCount + lane;
}

/** An SQL expression: the low tag of a kind and lane in an array of type `bigint[]`. */
export const lowTagSql = (lows: string, kind: string, lane: string): string =>
  `(${lows})[${kind} * ${laneCount} + ${lane} + 1]`;

/**
 * Makes the rows of `source` ready, each with a fairness tag (start-time fair queueing). The next row of an environment gets the tag after
 * its last one, but never a tag before the ones being served; claims go by tag. So environments alternate, and past load gives neither
 * credit nor debt. `floor` is the smallest waiting tag or, when no row waits, the largest tag ever given. Rows that come with a reserved
 * tag keep it (`fairness-tags.ts`). `lows` is the parameter with the low tags.
 */
export function makeReady(source: string, lows: string): string {
  return `with ${readySteps(source, lows)} ${insertReadyRows}`;
}

/** The steps of `makeReady` as named queries, for statements that do more. */
export function readySteps(source: string, lows: string): string {
  return `
    queue_source as (${source}),
    queue_arriving as (
      select kind, lane, environment_id, count(*)::int as burst from queue_source where tag is null group by 1, 2, 3
    ),
    ${tagSteps(lows)}`;
}

/** Gives tags to the environments of `queue_arriving`. */
export function tagSteps(lows: string): string {
  return `queue_floors as (
      select kind, lane, coalesce(
        (select r.tag - 1 from queue_ready r
         where r.kind = l.kind and r.lane = l.lane and r.tag >= ${lowTagSql(`${lows}::bigint[]`, 'l.kind', 'l.lane')}
         order by r.tag limit 1),
        (select t.last_tag from queue_turns t where t.kind = l.kind and t.lane = l.lane order by t.last_tag desc limit 1),
        0) as tag
      from (select distinct kind, lane from queue_arriving) l
    ),
    queue_taken_turns as (
      insert into queue_turns as turn (kind, lane, environment_id, last_tag, burst)
      select a.kind, a.lane, a.environment_id, f.tag + a.burst, a.burst
      from queue_arriving a join queue_floors f using (kind, lane)
      -- Everyone locks in this order: no deadlocks. Deliveries come last, as in transactions, which end with what they announce.
      order by a.kind = ${workKinds.webhook_delivery}, 1, 2, 3
      on conflict (kind, lane, environment_id) do update
        set last_tag = greatest(turn.last_tag, excluded.last_tag - excluded.burst) + excluded.burst, burst = excluded.burst
      returning kind, lane, environment_id, last_tag - burst as before
    )`;
}

export const insertReadyRows = `
    insert into queue_ready (id, kind, lane, tag, environment_id, note)
    select s.id, s.kind, s.lane, coalesce(s.tag,
      t.before + row_number() over (partition by s.kind, s.lane, s.environment_id, s.tag is null order by s.id)),
      s.environment_id, s.note
    from queue_source s left join queue_taken_turns t using (kind, lane, environment_id)`;

export const movedColumns = 'kind, id, lane, environment_id, note, null::bigint as tag';
