import type { Doorbell } from '../db/doorbell.ts';
import type { Pool } from '../db/sql.ts';
import { msSince, never, steadyClock, thisMoment } from '../kernel/clock.ts';
import type { Metrics } from '../kernel/metrics.ts';
import { createHeartbeat, type HeartbeatDeps, outageMs } from './heartbeat.ts';
import * as store from './store.ts';
import { type Claim, kindOf, laneOf, lanes, type WorkKind, workKinds } from './work.ts';

/** How one kind of work is done. `load` reads what a whole batch needs in a constant number of queries. */
export interface Job<Fact = unknown> {
  /** Most items in one claim. */
  batch: number;
  /** Most items held by this process; bulk may use half of it, normal three quarters, so critical always finds room. */
  capacity: number;
  load(claims: Claim[]): Promise<Map<string, Fact>>;
  /** Ends with the lease finished or postponed in the handler's own transaction. Throwing is a bug: the item is put off. */
  run(claim: Claim, fact: Fact | undefined): Promise<void>;
  /** `load` or `run` threw, and this work now waits for another try: the place to leave something that a tenant can read. */
  onFailed?(ids: string[]): Promise<void>;
  /** Called about twice a second. */
  tick?(): Promise<void>;
}

export interface Runner {
  /** True when this process has room, and will look at once. */
  wake(kind: WorkKind): boolean;
  /** Takes up work that was claimed from where it was parked. */
  takeUp(kind: WorkKind, rows: ClaimedRow[], place: string): void;
  health(): { ok: boolean; detail: string };
  stop(deadlineMs: number): Promise<void>;
}

interface RunnerDeps extends HeartbeatDeps {
  claimPool: Pool;
  doorbell: Doorbell;
  metrics: Metrics;
  jobs: Record<WorkKind, Job>;
  begun: ReadonlySet<string>;
  /** Looks after what is parked; about twice a second. */
  tendPlaces(): Promise<void>;
}

const tickMs = 500;
/** How long all others have, after an outage, to be heard again before work is taken over. */
const reunionMs = 3_000;
const strayCheckMs = 2_000;
const putOffSeconds = 30;
const bulkPortion = 25;
const bulkPatienceMs = 50;
/** How many times as long as its portion took bulk rests while critical work comes. */
const bulkRest = 3;
const hurryMs = 1_000;
const strayAfterSeconds = 5;
const moveLimit = 1_000;

export function startRunner(deps: RunnerDeps): Runner {
  const { log, workerId } = deps;
  let stopped = false;
  const heartbeat = createHeartbeat(deps);
  let straysCheckedAt = never;
  const lines = (Object.keys(workKinds) as WorkKind[]).map((kind) => createLine(deps, kind, () => stopped));
  const lineOf = new Map(lines.map((line) => [line.kind, line]));
  const silence = lines.map((line) => deps.doorbell.on(`work:${line.kind}`, line.pump));

  async function tick(): Promise<void> {
    if (!heartbeat.hasBegun()) await heartbeat.begin();
    if (msSince(straysCheckedAt) >= strayCheckMs) {
      await releaseStrays();
      straysCheckedAt = thisMoment();
    }
    if (msSince(heartbeat.steadySince()) >= reunionMs) await rescue();
    while ((await store.promote(deps.pool, moveLimit)) === moveLimit && !stopped) {}
    await deps.tendPlaces();
    for (const line of lines) {
      await line.handBack();
      await deps.jobs[line.kind].tick?.();
    }
    // Here as in all of this, one question for all kinds: most processes are idle most of the time.
    for (const kind of await store.listReady(deps.pool, Object.values(workKinds)))
      lineOf.get(kindOf(kind))?.pump();
  }

  /**
   * Leases in our name that nobody here knows of: the answer to a claim was lost with its connection. Not the young ones,
   * whose answer may be on its way.
   */
  async function releaseStrays(): Promise<void> {
    const old = await store.listLeasesBefore(deps.pool, workerId, strayAfterSeconds);
    if (old.length === 0) return;
    for (const line of lines) {
      const ids = old.filter(({ kind }) => kindOf(kind) === line.kind).map(({ id }) => id);
      await line.releaseUnknown(ids);
    }
  }

  async function rescue(): Promise<void> {
    const kinds = await store.rescue(deps.pool, moveLimit, heartbeat.heardAt() + outageMs);
    if (kinds.length === 0) return;
    for (const kind of kinds) deps.metrics.rescued.inc({ kind: kindOf(kind) });
    log.warn({ count: kinds.length }, 'took over work of a worker that died');
  }

  let ticking: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  function schedule(delayMs: number): void {
    timer = setTimeout(() => {
      ticking = tick()
        .catch((error) => log.warn({ err: error }, 'the queue could not be reached; trying again'))
        .finally(() => {
          if (!stopped) schedule(tickMs);
        });
    }, delayMs);
  }
  schedule(0);

  return {
    wake(kind) {
      const line = lineOf.get(kind);
      if (stopped || !line?.hasRoom()) return false;
      line.pump();
      return true;
    },
    takeUp: (kind, rows, place) => lineOf.get(kind)?.takeUp(rows, place),
    health() {
      const ok = heartbeat.isAlive();
      return { ok, detail: ok ? 'working' : 'no heartbeat reached the database lately' };
    },
    async stop(deadlineMs) {
      stopped = true;
      clearTimeout(timer);
      for (const off of silence) off();
      await ticking;
      await Promise.all(lines.map((line) => line.drain(deadlineMs)));
      await heartbeat.stop(); // not before: what is under way keeps its leases
      await store.deleteWorker(deps.pool, workerId).catch(() => {});
    },
  };
}

interface Line {
  kind: WorkKind;
  pump: () => void;
  hasRoom(): boolean;
  takeUp(rows: ClaimedRow[], unparkedFrom: string | null): void;
  handBack(): Promise<void>;
  /** Hands back those of these leases that nobody here is at. */
  releaseUnknown(ids: string[]): Promise<void>;
  drain(deadlineMs: number): Promise<void>;
}

/** The claims of one kind of work in this process. */
function createLine(deps: RunnerDeps, kind: WorkKind, isStopped: () => boolean): Line {
  const { log, workerId } = deps;
  const job = deps.jobs[kind];
  const number = workKinds[kind];
  const room = {
    [lanes.bulk]: job.capacity * 0.5,
    [lanes.normal]: job.capacity * 0.75,
    [lanes.critical]: job.capacity,
  };
  const held = new Set<string>();
  /** What was claimed anew while we are still at it. */
  const cameAgain = new Set<string>();
  /** Items whose handler failed; given back at the next tick, so that a database that is away does not lose them. */
  const failed = new Set<string>();
  let claiming = false;
  let again = false;
  let hungry = false;
  let onEmpty: (() => void) | null = null;

  /** Bulk items of the last claim that are still held, and when they came. */
  const portion = new Set<string>();
  let portionAt = 0;
  /** When something other than bulk was last claimed. */
  let hurriedAt = -hurryMs;
  /** When something critical was last claimed; and until when bulk then leaves the machine alone. */
  let criticalAt = -hurryMs;
  let restUntil = 0;
  let patience: NodeJS.Timeout | undefined;

  const roomLeft = (lane: number): number => Math.floor(room[lane as keyof typeof room]) - held.size;

  /** The slower of the lanes that are not bulk which may still be claimed, and how many items. */
  function allowance(): { maxLane: number; limit: number } {
    const maxLane = roomLeft(lanes.normal) > 0 ? lanes.normal : lanes.critical;
    return { maxLane, limit: Math.max(0, Math.min(job.batch, roomLeft(maxLane))) };
  }

  async function claimUntilEmpty(): Promise<void> {
    do {
      again = false;
      const { maxLane, limit } = allowance();
      if (limit === 0 || isStopped()) {
        hungry = true;
        return;
      }
      const rows = await store.claim(deps.claimPool, number, maxLane, limit, workerId);
      takeUp(rows, null);
      if (rows.length > 0) hurriedAt = steadyClock();
      if (rows.some(({ lane }) => lane === lanes.critical)) criticalAt = steadyClock();
      hungry = rows.length === limit || maxLane < lanes.normal;
      if (rows.length === limit) again = true;
      else if (maxLane === lanes.normal) await claimBulk();
    } while (again);
  }

  /**
   * Bulk comes in portions, the next one when the last is done or takes its time: whatever hurries never finds more than a
   * portion before it, neither here nor in the database. While anything hurries the portions are small; while it is critical,
   * bulk also rests after each, for on a machine that is never idle everything waits.
   */
  async function claimBulk(): Promise<void> {
    const size = steadyClock() - hurriedAt < hurryMs ? Math.min(bulkPortion, job.batch) : job.batch;
    const limit = Math.min(size, roomLeft(lanes.bulk));
    const restsUntil = steadyClock() - criticalAt < hurryMs ? restUntil : 0;
    const wait = (portion.size === 0 ? restsUntil : portionAt + bulkPatienceMs) - steadyClock();
    if (limit <= 0 || wait > 0 || isStopped()) {
      hungry = true;
      if (wait > 0) waitForPortion(wait);
      return;
    }
    const rows = await store.claim(deps.claimPool, number, lanes.bulk, limit, workerId);
    portion.clear();
    for (const { id } of rows) portion.add(id);
    portionAt = steadyClock();
    takeUp(rows, null);
    if (rows.length === limit) hungry = true;
  }

  function waitForPortion(ms: number): void {
    patience ??= setTimeout(() => {
      patience = undefined;
      pump();
    }, ms).unref();
  }

  function takeUp(rows: ClaimedRow[], unparkedFrom: string | null): void {
    // Claims do not flush: a crash of the database may have lost one, and brings us again what we are already at. Or it is
    // what its own end has put back, and comes before the answer that the end is written.
    const fresh = rows.filter((row) => !held.has(row.id));
    for (const { id } of rows) if (held.has(id)) cameAgain.add(id);
    for (const { id } of fresh) held.add(id);
    // What is critical does not wait until all that the others need has been read.
    const isCritical = ({ lane }: ClaimedRow) => lane === lanes.critical;
    for (const together of [fresh.filter(isCritical), fresh.filter((row) => !isCritical(row))]) {
      if (together.length > 0) void work(together.map((row) => claimOf(row, unparkedFrom)));
    }
  }

  function pump(): void {
    if (claiming) {
      again = true;
      return;
    }
    if (isStopped()) return;
    claiming = true;
    claimUntilEmpty()
      .catch((error) => log.warn({ err: error, kind }, 'a claim failed; trying again'))
      .finally(() => {
        claiming = false;
        if (again) pump(); // it was rung after the last look, and before this
      });
  }

  async function work(claims: Claim[]): Promise<void> {
    deps.metrics.inFlight.set({ kind }, held.size);
    try {
      const facts = await job.load(claims);
      for (const claim of claims) void runOne(claim, facts.get(claim.id));
    } catch (error) {
      const ids = claims.map(({ id }) => id);
      log.error({ err: error, kind, ids, retry_in_seconds: putOffSeconds }, 'a batch could not be loaded');
      for (const claim of claims) settle(claim.id, true);
    }
  }

  async function runOne(claim: Claim, fact: unknown): Promise<void> {
    let ok = true;
    try {
      await job.run(claim, fact);
    } catch (error) {
      ok = false;
      const facts = { err: error, kind, id: claim.id, retry_in_seconds: putOffSeconds };
      log.error(facts, 'work failed in a way its handler did not foresee');
    }
    settle(claim.id, !ok);
  }

  function settle(id: string, putOff: boolean): void {
    held.delete(id);
    const portionDone = portion.delete(id) && portion.size === 0;
    if (portionDone)
      restUntil = steadyClock() + Math.min(bulkRest * (steadyClock() - portionAt), bulkPatienceMs);
    if (putOff) failed.add(id);
    if (cameAgain.delete(id) && !putOff) void handBackAgain(id);
    if (held.size === 0) onEmpty?.();
    if (!hungry || isStopped()) return;
    // Claims are worth their round trip when they bring several items.
    if (portionDone || allowance().limit >= job.batch / 2 || held.size === 0) pump();
  }

  /** After a crash there is nothing to hand back: its end ended this lease, too. */
  async function handBackAgain(id: string): Promise<void> {
    try {
      await store.releaseToReady(deps.pool, number, [id], workerId);
      pump();
    } catch {
      // The strays are looked for anyway.
    }
  }

  return {
    kind,
    pump,
    takeUp,
    hasRoom: () => allowance().limit > 0,
    async handBack() {
      if (failed.size === 0) return;
      const ids = [...failed];
      await store.releaseToLater(deps.pool, number, ids, workerId, putOffSeconds);
      for (const id of ids) failed.delete(id);
      await job
        .onFailed?.(ids)
        .catch((error) => log.warn({ err: error, kind, ids }, 'a failure left no trace'));
    },
    async releaseUnknown(ids) {
      const strays = ids.filter((id) => !held.has(id) && !failed.has(id));
      if (strays.length === 0) return;
      log.warn({ kind, count: strays.length }, 'handing back work whose claim was never answered');
      await store.releaseToReady(deps.pool, number, strays, workerId);
    },
    async drain(deadlineMs) {
      clearTimeout(patience);
      while (claiming) await new Promise((resolve) => setTimeout(resolve, 5));
      if (held.size > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, deadlineMs);
          onEmpty = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      // What was begun stays leased: its outcome is open, and the next worker resolves it by rule.
      const unfinished = [...held, ...failed].filter((id) => !deps.begun.has(id));
      if (unfinished.length > 0)
        await store.releaseToReady(deps.pool, number, unfinished, workerId).catch(() => {});
    },
  };
}

type ClaimedRow = store.WorkRow & { leased_at: Date };

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
