import { type Sql, statement } from '../db/sql.ts';
import { steadyClock } from '../kernel/clock.ts';
import { lanes, type Work, workKinds } from './work.ts';

/** The SQL that makes work ready, for statements that move rows to `queue_ready` from somewhere else. */

const laneCount = Object.keys(lanes).length;

/**
 * The smallest tag at which a scan of `queue_ready` begins, by kind and lane: see `LowWater`. Rows below it are dead, and an old
 * snapshot keeps vacuum from removing them.
 */
export type LowTags = number[];

export const noLowTags: LowTags = Array((Math.max(...Object.values(workKinds)) + 1) * laneCount).fill(0);

/** The index of a kind and lane in `LowTags`. */
export function lowTagIndex(kind: number, lane: number): number {
  return kind * laneCount + lane;
}

/** An SQL expression: the low tag of a kind and lane in an array of type `bigint[]`. */
const lowTagSql = (lows: string, kind: string, lane: string): string =>
  `(${lows})[${kind} * ${laneCount} + ${lane} + 1]`;

/**
 * Makes the rows of `source` ready, each with a fairness tag (start-time fair queueing). The next row of an environment gets the tag after
 * its last one, but never a tag before the ones being served; claims go by tag. So environments alternate, and past load gives neither
 * credit nor debt. `floor` is the smallest waiting tag or, when no row waits, the largest tag ever given. Rows that come with a reserved
 * tag keep it (`createFairnessTags`). `lows` is the parameter with the low tags.
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
function tagSteps(lows: string): string {
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

/** Fairness tags belong to an environment in a lane of a kind of work. */
interface TagOwner {
  kind: number;
  lane: number;
  environment_id: string;
}

/** Takes a number of tags for each owner, ahead of the rows that will use them. Returns the first tag of each. */
const reserveTags = statement<TagOwner & { first: number; burst: number }>(
  'queue_reserve_tags',
  `with queue_arriving as (
     select * from json_to_recordset($1::json) as (kind smallint, lane smallint, environment_id uuid, burst int)
   ), ${tagSteps('$2')}
   select kind, lane, environment_id, (before + 1)::float8 as first, burst
   from queue_taken_turns join queue_arriving using (kind, lane, environment_id)`,
);

/** Reserved tags are dropped after this time: by then the tags of other environments may have passed them. */
const lifetimeMs = 200;
/** An environment that enqueues this often within a lifetime gets reserved tags. */
const minEnqueues = 4;
const maxOwners = 10_000;

/** The part of a work item on which its tag depends. */
export type TaggedWork = Pick<Work, 'kind' | 'lane' | 'environmentId'>;

interface FairnessTags {
  /**
   * Returns a reserved tag for each work item, or null where none is reserved; the statement that enqueues takes those tags itself. The
   * items of an environment in a lane get all of their tags, or none.
   */
  take(work: readonly TaggedWork[]): (number | null)[];
}

interface Use {
  enqueues: number;
  tags: number;
}

interface ReservedTags {
  owner: TagOwner;
  /** The use in the current period, which lasts a lifetime, and in the one before. */
  periodBegan: number;
  use: Use;
  lastUse: Use;
  blocks: { next: number; end: number; expiresAt: number }[];
}

/**
 * Reserves fairness tags in blocks, for environments that enqueue often. A statement that takes its own tags locks the row of the
 * environment in `queue_turns` until its commit is flushed, so of all processes together only one commits at a time. A reservation
 * commits without a flush. A crash of the database may lose it, and then two rows get the same tag, which does no harm.
 */
export function createFairnessTags(sql: Sql, lows: () => LowTags, now = steadyClock): FairnessTags {
  const reservedOf = new Map<string, ReservedTags>();
  const wanted = new Set<ReservedTags>();
  let isReserving = false;

  function find(key: string, { kind, lane, environmentId }: TaggedWork): ReservedTags {
    let found = reservedOf.get(key);
    if (!found) {
      if (reservedOf.size === maxOwners) reservedOf.clear(); // unused tags are lost, which does no harm
      const owner = { kind: workKinds[kind], lane: lanes[lane], environment_id: environmentId };
      found = { owner, periodBegan: now(), use: noUse, lastUse: noUse, blocks: [] };
      reservedOf.set(key, found);
    }
    return found;
  }

  function takeFrom(reserved: ReservedTags, count: number): number[] {
    countUse(reserved, count, now());
    reserved.blocks = reserved.blocks.filter(({ next, end, expiresAt }) => next < end && now() < expiresAt);
    let available = reserved.blocks.reduce((sum, { next, end }) => sum + end - next, 0);
    const tags: number[] = [];
    if (available >= count) {
      for (const block of reserved.blocks)
        while (tags.length < count && block.next < block.end) {
          tags.push(block.next);
          block.next += 1;
        }
      available -= count;
    }
    if (isBusy(reserved) && available < tagsPerPeriod(reserved) / 2) {
      wanted.add(reserved);
      if (!isReserving) void reserve();
    }
    return tags;
  }

  async function reserve(): Promise<void> {
    isReserving = true;
    while (wanted.size > 0) {
      const batch = [...wanted];
      wanted.clear();
      const requests = batch.map((reserved) => ({ ...reserved.owner, burst: tagsPerPeriod(reserved) }));
      try {
        const given = await reserveTags(sql, [JSON.stringify(requests), lows()]);
        const expiresAt = now() + lifetimeMs;
        for (const { first, burst, ...owner } of given)
          batch
            .find((reserved) => isSame(reserved.owner, owner))
            ?.blocks.push({ next: first, end: first + burst, expiresAt });
      } catch {
        // The statements that enqueue take their own tags, or report what is wrong with the database.
      }
    }
    isReserving = false;
  }

  return {
    take(work) {
      const keyed = work.map((item) => ({ item, key: `${item.kind} ${item.lane} ${item.environmentId}` }));
      const counts = new Map<string, number>();
      for (const { key } of keyed) counts.set(key, (counts.get(key) ?? 0) + 1);
      const tagsOf = new Map<string, number[]>();
      return keyed.map(({ item, key }) => {
        const tags = tagsOf.get(key) ?? takeFrom(find(key, item), counts.get(key) ?? 0);
        tagsOf.set(key, tags);
        return tags.shift() ?? null;
      });
    },
  };
}

const noUse: Use = { enqueues: 0, tags: 0 };

function countUse(reserved: ReservedTags, tags: number, now: number): void {
  const elapsed = now - reserved.periodBegan;
  if (elapsed >= lifetimeMs) {
    reserved.lastUse = elapsed < 2 * lifetimeMs ? reserved.use : noUse;
    reserved.use = noUse;
    reserved.periodBegan = now;
  }
  reserved.use = { enqueues: reserved.use.enqueues + 1, tags: reserved.use.tags + tags };
}

const isBusy = ({ use, lastUse }: ReservedTags): boolean =>
  Math.max(use.enqueues, lastUse.enqueues) >= minEnqueues;

const tagsPerPeriod = ({ use, lastUse }: ReservedTags): number => Math.max(use.tags, lastUse.tags);

const isSame = (a: TagOwner, b: TagOwner): boolean =>
  a.kind === b.kind && a.lane === b.lane && a.environment_id === b.environment_id;

/** The smallest tag that waits in a lane of a kind. */
interface FirstTag {
  kind: number;
  lane: number;
  tag: number;
}

const findFirstTags = statement<FirstTag>(
  'queue_find_ready',
  // `order by` makes PostgreSQL use the index; without it, it may read all rows to find none of this kind.
  `select kind, lane, tag::float8 from unnest($1::smallint[]) as kind, unnest($2::smallint[]) as lane cross join lateral (
     select r.tag from queue_ready r
     where r.kind = kind.kind and r.lane = lane.lane and r.tag >= ${lowTagSql('$3::bigint[]', 'kind.kind', 'lane.lane')}
     order by r.tag limit 1) first`,
);

/** The kinds of work, of those given, that have ready rows, with the first tag of each lane. */
export function listFirstTags(sql: Sql, kinds: number[], lows: LowTags = noLowTags): Promise<FirstTag[]> {
  return findFirstTags(sql, [kinds, Object.values(lanes), lows]);
}

/**
 * A tag counts as low water this long after it was the first one waiting. Rows that commit later with a smaller tag were inserted by
 * slow transactions, or have reserved tags (which live shorter); the full scan finds those that are later still.
 */
const settleMs = 500;
/** The full scan of dead rows may take a twentieth of the time; it is due at every scan when it is cheap. */
const fullScanShare = 0.05;

/**
 * The tags below which no work waits, as far as this process knows. Claimed rows stay in the index of `queue_ready` as long as a snapshot
 * is open that may see them (pg_dump, a replica with feedback, a forgotten session), and every scan from the beginning would read them
 * all: the drain rate fell to a quarter within three minutes. Scans begin at the low-water mark instead.
 */
export interface LowWater {
  tags(): LowTags;
  /** Takes note of the first tags that a scan has found. */
  observe(first: readonly FirstTag[]): void;
  /** Finds the first waiting tag of every kind and lane, with a full scan when one is due. Returns the kinds with ready work. */
  scan(sql: Sql): Promise<number[]>;
  /** Scans when the last scan is old, without waiting for it: for processes that enqueue and do not claim. */
  rescan(sql: Sql): void;
}

export function createLowWater(now = steadyClock): LowWater {
  const lows = [...noLowTags];
  /** Tags that become the low-water mark when they have settled. */
  const settling = new Map<number, { tag: number; since: number }>();
  let scannedAt = Number.NEGATIVE_INFINITY;
  let fullScanAt = Number.NEGATIVE_INFINITY;
  let scans = 0; // under way

  function observe(first: readonly FirstTag[]): void {
    for (const { kind, lane, tag } of first) {
      const index = lowTagIndex(kind, lane);
      const candidate = settling.get(index);
      if (candidate && now() - candidate.since < settleMs) {
        candidate.tag = Math.min(candidate.tag, tag);
        continue;
      }
      if (candidate) lows[index] = Math.max(lows[index] ?? 0, candidate.tag);
      settling.set(index, { tag, since: now() });
    }
  }

  /** Work waits below the mark: its transaction was slow, or a claim of it was rolled back. */
  function lower({ kind, lane, tag }: FirstTag): void {
    const index = lowTagIndex(kind, lane);
    if (tag >= (lows[index] ?? 0)) return;
    lows[index] = tag;
    settling.delete(index);
  }

  async function scan(sql: Sql): Promise<number[]> {
    const startedAt = now();
    scannedAt = startedAt;
    const isFull = startedAt >= fullScanAt;
    if (isFull) fullScanAt = Number.POSITIVE_INFINITY; // one at a time
    scans += 1;
    const first = await listFirstTags(sql, Object.values(workKinds), isFull ? noLowTags : lows).finally(
      () => {
        scans -= 1;
        // Also after a scan that took longer than its deadline: the next scans begin at the marks.
        if (isFull) fullScanAt = now() + (now() - startedAt) / fullScanShare;
      },
    );
    for (const found of first) lower(found);
    observe(first);
    return [...new Set(first.map(({ kind }) => kind))];
  }

  return {
    tags: () => lows,
    observe,
    scan,
    rescan(sql) {
      if (scans === 0 && now() - scannedAt >= settleMs) scan(sql).catch(() => {}); // the caller's own statement reports a failure
    },
  };
}
