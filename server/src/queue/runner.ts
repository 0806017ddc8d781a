import { setTimeout as delay, setImmediate as nextIteration } from 'node:timers/promises';
import type { Doorbell } from '../db/doorbell.ts';
import { msSince, steadyClock } from '../kernel/clock.ts';
import { createHeartbeat, deleteWorker, type HeartbeatDeps, outageMs } from './heartbeat.ts';
import { createKindWorker, type KindWorker, type KindWorkerDeps } from './kind-worker.ts';
import { promote } from './later-store.ts';
import * as store from './store.ts';
import { kindOf, type WorkKind, workKinds } from './work.ts';

export interface Runner {
  /** True when this process has room and claims at once. */
  wake(kind: WorkKind): boolean;
  /** Accepts work that was claimed from the parked rows of a concurrency key. */
  accept(kind: WorkKind, ...claimed: Parameters<KindWorker['accept']>): void;
  health(): { ok: boolean; detail: string };
  stop(deadlineMs: number): Promise<void>;
}

interface RunnerDeps extends HeartbeatDeps, Omit<KindWorkerDeps, 'onLeased'> {
  doorbell: Doorbell;
  /** Refills the concurrency keys with parked work; about twice a second. */
  refillConcurrency(): Promise<void>;
  /** A tick that takes longer is left behind, and the next one begins. */
  tickWithinMs?: number;
}

const tickMs = 500;
/** Longer than the deadline of a statement with the wait for its connection. */
const defaultTickWithinMs = 30_000;
/** How long other workers have for a heartbeat after an outage before their work is rescued. */
const settlingMs = 3_000;
const unknownLeaseCheckMs = 2_000;
const unknownLeaseAfterSeconds = 5;
const moveLimit = 1_000;

export function startRunner(deps: RunnerDeps): Runner {
  const { log, workerId } = deps;
  const stopping = new AbortController();
  const isStopped = (): boolean => stopping.signal.aborted;
  const heartbeat = createHeartbeat(deps);
  // Not with the next tick: until then, work may block the event loop.
  const onLeased = (): void => heartbeat.setBusy(true);
  const workers = (Object.keys(workKinds) as WorkKind[]).map((kind) =>
    createKindWorker({ ...deps, onLeased }, kind, isStopped),
  );
  const workerOf = new Map(workers.map((worker) => [worker.kind, worker]));
  const silence = workers.map((worker) => deps.doorbell.on(`work:${worker.kind}`, worker.claimNow));

  async function tick(): Promise<void> {
    if (!heartbeat.hasBegun()) await heartbeat.begin();
    heartbeat.setBusy(workers.some((worker) => worker.size() > 0));
    await releaseUnknownLeases();
    if (msSince(heartbeat.steadySince()) >= settlingMs) await rescue();
    // Moved work need not wait for the disk: work that a crash of the database moves back is moved again.
    const moveDue = () => promote(deps.claimPool, moveLimit, deps.lowWater.tags());
    while ((await moveDue()) === moveLimit && !isStopped()) {}
    await deps.refillConcurrency();
    for (const worker of workers) {
      await worker.snoozeFailed();
      await deps.jobs[worker.kind].tick?.();
    }
    // One query for all kinds, like the others of a tick: most processes are idle most of the time.
    for (const kind of await deps.lowWater.scan(deps.pool)) workerOf.get(kindOf(kind))?.claimNow();
  }

  /**
   * Releases leases of this worker that it does not know: the answer to a claim was lost with its connection. Young leases are left,
   * because their answer may be on its way.
   */
  const releaseUnknownLeases = paced(unknownLeaseCheckMs, async () => {
    const old = await store.listLeasesBefore(deps.pool, workerId, unknownLeaseAfterSeconds);
    if (old.length === 0) return;
    for (const worker of workers) {
      const ids = old.filter(({ kind }) => kindOf(kind) === worker.kind).map(({ id }) => id);
      await worker.releaseUnknown(ids);
    }
  });

  const rescue = paced(0, async () => {
    const before = heartbeat.lastBeatAt() + outageMs;
    const kinds = await store.rescue(deps.claimPool, moveLimit, before, deps.lowWater.tags());
    if (kinds.length === 0) return;
    for (const kind of kinds) deps.metrics.rescued.inc({ kind: kindOf(kind) });
    log.warn({ count: kinds.length }, 'rescued jobs from a dead worker');
  });

  /** Every step of a tick can be repeated, so a tick that hangs does no harm to the next one. */
  async function tickWithin(ms: number): Promise<void> {
    const late = new AbortController();
    const ended = tick().catch((error) => log.warn({ err: error }, 'a queue tick failed; retrying'));
    await Promise.race([
      ended,
      delay(ms, undefined, { signal: late.signal }).then(
        () => log.error({ ms }, 'a queue tick hangs; starting another'),
        () => {},
      ),
    ]);
    late.abort();
  }

  async function tickUntilStopped(): Promise<void> {
    await nextIteration(); // the caller has the runner before the first tick
    while (!isStopped()) {
      await tickWithin(deps.tickWithinMs ?? defaultTickWithinMs);
      await delay(tickMs, undefined, { signal: stopping.signal }).catch(() => {}); // the stop ends the wait
    }
  }
  const ticks = tickUntilStopped();

  return {
    wake(kind) {
      const worker = workerOf.get(kind);
      if (isStopped() || !worker?.hasRoom()) return false;
      worker.claimNow();
      return true;
    },
    accept: (kind, rows, unparkedFrom) => workerOf.get(kind)?.accept(rows, unparkedFrom),
    health() {
      const ok = heartbeat.isAlive();
      return { ok, detail: ok ? 'working' : 'no recent heartbeat reached the database' };
    },
    async stop(deadlineMs) {
      stopping.abort();
      for (const off of silence) off();
      const stoppedAt = steadyClock();
      await Promise.race([ticks, delay(deadlineMs, undefined, { ref: false })]); // a tick may wait for a silent database
      const restMs = Math.max(0, deadlineMs - (steadyClock() - stoppedAt));
      await Promise.all(workers.map((worker) => worker.drain(restMs)));
      await heartbeat.stop(); // not before: work in flight keeps its leases
      await deleteWorker(deps.pool, workerId).catch(() => {});
    },
  };
}

/** Scans of leases may take a tenth of the time: an old snapshot keeps the rows of ended leases, and they would read them all. */
const leaseScanShare = 0.1;

/** Skips a step that was done recently, or that takes long. */
function paced(everyMs: number, step: () => Promise<void>): () => Promise<void> {
  let dueAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const startedAt = steadyClock();
    if (startedAt < dueAt) return;
    await step();
    dueAt = Math.max(startedAt + everyMs, steadyClock() + (steadyClock() - startedAt) / leaseScanShare);
  };
}
