import type { Sql } from '../db/sql.ts';
import { steadyClock } from '../kernel/clock.ts';
import type { LowTags } from './ready-sql.ts';
import { insertTags, type TagOwner } from './ready-store.ts';
import { lanes, type Work, workKinds } from './work.ts';

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
        const given = await insertTags(sql, requests, lows());
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
      const keys = work.map(({ kind, lane, environmentId }) => `${kind} ${lane} ${environmentId}`);
      const counts = new Map<string, number>();
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
      const tagsOf = new Map<string, number[]>();
      return work.map((item, index) => {
        const key = keys[index] ?? '';
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
