import { setTimeout as delay, setImmediate as nextIteration } from 'node:timers/promises';
import type { Doorbell } from '../db/doorbell.ts';
import type { Pool } from '../db/sql.ts';
import { msSince, steadyClock } from '../kernel/clock.ts';
import type { Metrics } from '../kernel/metrics.ts';
import { createHeartbeat, type HeartbeatDeps, outageMs } from './heartbeat.ts';
import * as later from './later-store.ts';
import * as leased from './leased-store.ts';
import type { LowWater } from './low-water.ts';
import { type NextClaim, nextClaim, noClaims } from './next-claim.ts';
import * as ready from './ready-store.ts';
import { type Claim, kindOf, laneOf, lanes, type WorkKind, workKinds } from './work.ts';
import { deleteWorker } from './workers-store.ts';

/** The handler of one kind of work. `load` reads the input of a whole batch in a constant number of queries. */
export interface Job<Fact = unknown> {
  /** Most items in one claim. */
  batch: number;
  /** Most items leased by this process. Bulk may use half of it and normal three quarters, so critical always finds room. */
  capacity: number;
  load(claims: Claim[]): Promise<Map<string, Fact>>;
  /** Finishes or postpones the lease in the handler's own transaction. A throw is a bug: the item is snoozed. */
  run(claim: Claim, fact: Fact | undefined): Promise<void>;
  /** Called after `load` or `run` threw and the work was snoozed, to leave a trace that a tenant can read. */
  onFailed?(ids: string[]): Promise<void>;
  /** Called about twice a second. */
  tick?(): Promise<void>;
}

export interface Runner {
  /** True when this process has room and claims at once. */
  wake(kind: WorkKind): boolean;
  /** Accepts work that was claimed from the parked rows of a concurrency key. */
  accept(kind: WorkKind, rows: ClaimedRow[], place: string): void;
  health(): { ok: boolean; detail: string };
  stop(deadlineMs: number): Promise<void>;
}

interface RunnerDeps extends HeartbeatDeps {
  claimPool: Pool;
  doorbell: Doorbell;
  metrics: Metrics;
  jobs: Record<WorkKind, Job>;
  begun: ReadonlySet<string>;
  lowWater: LowWater;
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
const snoozeSeconds = 30;
const unknownLeaseAfterSeconds = 5;
const moveLimit = 1_000;

export function startRunner(deps: RunnerDeps): Runner {
  const { log, workerId } = deps;
  const stopping = new AbortController();
  const isStopped = (): boolean => stopping.signal.aborted;
  const heartbeat = createHeartbeat(deps);
  const workers = (Object.keys(workKinds) as WorkKind[]).map((kind) =>
    createKindWorker(deps, kind, isStopped),
  );
  const workerOf = new Map(workers.map((worker) => [worker.kind, worker]));
  const silence = workers.map((worker) => deps.doorbell.on(`work:${worker.kind}`, worker.claimNow));

  async function tick(): Promise<void> {
    if (!heartbeat.hasBegun()) await heartbeat.begin();
    await releaseUnknownLeases();
    if (msSince(heartbeat.steadySince()) >= settlingMs) await rescue();
    // Moved work need not wait for the disk: work that a crash of the database moves back is moved again.
    const promote = () => later.promote(deps.claimPool, moveLimit, deps.lowWater.tags());
    while ((await promote()) === moveLimit && !isStopped()) {}
    await deps.refillConcurrency();
    for (const worker of workers) {
      await worker.handBack();
      await deps.jobs[worker.kind].tick?.();
    }
    // One query for all kinds, like the others of a tick: most processes are idle most of the time.
    for (const kind of await deps.lowWater.look(deps.pool)) workerOf.get(kindOf(kind))?.claimNow();
  }

  /**
   * Releases leases of this worker that it does not know: the answer to a claim was lost with its connection. Young leases are left,
   * because their answer may be on its way.
   */
  const releaseUnknownLeases = paced(unknownLeaseCheckMs, async () => {
    const old = await leased.listLeasesBefore(deps.pool, workerId, unknownLeaseAfterSeconds);
    if (old.length === 0) return;
    for (const worker of workers) {
      const ids = old.filter(({ kind }) => kindOf(kind) === worker.kind).map(({ id }) => id);
      await worker.releaseUnknown(ids);
    }
  });

  const rescue = paced(0, async () => {
    const before = heartbeat.lastBeatAt() + outageMs;
    const kinds = await leased.rescue(deps.claimPool, moveLimit, before, deps.lowWater.tags());
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
    accept: (kind, rows, place) => workerOf.get(kind)?.accept(rows, place),
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

interface KindWorker {
  kind: WorkKind;
  claimNow: () => void;
  hasRoom(): boolean;
  accept(rows: ClaimedRow[], unparkedFrom: string | null): void;
  handBack(): Promise<void>;
  /** Releases those of these leases that are not in flight here. */
  releaseUnknown(ids: string[]): Promise<void>;
  drain(deadlineMs: number): Promise<void>;
}

/** Claims and runs one kind of work in this process. */
function createKindWorker(deps: RunnerDeps, kind: WorkKind, isStopped: () => boolean): KindWorker {
  const { log, workerId } = deps;
  const job = deps.jobs[kind];
  const number = workKinds[kind];
  /** Work in flight. A crash or a handler can bring work again that is still in flight: it has been reclaimed. */
  const held = new Map<string, 'held' | 'reclaimed'>();
  /** The part of it that came with the last bulk claim. */
  let bulkInFlight = new Set<string>();
  /** Items whose handler threw. They are snoozed at the next tick, so that a database outage does not lose them. */
  const failed = new Set<string>();
  const last = { ...noClaims };
  let claiming: Promise<void> | null = null;
  /** The doorbell rang during the claim, or the claim was full: claim again at once. */
  let again = false;
  /** Work may be ready that found no room: claim again when work ends. */
  let hasMore = false;
  let onEmpty: (() => void) | null = null;
  let bulkTimer: NodeJS.Timeout | undefined;

  function next(onlyBulkIsLeft = false): NextClaim {
    const { batch, capacity } = job;
    const leases = { held: held.size, bulkInFlight: bulkInFlight.size };
    return nextClaim({ batch, capacity, ...leases, last, onlyBulkIsLeft }, steadyClock());
  }

  async function claim(maxLane: number, limit: number): Promise<ready.ClaimedRow[]> {
    const rows = await ready.claim(deps.claimPool, number, maxLane, limit, workerId, deps.lowWater.tags());
    deps.lowWater.observe(rows);
    return rows;
  }

  async function claimUntilEmpty(): Promise<void> {
    do {
      again = false;
      const urgent = next();
      if (urgent.kind === 'wait' || isStopped()) {
        hasMore = true;
        return;
      }
      const { maxLane, limit } = urgent;
      const rows = await claim(maxLane, limit);
      accept(rows, null);
      if (rows.length > 0) last.urgentAt = steadyClock();
      if (rows.some(isCritical)) last.criticalAt = steadyClock();
      hasMore = rows.length === limit || maxLane < lanes.normal;
      if (rows.length === limit) again = true;
      else if (maxLane === lanes.normal) await claimBulk();
    } while (again);
  }

  async function claimBulk(): Promise<void> {
    const bulk = next(true);
    if (bulk.kind === 'wait' || isStopped()) {
      hasMore = true;
      if (bulk.kind === 'wait' && bulk.ms !== null) waitForBulk(bulk.ms);
      return;
    }
    const rows = await claim(bulk.maxLane, bulk.limit);
    bulkInFlight = new Set(rows.map(({ id }) => id));
    if (rows.length > 0) last.bulkAt = steadyClock();
    accept(rows, null);
    if (rows.length === bulk.limit) hasMore = true;
  }

  function waitForBulk(ms: number): void {
    bulkTimer ??= setTimeout(() => {
      bulkTimer = undefined;
      claimNow();
    }, ms).unref();
  }

  function accept(rows: ClaimedRow[], unparkedFrom: string | null): void {
    // A claim is not flushed: a crash of the database may lose it and bring the same work again while it is in flight. Or a handler
    // postponed its work, and the claim overtakes the answer to its transaction.
    const fresh = rows.filter((row) => !held.has(row.id));
    for (const { id } of rows) held.set(id, held.has(id) ? 'reclaimed' : 'held');
    // Critical work is loaded apart, so that it does not wait for the input of the others.
    for (const together of [fresh.filter(isCritical), fresh.filter((row) => !isCritical(row))]) {
      if (together.length > 0) void work(together.map((row) => claimOf(row, unparkedFrom)));
    }
  }

  function claimNow(): void {
    if (claiming) {
      again = true;
      return;
    }
    if (isStopped()) return;
    claiming = claimUntilEmpty()
      .catch((error) => log.warn({ err: error, kind }, 'a claim failed; retrying'))
      .finally(() => {
        claiming = null;
        if (again) claimNow(); // the doorbell rang after the last claim and before this line
      });
  }

  async function work(claims: Claim[]): Promise<void> {
    deps.metrics.inFlight.set({ kind }, held.size);
    try {
      const facts = await job.load(claims);
      for (const claim of claims) void runOne(claim, facts.get(claim.id));
    } catch (error) {
      const ids = claims.map(({ id }) => id);
      log.error({ err: error, kind, ids, retry_in_seconds: snoozeSeconds }, 'failed to load a batch');
      for (const claim of claims) settle(claim.id, true);
    }
  }

  async function runOne(claim: Claim, fact: unknown): Promise<void> {
    let ok = true;
    try {
      await job.run(claim, fact);
    } catch (error) {
      ok = false;
      const facts = { err: error, kind, id: claim.id, retry_in_seconds: snoozeSeconds };
      log.error(facts, 'a job failed with an unexpected error');
    }
    settle(claim.id, !ok);
  }

  function settle(id: string, hasFailed: boolean): void {
    const isReclaimed = held.get(id) === 'reclaimed';
    held.delete(id);
    const bulkIsDone = bulkInFlight.delete(id) && bulkInFlight.size === 0;
    if (bulkIsDone) last.bulkEndedAt = steadyClock();
    if (hasFailed) failed.add(id);
    else if (isReclaimed) void releaseReclaimed(id);
    deps.metrics.inFlight.set({ kind }, held.size);
    if (held.size === 0) onEmpty?.();
    if (!hasMore || isStopped()) return;
    // A claim is worth its round trip when it brings several items.
    const urgent = next();
    const hasRoomForMany = urgent.kind === 'claim' && urgent.limit >= job.batch / 2;
    if (bulkIsDone || hasRoomForMany || held.size === 0) claimNow();
  }

  /** After a crash there is nothing to release: the end of the work ended this lease too. */
  async function releaseReclaimed(id: string): Promise<void> {
    try {
      await leased.releaseToReady(deps.claimPool, number, [id], workerId, deps.lowWater.tags());
      claimNow();
    } catch {
      // The tick releases unknown leases anyway.
    }
  }

  return {
    kind,
    claimNow,
    accept,
    hasRoom: () => next().kind === 'claim',
    async handBack() {
      if (failed.size === 0) return;
      const ids = [...failed];
      await leased.releaseToLater(deps.pool, number, ids, workerId, snoozeSeconds);
      for (const id of ids) failed.delete(id);
      await job
        .onFailed?.(ids)
        .catch((error) => log.warn({ err: error, kind, ids }, 'failed to record a failure in the trace'));
    },
    async releaseUnknown(ids) {
      const unknownLeases = ids.filter((id) => !held.has(id) && !failed.has(id));
      if (unknownLeases.length === 0) return;
      log.warn({ kind, count: unknownLeases.length }, 'releasing leases of claims without a response');
      await leased.releaseToReady(deps.claimPool, number, unknownLeases, workerId, deps.lowWater.tags());
    },
    async drain(deadlineMs) {
      clearTimeout(bulkTimer);
      while (claiming) await claiming;
      if (held.size > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, deadlineMs);
          onEmpty = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      // Work with an open attempt stays leased: the next worker resolves its outcome by rule.
      const unfinished = [...held.keys(), ...failed].filter((id) => !deps.begun.has(id));
      if (unfinished.length > 0)
        await leased
          .releaseToReady(deps.claimPool, number, unfinished, workerId, deps.lowWater.tags())
          .catch(() => {});
    },
  };
}

type ClaimedRow = Omit<ready.ClaimedRow, 'tag'>;

const isCritical = ({ lane }: ClaimedRow): boolean => lane === lanes.critical;

function claimOf(row: ClaimedRow, unparkedFrom: string | null): Claim {
  return {
    kind: kindOf(row.kind),
    id: row.id,
    lane: laneOf(row.lane),
    environmentId: row.environment_id,
    note: row.note,
    leasedAt: row.leased_at,
    unparkedFrom,
  };
}
