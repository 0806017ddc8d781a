import type { Doorbell } from '../db/doorbell.ts';
import type { Pool, Sql } from '../db/sql.ts';
import { newId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import { type Job, type Runner, startRunner } from './runner.ts';
import * as store from './store.ts';
import { kindOf, type Lane, laneOf, lanes, type Work, type WorkKind, workKinds } from './work.ts';

export type { Job } from './runner.ts';
export { type Claim, type Lane, lanes, type Work, type WorkKind, workKinds } from './work.ts';

/**
 * Durable work on PostgreSQL. Everything that changes work takes the caller's transaction, so that state and the work it makes
 * necessary commit together.
 */
export interface Queue {
  /** Ready now. Ring afterwards, outside the transaction. */
  enqueue(sql: Sql, work: Work[]): Promise<void>;
  /** Ready at a time. */
  postpone(sql: Sql, work: (Work & { runAt: Date })[]): Promise<void>;
  /** Writes a note on leases before doing what cannot be undone; returns the ids still held. Only those may go on. */
  begin(sql: Sql, kind: WorkKind, notes: { id: string; note: unknown }[]): Promise<string[]>;
  /** Ends leases; returns the ids that were still held. Only the outcomes of those count. */
  finish(sql: Sql, kind: WorkKind, ids: string[]): Promise<string[]>;
  /** Takes out work that waits, with the time it waits for. Null: somebody holds it, or it is not there. */
  withdraw(sql: Sql, kind: WorkKind, id: string): Promise<(Work & { runAt: Date | null }) | null>;
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

export interface QueueDeps {
  pool: Pool;
  /** Claims may be lost in a crash of the database (the row is then ready again), so they need not wait for the disk. */
  claimPool: Pool;
  doorbell: Doorbell;
  log: Log;
  metrics: Metrics;
}

export function createQueue(deps: QueueDeps): Queue {
  const workerId = newId();
  /** Leases with a note written by us: what a stop may not hand back as if nothing had happened. */
  const begun = new Set<string>();
  let runner: Runner | null = null;

  const toRow = (work: Work): store.WorkRow => ({
    kind: workKinds[work.kind],
    id: work.id,
    lane: lanes[work.lane],
    environment_id: work.environmentId,
    note: work.note ?? null,
  });

  return {
    enqueue: (sql, work) => (work.length === 0 ? Promise.resolve() : store.insertReady(sql, work.map(toRow))),
    postpone: (sql, work) =>
      work.length === 0
        ? Promise.resolve()
        : store.insertLater(
            sql,
            work.map((item) => ({ ...toRow(item), run_at: item.runAt.toISOString() })),
          ),
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
    async withdraw(sql, kind, id) {
      const row = await store.deleteWaiting(sql, workKinds[kind], id);
      return (
        row && {
          kind,
          id,
          lane: laneOf(row.lane),
          environmentId: row.environment_id,
          note: row.note,
          runAt: row.run_at,
        }
      );
    },
    runAt: (sql, kind, id) => store.findRunAt(sql, workKinds[kind], id),
    ring(kind) {
      // A worker with room in this very process is woken without a round trip; otherwise everyone hears the bell.
      if (!runner?.wake(kind)) deps.doorbell.ring(`work:${kind}`);
    },
    start(jobs) {
      runner = startRunner({ ...deps, workerId, jobs, begun });
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
      await runner?.stop(deadlineMs);
    },
  };
}

/**
 * For stores that show whether something is being worked on: joins the lease of a row, if there is one, as `lease`.
 * The queue keeps the right to change its tables; this is the one place where their shape leaks out.
 */
export function joinLease(kind: WorkKind, idColumn: string): string {
  return `left join queue_leased lease on lease.id = ${idColumn} and lease.kind = ${workKinds[kind]}`;
}
