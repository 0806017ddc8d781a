import type { Doorbell } from '../db/doorbell.ts';
import { type Pool, type Sql, untilDatabaseAnswers } from '../db/sql.ts';
import { newId } from '../kernel/ids.ts';
import type { Metrics } from '../kernel/metrics.ts';
import {
  type ConcurrencyLimits,
  type ConcurrencyOptions,
  createConcurrencyLimits,
  type RefilledConcurrency,
} from './concurrency.ts';
import { createFairnessTags, createLowWater, type TaggedWork } from './fairness.ts';
import type { HeartbeatDeps } from './heartbeat.ts';
import * as later from './later-store.ts';
import { type Runner, startRunner } from './runner.ts';
import type { WakeNote, WakeOptions } from './slices.ts';
import * as store from './store.ts';
import {
  type Claim,
  type Job,
  kindOf,
  type Lane,
  laneOf,
  lanes,
  type PostponedWork,
  rowOf,
  type Work,
  type WorkKind,
  workKinds,
} from './work.ts';

export type { ConcurrencyLimits, Permit } from './concurrency.ts';
export {
  addToNotesSql,
  backlogSql,
  deletePostponedSql,
  enqueueSql,
  isLeasedSql,
  isShortQueueSql,
  joinLease,
  joinPostponed,
  leasedIdsSql,
  leasesWithoutSql,
  postponedIdsSql,
  postponedSql,
  waitingIdsSql,
} from './feature-sql.ts';
export { createWakeJob, loadNotes, runSlice, type SliceEnd } from './slices.ts';
export {
  type Claim,
  type Job,
  type Lane,
  lanes,
  type PostponedWork,
  type Work,
  type WorkKind,
  workKinds,
} from './work.ts';

/**
 * Durable work on PostgreSQL. Every method that changes work takes the caller's transaction, so that a state change and the work that
 * follows from it commit together.
 */
export interface Queue {
  /** Whose leases this process holds, for statements of features. */
  readonly workerId: string;
  /** Adds work that is ready now. Ring after the commit. */
  enqueue(sql: Sql, work: Work[]): Promise<void>;
  /** What a statement with `enqueueSql` needs to know about the fairness tags of its work. */
  tagsFor(work: readonly TaggedWork[]): EnqueueTags;
  /** Adds work that becomes ready at a time. */
  postpone(sql: Sql, work: PostponedWork[]): Promise<void>;
  /**
   * Makes postponed work of an environment that waits for `name` ready before its time, in batches, by a work item of its own. Call it in
   * the transaction that repairs what the work waits for, and ring `wake` after the commit.
   */
  wake(sql: Sql, kind: WorkKind, environmentId: string, name: string, options?: WakeOptions): Promise<void>;
  /**
   * Makes work that waits for `name` since `before` or longer ready: at most `limit`, the oldest first, with an addition to its note.
   * Returns how much it was. Ring after the commit.
   */
  releaseWaiting(
    sql: Sql,
    kind: WorkKind,
    wait: { environmentId: string; name: string; before: Date },
    limit: number,
    addedNote: object,
  ): Promise<number>;
  /** Counts the work of an environment by the name it waits for, of names that begin with `prefix`; each up to `limit`. */
  countWaitingFor(
    sql: Sql,
    kind: WorkKind,
    environmentId: string,
    prefix: string,
    limit: number,
  ): Promise<later.WaitingCount[]>;
  /** The oldest work that waits for each of the names, `limit` at most for each. */
  listWaitingFor(
    sql: Sql,
    kind: WorkKind,
    waits: { environmentId: string; names: string[] },
    limit: number,
  ): Promise<later.NamedWait[]>;
  /** Makes postponed work ready. Work that is ready or leased already stays as it is. Ring after the commit. */
  runNow(sql: Sql, kind: WorkKind, ids: string[]): Promise<void>;
  /** Writes a note on leases before an effect that cannot be undone. Returns the ids still leased; only those may go on. */
  begin(sql: Sql, kind: WorkKind, notes: { id: string; note: unknown }[]): Promise<string[]>;
  /** Adds to the notes of leases, so that another worker finds it when this one dies. */
  addToNotes(sql: Sql, kind: WorkKind, notes: { id: string; note: object }[]): Promise<void>;
  /** Ends leases. Returns the ids that were still leased; only the outcomes of those count. */
  finish(sql: Sql, kind: WorkKind, ids: string[]): Promise<string[]>;
  /** Ends leases and parks the work under its concurrency key (concurrency.ts). Returns the ids that were still leased. */
  park(sql: Sql, kind: WorkKind, work: { id: string; key: string }[]): Promise<string[]>;
  /** The concurrency limits of a kind of work; created once per kind. */
  concurrencyLimits(kind: WorkKind, options: ConcurrencyOptions): ConcurrencyLimits;
  /** Removes waiting work and returns it with its time. Null when the work is leased or does not exist. */
  withdraw(sql: Sql, kind: WorkKind, id: string): Promise<later.WithdrawnWork | null>;
  /** Removes waiting work. Returns the ids that were removed: the others are leased, or do not exist. */
  withdrawMany(sql: Sql, kind: WorkKind, ids: string[]): Promise<string[]>;
  /** When postponed work becomes ready. Null when it is ready, leased or gone. */
  runAt(sql: Sql, kind: WorkKind, id: string): Promise<Date | null>;
  /** Wakes the workers of this and of other processes. */
  ring(kind: WorkKind): void;
  start(jobs: Record<WorkKind, Job>): void;
  depth(): Promise<{ kind: WorkKind; lane: Lane; waiting: number }[]>;
  health(): { ok: boolean; detail: string };
  /** Stops claiming, waits until the deadline for work in flight, and releases the rest. */
  stop(deadlineMs: number): Promise<void>;
}

/** Parameters of `enqueueSql`: the reserved tag of each work item or null, and where the scan for the smallest waiting tag begins. */
interface EnqueueTags {
  tags: (number | null)[];
  lows: number[];
}

/** Ends the leases of these results. Resolves to the results that count: those whose lease was still valid. */
export async function finishLeased<Result extends { claim: Claim }>(
  sql: Sql,
  queue: Pick<Queue, 'finish'>,
  kind: WorkKind,
  results: Result[],
): Promise<Result[]> {
  const ids = results.map(({ claim }) => claim.id);
  const ended = new Set(await queue.finish(sql, kind, ids));
  return results.filter(({ claim }) => ended.has(claim.id));
}

interface QueueDeps extends Omit<HeartbeatDeps, 'workerId'> {
  pool: Pool;
  /** Commits without waiting for the disk: a claim that a crash of the database loses leaves its row ready. */
  claimPool: Pool;
  doorbell: Doorbell;
  metrics: Metrics;
}

/** Most full keys that one process refills. There are as many full keys as dead endpoints. */
const maxLimitedKeys = 5_000;

export function createQueue(deps: QueueDeps): Queue {
  const workerId = newId();
  /** Leases with a note of this process. A stop must not release them as if nothing had happened. */
  const begun = new Set<string>();
  const limitsOf = new Map<WorkKind, RefilledConcurrency>();
  const lowWater = createLowWater();
  const fairnessTags = createFairnessTags(deps.claimPool, lowWater.tags);
  let runner: Runner | null = null;
  let stopping = false;

  async function refillConcurrency(): Promise<void> {
    const kinds = [...limitsOf.keys()].map((kind) => workKinds[kind]);
    const rows = await store.listParkedKeys(deps.pool, kinds, maxLimitedKeys);
    for (const [kind, limits] of limitsOf) limits.refill(rows.filter((row) => row.kind === workKinds[kind]));
  }

  const queue: Queue = {
    workerId,
    async enqueue(sql, work) {
      if (work.length === 0) return;
      const { tags, lows } = queue.tagsFor(work);
      const rows = work.map((item, index) => ({ ...rowOf(item), tag: tags[index] ?? null }));
      await store.insertReady(sql, rows, lows);
    },
    tagsFor(work) {
      lowWater.rescan(deps.claimPool);
      return { tags: fairnessTags.take(work), lows: lowWater.tags() };
    },
    async postpone(sql, work) {
      if (work.length > 0) await later.insertLater(sql, work.map(later.laterRowOf));
    },
    wake(sql, kind, environmentId, name, options = {}) {
      const note: WakeNote = { kind, name, ...options };
      return queue.enqueue(sql, [{ kind: 'wake', id: newId(), lane: 'normal', environmentId, note }]);
    },
    releaseWaiting: (sql, kind, wait, limit, addedNote) =>
      later.releaseWaiting(sql, { ...wait, kind: workKinds[kind] }, limit, addedNote),
    countWaitingFor: (sql, kind, environmentId, prefix, limit) =>
      later.countWaitingFor(sql, environmentId, workKinds[kind], prefix, limit),
    listWaitingFor: (sql, kind, { environmentId, names }, limit) =>
      later.listWaitingFor(sql, { environmentId, names, kind: workKinds[kind] }, limit),
    async runNow(sql, kind, ids) {
      if (ids.length > 0) await later.runNow(sql, workKinds[kind], ids, lowWater.tags());
    },
    async begin(sql, kind, notes) {
      const leased = await store.updateNotes(sql, workKinds[kind], notes, workerId);
      for (const id of leased) begun.add(id);
      return leased;
    },
    async addToNotes(sql, kind, notes) {
      for (const id of await store.addToNotes(sql, workKinds[kind], notes, workerId)) begun.add(id);
    },
    async finish(sql, kind, ids) {
      const ended = await store.deleteLeases(sql, workKinds[kind], ids, workerId);
      for (const id of ids) begun.delete(id);
      return ended;
    },
    async park(sql, kind, work) {
      const ids = await store.insertParked(sql, workKinds[kind], work, workerId);
      for (const id of ids) begun.delete(id);
      return ids;
    },
    concurrencyLimits(kind, options) {
      const limits = createConcurrencyLimits(
        {
          // Parking need not wait for the disk, like a claim: after a crash the work is leased again.
          park: (work) => untilDatabaseAnswers(() => queue.park(deps.claimPool, kind, work)),
          async unpark(key, limit) {
            if (!runner || stopping) return 0;
            const rows = await store.claimParked(deps.claimPool, workKinds[kind], key, limit, workerId);
            runner.accept(kind, rows, key);
            return rows.length;
          },
        },
        options,
      );
      limitsOf.set(kind, limits);
      return limits;
    },
    withdraw: later.withdraw,
    withdrawMany: (sql, kind, ids) => later.deleteManyWaiting(sql, workKinds[kind], ids),
    runAt: (sql, kind, id) => later.findRunAt(sql, workKinds[kind], id),
    ring(kind) {
      // A worker of this process that has room claims without a round trip; otherwise the doorbell wakes all processes.
      if (!runner?.wake(kind)) deps.doorbell.ring(`work:${kind}`);
    },
    start(jobs) {
      runner = startRunner({ ...deps, workerId, jobs, begun, lowWater, refillConcurrency });
    },
    async depth() {
      const rows = await store.countReady(deps.pool, Object.values(workKinds), Object.values(lanes));
      return rows.map((row) => ({
        kind: kindOf(row.kind),
        lane: laneOf(row.lane),
        waiting: row.waiting,
      }));
    },
    health: () => runner?.health() ?? { ok: true, detail: 'this process has no worker role' },
    async stop(deadlineMs) {
      stopping = true;
      await runner?.stop(deadlineMs);
    },
  };
  return queue;
}
