import type { Pool } from '../db/sql.ts';
import { steadyClock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import type { LowWater } from './fairness.ts';
import * as store from './store.ts';
import { type Claim, type Job, kindOf, laneOf, lanes, type WorkKind, workKinds } from './work.ts';

export interface KindWorkerDeps {
  pool: Pool;
  claimPool: Pool;
  log: Log;
  metrics: Metrics;
  workerId: string;
  jobs: Record<WorkKind, Job>;
  /** Leases with a note of this process. */
  begun: ReadonlySet<string>;
  lowWater: LowWater;
  /** Called when this process has leased work. */
  onLeased(): void;
}

type ClaimedRow = Omit<store.ClaimedRow, 'tag'>;

export interface KindWorker {
  kind: WorkKind;
  claimNow: () => void;
  hasRoom(): boolean;
  /** The number of leases in flight. */
  size(): number;
  /** Runs claimed work. `unparkedFrom` is the concurrency key under which it was parked. */
  accept(rows: ClaimedRow[], unparkedFrom: string | null): void;
  snoozeFailed(): Promise<void>;
  /** Releases those of these leases that are not in flight here. */
  releaseUnknown(ids: string[]): Promise<void>;
  drain(deadlineMs: number): Promise<void>;
}

const snoozeSeconds = 30;

/** Claims and runs one kind of work in this process. */
export function createKindWorker(deps: KindWorkerDeps, kind: WorkKind, isStopped: () => boolean): KindWorker {
  const job = deps.jobs[kind];
  const inFlight = createInFlight(deps, kind, claimAfter, claimNow);
  /** The work in flight that came with the last bulk claim. */
  let bulkInFlight = new Set<string>();
  const last = { ...noClaims };
  let claiming: Promise<void> | null = null;
  /** The doorbell rang during the claim, or the claim was full: claim again at once. */
  let again = false;
  /** Work may be ready that found no room: claim again when work ends. */
  let hasMore = false;
  let bulkTimer: NodeJS.Timeout | undefined;

  function next(onlyBulkIsLeft = false): NextClaim {
    const { batch, capacity } = job;
    const leases = { leased: inFlight.size(), bulkInFlight: bulkInFlight.size };
    return nextClaim({ batch, capacity, ...leases, last, onlyBulkIsLeft }, steadyClock());
  }

  async function claim(maxLane: number, limit: number): Promise<store.ClaimedRow[]> {
    const { claimPool, lowWater, workerId } = deps;
    const rows = await store.claim(claimPool, workKinds[kind], maxLane, limit, workerId, lowWater.tags());
    lowWater.observe(rows);
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
      inFlight.accept(rows, null);
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
    inFlight.accept(rows, null);
    if (rows.length === bulk.limit) hasMore = true;
  }

  function waitForBulk(ms: number): void {
    bulkTimer ??= setTimeout(() => {
      bulkTimer = undefined;
      claimNow();
    }, ms).unref();
  }

  function claimNow(): void {
    if (claiming) {
      again = true;
      return;
    }
    if (isStopped()) return;
    claiming = claimUntilEmpty()
      .catch((error) => deps.log.warn({ err: error, kind }, 'a claim failed; retrying'))
      .finally(() => {
        claiming = null;
        if (again) claimNow(); // the doorbell rang after the last claim and before this line
      });
  }

  /** Claims again after the end of one item, when the claim is worth its round trip: when it brings several items. */
  function claimAfter(id: string): void {
    const bulkIsDone = bulkInFlight.delete(id) && bulkInFlight.size === 0;
    if (bulkIsDone) last.bulkEndedAt = steadyClock();
    if (!hasMore || isStopped()) return;
    const urgent = next();
    const hasRoomForMany = urgent.kind === 'claim' && urgent.limit >= job.batch / 2;
    if (bulkIsDone || hasRoomForMany || inFlight.size() === 0) claimNow();
  }

  return {
    ...inFlight,
    kind,
    claimNow,
    hasRoom: () => next().kind === 'claim',
    async drain(deadlineMs) {
      clearTimeout(bulkTimer);
      while (claiming) await claiming;
      await inFlight.drain(deadlineMs);
    },
  };
}

type InFlight = Pick<KindWorker, 'accept' | 'size' | 'snoozeFailed' | 'releaseUnknown' | 'drain'>;

/** Runs the claimed work of one kind. `onEnd` is called after the end of each item, `claimNow` when released work is ready again. */
function createInFlight(
  deps: KindWorkerDeps,
  kind: WorkKind,
  onEnd: (id: string) => void,
  claimNow: () => void,
): InFlight {
  const { log } = deps;
  const job = deps.jobs[kind];
  /** A crash or a handler can bring work again that is still in flight: it has been reclaimed. */
  const leased = new Map<string, 'once' | 'reclaimed'>();
  /** Items whose handler threw. They are snoozed at the next tick, so that a database outage does not lose them. */
  const failed = new Set<string>();
  let onEmpty: (() => void) | null = null;

  const release = (ids: string[]): Promise<void> =>
    store.releaseToReady(deps.claimPool, workKinds[kind], ids, deps.workerId, deps.lowWater.tags());

  async function run(claims: Claim[]): Promise<void> {
    deps.metrics.inFlight.set({ kind }, leased.size);
    try {
      const inputs = await job.load(claims);
      for (const claim of claims) void runOne(claim, inputs.get(claim.id));
    } catch (error) {
      const ids = claims.map(({ id }) => id);
      log.error({ err: error, kind, ids, retry_in_seconds: snoozeSeconds }, 'failed to load a batch');
      for (const id of ids) end(id, true);
    }
  }

  async function runOne(claim: Claim, input: unknown): Promise<void> {
    let hasFailed = false;
    try {
      await job.run(claim, input);
    } catch (error) {
      hasFailed = true;
      const details = { err: error, kind, id: claim.id, retry_in_seconds: snoozeSeconds };
      log.error(details, 'a job failed with an unexpected error');
    }
    end(claim.id, hasFailed);
  }

  function end(id: string, hasFailed: boolean): void {
    const isReclaimed = leased.get(id) === 'reclaimed';
    leased.delete(id);
    if (hasFailed) failed.add(id);
    // After a crash there is nothing to release: the end of the work ended this lease too. The tick repeats a release that fails.
    else if (isReclaimed) release([id]).then(claimNow, () => {});
    deps.metrics.inFlight.set({ kind }, leased.size);
    if (leased.size === 0) onEmpty?.();
    onEnd(id);
  }

  return {
    size: () => leased.size,
    accept(rows, unparkedFrom) {
      // A claim is not flushed: a crash of the database may lose it and bring the same work again while it is in flight. Or a handler
      // postponed its work, and the claim overtakes the answer to its transaction.
      const fresh = rows.filter((row) => !leased.has(row.id));
      if (fresh.length > 0) deps.onLeased();
      for (const { id } of rows) leased.set(id, leased.has(id) ? 'reclaimed' : 'once');
      // Critical work is loaded apart, so that it does not wait for the input of the others.
      for (const together of [fresh.filter(isCritical), fresh.filter((row) => !isCritical(row))]) {
        if (together.length > 0) void run(together.map((row) => claimOf(row, unparkedFrom)));
      }
    },
    async snoozeFailed() {
      if (failed.size === 0) return;
      const ids = [...failed];
      await store.releaseToLater(deps.pool, workKinds[kind], ids, deps.workerId, snoozeSeconds);
      for (const id of ids) failed.delete(id);
      await job
        .onFailed?.(ids)
        .catch((error) => log.warn({ err: error, kind, ids }, 'failed to record a failure in the trace'));
    },
    async releaseUnknown(ids) {
      const unknownLeases = ids.filter((id) => !leased.has(id) && !failed.has(id));
      if (unknownLeases.length === 0) return;
      log.warn({ kind, count: unknownLeases.length }, 'releasing leases of claims without a response');
      await release(unknownLeases);
    },
    async drain(deadlineMs) {
      if (leased.size > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, deadlineMs);
          onEmpty = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      // Work with an open attempt stays leased: the next worker resolves its outcome by rule.
      const unfinished = [...leased.keys(), ...failed].filter((id) => !deps.begun.has(id));
      if (unfinished.length > 0) await release(unfinished).catch(() => {});
    },
  };
}

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

/** What the pacing of claims depends on. Times are those of the steady clock. */
export interface ClaimState {
  /** Most items in one claim, and most items leased by this process. */
  batch: number;
  capacity: number;
  /** Items leased now, and those of those that came with the last bulk claim. */
  leased: number;
  bulkInFlight: number;
  last: LastClaims;
  /** The last claim found less critical and normal work than it asked for: only bulk is left. */
  onlyBulkIsLeft: boolean;
}

export interface LastClaims {
  /** The last claim of critical or normal work, and the last of critical work. */
  urgentAt: number;
  criticalAt: number;
  /** The last bulk claim, and the end of the last one whose items have all ended. */
  bulkAt: number;
  bulkEndedAt: number;
}

const noClaims: LastClaims = { urgentAt: -Infinity, criticalAt: -Infinity, bulkAt: 0, bulkEndedAt: 0 };

type NextClaim =
  | { kind: 'claim'; maxLane: number; limit: number }
  /** `ms`: until bulk may be claimed; null when leased work must end first. */
  | { kind: 'wait'; ms: number | null };

/** Urgent work is critical or normal. It keeps bulk small for so long after it arrived. */
const urgentWindowMs = 1_000;
const smallBulkBatch = 25;
const bulkWaitMs = 50;
/** Bulk rests this many times as long as its last batch took while critical work arrives. */
const bulkRest = 3;

/** Bulk may use half of the capacity and normal three quarters, so critical always finds room. */
const shares = { [lanes.critical]: 1, [lanes.normal]: 0.75, [lanes.bulk]: 0.5 };

export function nextClaim(state: ClaimState, now: number): NextClaim {
  return state.onlyBulkIsLeft ? nextBulkClaim(state, now) : nextUrgentClaim(state);
}

function nextUrgentClaim(state: ClaimState): NextClaim {
  const maxLane = roomFor(lanes.normal, state) > 0 ? lanes.normal : lanes.critical;
  const limit = Math.min(state.batch, roomFor(maxLane, state));
  return limit > 0 ? { kind: 'claim', maxLane, limit } : { kind: 'wait', ms: null };
}

/**
 * Bulk is claimed in batches, the next one when the last is done or slow, so that urgent work never waits behind more than one batch,
 * neither here nor in the database. While urgent work arrives the batches are small; while critical work arrives bulk also rests
 * after each batch, because on a machine that is never idle all work waits.
 */
function nextBulkClaim(state: ClaimState, now: number): NextClaim {
  const { batch, last } = state;
  const isUrgent = now - last.urgentAt < urgentWindowMs;
  const isCritical = now - last.criticalAt < urgentWindowMs;
  const limit = Math.min(isUrgent ? Math.min(smallBulkBatch, batch) : batch, roomFor(lanes.bulk, state));
  const restedAt = isCritical ? last.bulkEndedAt + bulkRestMs(last.bulkEndedAt - last.bulkAt) : now;
  const readyAt = state.bulkInFlight > 0 ? last.bulkAt + bulkWaitMs : restedAt;
  if (readyAt > now) return { kind: 'wait', ms: readyAt - now };
  return limit > 0 ? { kind: 'claim', maxLane: lanes.bulk, limit } : { kind: 'wait', ms: null };
}

function roomFor(lane: keyof typeof shares, { capacity, leased }: ClaimState): number {
  return Math.floor(capacity * shares[lane]) - leased;
}

/** How long bulk rests after a batch that took so long. */
function bulkRestMs(tookMs: number): number {
  return Math.min(bulkRest * tookMs, bulkWaitMs);
}
