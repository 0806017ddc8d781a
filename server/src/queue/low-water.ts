import type { Sql } from '../db/sql.ts';
import { steadyClock } from '../kernel/clock.ts';
import { type LowTags, lowTagIndex, noLowTags } from './ready-sql.ts';
import { type FirstTag, listFirstTags } from './ready-store.ts';
import { workKinds } from './work.ts';

/**
 * A tag counts as low water this long after it was the first one waiting. Rows that commit later with a smaller tag were inserted by
 * slow transactions, or have reserved tags (`fairness-tags.ts`, which live shorter); the full scan finds those that are later still.
 */
const settleMs = 500;
/** The full scan of dead rows may take a twentieth of the time; it is due at every look when it is cheap. */
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
  /** Looks for the first waiting tag of every kind and lane, with a full scan when one is due. Returns the kinds with ready work. */
  look(sql: Sql): Promise<number[]>;
  /** Looks when the last look is old, without waiting for it: for processes that enqueue and do not claim. */
  lookAgain(sql: Sql): void;
}

export function createLowWater(now = steadyClock): LowWater {
  const lows = [...noLowTags];
  /** Tags that become the low-water mark when they have settled. */
  const settling = new Map<number, { tag: number; since: number }>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let fullScanAt = Number.NEGATIVE_INFINITY;
  let looks = 0; // under way

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

  async function look(sql: Sql): Promise<number[]> {
    const startedAt = now();
    lookedAt = startedAt;
    const isFull = startedAt >= fullScanAt;
    if (isFull) fullScanAt = Number.POSITIVE_INFINITY; // one at a time
    looks += 1;
    const first = await listFirstTags(sql, Object.values(workKinds), isFull ? noLowTags : lows).finally(
      () => {
        looks -= 1;
        // Also after a scan that took longer than its deadline: the next looks begin at the marks.
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
    look,
    lookAgain(sql) {
      if (looks === 0 && now() - lookedAt >= settleMs) look(sql).catch(() => {}); // the caller's own statement reports a failure
    },
  };
}
