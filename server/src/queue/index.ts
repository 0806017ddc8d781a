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
import type { HeartbeatDeps } from './heartbeat.ts';
import * as parked from './parked-store.ts';
import { type Job, type Runner, startRunner } from './runner.ts';
import * as store from './store.ts';
import type { WakeNote } from './wake.ts';
import {
  kindOf,
  type Lane,
  laneOf,
  lanes,
  type PostponedWork,
  type Work,
  type WorkKind,
  workKinds,
} from './work.ts';

export type { ConcurrencyLimits, ConcurrencyOptions, Permit } from './concurrency.ts';
export type { Job } from './runner.ts';
export { createWakeJob } from './wake.ts';
export {
  type Claim,
  type Lane,
  lanes,
  type PostponedWork,
  type Work,
  type WorkKind,
  workKinds,
} from './work.ts';

/**
 * Durable work on PostgreSQL. Everything that changes work takes the caller's transaction, so that state and the work it makes
 * necessary commit together.
 */
export interface Queue {
  /** Ready now. Ring afterwards, outside the transaction. */
  enqueue(sql: Sql, work: Work[]): Promise<void>;
  /** Ready at a time. */
  postpone(sql: Sql, work: PostponedWork[]): Promise<void>;
  /**
   * Postponed work of an environment that waits for this is made ready before its time, in slices, by a piece of work of its own.
   * Call it in the transaction that mends what it waits for; ring `wake` afterwards.
   */
  wake(sql: Sql, kind: WorkKind, environmentId: string, name: string): Promise<void>;
  /** What is postponed is ready now; work that is ready or held already is left as it is. Ring afterwards. */
  runNow(sql: Sql, kind: WorkKind, ids: string[]): Promise<void>;
  /** Writes a note on leases before doing what cannot be undone; returns the ids still held. Only those may go on. */
  begin(sql: Sql, kind: WorkKind, notes: { id: string; note: unknown }[]): Promise<string[]>;
  /** Ends leases; returns the ids that were still held. Only the outcomes of those count. */
  finish(sql: Sql, kind: WorkKind, ids: string[]): Promise<string[]>;
  /** Ends leases and sets the work aside by place; returns the ids that were still held. See concurrency.ts. */
  park(sql: Sql, kind: WorkKind, work: { id: string; place: string }[]): Promise<string[]>;
  /** What is parked at `from` waits at `to` now. Places that begin with `held:` are emptied by nothing else. */
  moveParked(sql: Sql, kind: WorkKind, from: string, to: string): Promise<void>;
  /** Limits for each place that work of a kind goes to; once per kind. */
  concurrencyLimits(kind: WorkKind, options: ConcurrencyOptions): ConcurrencyLimits;
  /** Takes out work that waits, with the time it waits for. Null: somebody holds it, or it is not there. */
  withdraw(
    sql: Sql,
    kind: WorkKind,
    id: string,
  ): Promise<(Omit<PostponedWork, 'runAt'> & { runAt: Date | null }) | null>;
  /** When postponed work becomes ready; null when it is ready, held or gone. */
  runAt(sql: Sql, kind: WorkKind, id: string): Promise<Date | null>;
  /** Wakes workers, here and elsewhere. */
  ring(kind: WorkKind): void;
  start(jobs: Record<WorkKind, Job>): void;
  depth(): Promise<{ kind: WorkKind; lane: Lane; waiting: number }[]>;
  health(): { ok: boolean; detail: string };
  /** Stops claiming, waits for what is in flight until the deadline, hands the rest back. */
  stop(deadlineMs: number): Promise<void>;
}

export interface QueueDeps extends Omit<HeartbeatDeps, 'workerId'> {
  /** Claims may be lost in a crash of the database (the row is then ready again), so they need not wait for the disk. */
  claimPool: Pool;
  doorbell: Doorbell;
  metrics: Metrics;
}

/** Full places that one process looks after; there are as many of them as there are dead endpoints at the moment. */
const maxLimitedKeys = 5_000;

export function createQueue(deps: QueueDeps): Queue {
  const workerId = newId();
  /** Leases with a note written by us: what a stop may not hand back as if nothing had happened. */
  const begun = new Set<string>();
  const limitsOf = new Map<WorkKind, RefilledConcurrency>();
  let runner: Runner | null = null;
  let stopping = false;

  const toRow = (work: Work): store.WorkRow => ({
    kind: workKinds[work.kind],
    id: work.id,
    lane: lanes[work.lane],
    environment_id: work.environmentId,
    note: work.note ?? null,
  });

  async function refillConcurrency(): Promise<void> {
    const kinds = [...limitsOf.keys()].map((kind) => workKinds[kind]);
    const rows = await parked.listParkedKeys(deps.pool, kinds, maxLimitedKeys);
    for (const [kind, limits] of limitsOf)
      limits.refill(rows.filter((row) => row.kind === workKinds[kind]).map((row) => row.place));
  }

  const queue: Queue = {
    enqueue: (sql, work) => (work.length === 0 ? Promise.resolve() : store.insertReady(sql, work.map(toRow))),
    postpone: (sql, work) =>
      work.length === 0
        ? Promise.resolve()
        : store.insertLater(
            sql,
            work.map((item) => ({
              ...toRow(item),
              run_at: item.runAt.toISOString(),
              waits_for: item.wait?.name ?? null,
              waits_since: item.wait?.since.toISOString() ?? null,
            })),
          ),
    wake(sql, kind, environmentId, name) {
      const note: WakeNote = { kind, name };
      return queue.enqueue(sql, [{ kind: 'wake', id: newId(), lane: 'normal', environmentId, note }]);
    },
    async runNow(sql, kind, ids) {
      if (ids.length > 0) await store.runNow(sql, workKinds[kind], ids);
    },
    async begin(sql, kind, notes) {
      const held = await store.updateNotes(sql, workKinds[kind], notes, workerId);
      for (const id of held) begun.add(id);
      return held;
    },
    async finish(sql, kind, ids) {
      const held = await store.deleteLeases(sql, workKinds[kind], ids, workerId);
      for (const id of ids) begun.delete(id);
      return held;
    },
    async park(sql, kind, work) {
      const ids = await parked.insertParked(sql, workKinds[kind], work, workerId);
      for (const id of ids) begun.delete(id);
      return ids;
    },
    moveParked: (sql, kind, from, to) => parked.updateConcurrencyKey(sql, workKinds[kind], from, to),
    concurrencyLimits(kind, options) {
      const limits = createConcurrencyLimits(
        {
          // Like a claim it need not wait for the disk: what a crash undoes is a lease again.
          park: (work) => untilDatabaseAnswers(() => queue.park(deps.claimPool, kind, work)),
          async unpark(place, limit) {
            if (!runner || stopping) return 0;
            const rows = await parked.claimParked(deps.claimPool, workKinds[kind], place, limit, workerId);
            runner.accept(kind, rows, place);
            return rows.length;
          },
        },
        options,
      );
      limitsOf.set(kind, limits);
      return limits;
    },
    async withdraw(sql, kind, id) {
      const waiting = await store.deleteWaiting(sql, workKinds[kind], id);
      const aside = waiting ? null : await parked.deleteParked(sql, workKinds[kind], id);
      const row = waiting ?? (aside && { ...aside, run_at: null, waits_for: null, waits_since: null });
      return (
        row && {
          kind,
          id,
          lane: laneOf(row.lane),
          environmentId: row.environment_id,
          note: row.note,
          runAt: row.run_at,
          wait:
            row.waits_for !== null && row.waits_since !== null
              ? { name: row.waits_for, since: row.waits_since }
              : null,
        }
      );
    },
    runAt: (sql, kind, id) => store.findRunAt(sql, workKinds[kind], id),
    ring(kind) {
      // A worker with room in this very process is woken without a round trip; otherwise everyone hears the bell.
      if (!runner?.wake(kind)) deps.doorbell.ring(`work:${kind}`);
    },
    start(jobs) {
      runner = startRunner({ ...deps, workerId, jobs, begun, refillConcurrency });
    },
    async depth() {
      const rows = await store.countReady(deps.pool, Object.values(workKinds), Object.values(lanes));
      return rows.map((row) => ({
        kind: kindOf(row.kind),
        lane: laneOf(row.lane),
        waiting: row.waiting,
      }));
    },
    health: () => runner?.health() ?? { ok: true, detail: 'this process does no work' },
    async stop(deadlineMs) {
      stopping = true;
      await runner?.stop(deadlineMs);
    },
  };
  return queue;
}

/**
 * For stores that show whether something is being worked on: joins the lease of a row, if there is one, as `lease`.
 * The queue keeps the right to change its tables; this and the two below are where their shape leaks out.
 */
export function joinLease(kind: WorkKind, idColumn: string): string {
  return `left join queue_leased lease on lease.id = ${idColumn} and lease.kind = ${workKinds[kind]}`;
}

/** Whether it is being worked on, as a condition. */
export function isLeasedSql(kind: WorkKind, idColumn: string): string {
  return `exists (select from queue_leased l where l.id = ${idColumn} and l.kind = ${workKinds[kind]})`;
}

/** The ids of all that is being worked on, as a query: never more than the workers can hold. */
export function leasedIdsSql(kind: WorkKind): string {
  return `select id from queue_leased where kind = ${workKinds[kind]}`;
}

/** For statements that write something together with the work that it makes necessary; see `enqueueSteps` of the store. */
export function enqueueSql(kind: WorkKind, source: string): string {
  return store.enqueueSteps(workKinds[kind], source);
}

/**
 * For statements that show how much of an environment waits, as two named queries: `queue_waiting` (id, is_next) and
 * `queue_counts` (waiting, later, is_capped). There is no index by environment, which every send would pay for, so at most the
 * first 10,000 rows of each place are looked at, whoever they belong to; beyond that the counts are lower bounds. `is_next`
 * marks the first hundred of each lane.
 */
export function backlogSql(kind: WorkKind, environmentId: string): string {
  return store.backlogSteps(workKinds[kind], Object.values(lanes), environmentId);
}
