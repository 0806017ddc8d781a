import { setTimeout as delay } from 'node:timers/promises';
import { type Pool, type Sql, statement } from '../db/sql.ts';
import { type Moment, momentNow, msSince, noMoment } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { startThread, type Thread, type ThreadEntry } from '../threads/start.ts';

/** The input of the heartbeat thread. */
export interface HeartbeatOptions {
  database: string;
  workerId: string;
  /** A counter that the main thread increments while it is alive. */
  pulse: Int32Array;
  intervalMs: number;
  aliveSeconds: number;
  hungAfterMs: number;
}

/** The report after each heartbeat: its time by the clock of the database. */
export interface BeatReport {
  answeredAt: number;
}

export interface Heartbeat {
  /** Sends the first heartbeat and goes on. */
  begin(): Promise<void>;
  /** Says whether the process has leases. While it has, and for a while after, the heartbeats come from a thread. */
  setBusy(hasLeases: boolean): void;
  hasBegun(): boolean;
  /** The time of the last heartbeat by the clock of the database. */
  lastBeatAt(): number;
  /** Start of the heartbeats without a gap. A worker with a gap of its own cannot know whether others are dead. */
  steadySince(): Moment;
  isAlive(): boolean;
  stop(): Promise<void>;
}

export interface HeartbeatDeps {
  /** A heartbeat need not wait for the disk, like a claim: the next one follows a lost one. */
  claimPool: Pool;
  /** The database URL, for the connection of the thread. */
  database: string;
  heartbeatEntry: ThreadEntry;
  log: Log;
  workerId: string;
  /** How long the thread stays without leases; shorter in tests. */
  threadIdleMs?: number;
}

const intervalMs = 2_000;
/** A worker without a heartbeat for this long is dead. With the tick, its work is rescued within 10 s while the database answers. */
const aliveSeconds = 7;
/** After an outage of the database, or a jump of its clock, all workers look dead until their next heartbeat. */
export const outageMs = 4_000;
const pulseMs = 1_000;
const hungAfterMs = 60_000;
const restartAfterMs = 1_000;
const stopWithinMs = 2_000;
const defaultThreadIdleMs = 30_000;

export function createHeartbeat(deps: HeartbeatDeps): Heartbeat {
  const { claimPool, workerId, threadIdleMs = defaultThreadIdleMs } = deps;
  const thread = createBeatingThread(deps, recordAnswer);
  let last = noMoment;
  let answeredAt = -Infinity;
  let steadySince = noMoment;
  let beating: NodeJS.Timeout | undefined;
  /** The heartbeat of this thread that has no answer yet. */
  let unanswered: Promise<void> | null = null;
  /** When the thread was last needed. */
  let neededAt = noMoment;

  function recordAnswer(now: number): void {
    if (Math.max(msSince(last), now - answeredAt) > outageMs) steadySince = momentNow();
    last = momentNow();
    answeredAt = now;
  }

  function needThread(): void {
    neededAt = momentNow();
    if (beating) thread.start();
  }

  /** A process without leases loses nothing by a heartbeat that is late, and a thread takes 13 MB and a connection. */
  function beat(): void {
    if (thread.isBeating()) return;
    if (unanswered) {
      needThread(); // it repeats heartbeats on other connections
      return;
    }
    unanswered = heartbeat(claimPool, workerId, aliveSeconds)
      .then(recordAnswer, () => {}) // the database is unavailable; the tick notices and logs it
      .finally(() => {
        unanswered = null;
      });
  }

  return {
    async begin() {
      recordAnswer(await heartbeat(claimPool, workerId, aliveSeconds));
      beating = setInterval(beat, intervalMs);
    },
    setBusy(hasLeases) {
      if (hasLeases) needThread();
      else if (thread.isBeating() && msSince(neededAt) > threadIdleMs) {
        thread.rest();
        beat();
      }
    },
    hasBegun: () => last !== noMoment,
    lastBeatAt: () => answeredAt,
    steadySince: () => steadySince,
    isAlive: () => msSince(last) < aliveSeconds * 1_000,
    async stop() {
      clearInterval(beating);
      beating = undefined;
      // A heartbeat in flight ends first: the worker's row is deleted after this.
      await Promise.all([thread.stop(), within(stopWithinMs, unanswered)]);
    },
  };
}

interface BeatingThread {
  /** Starts the thread, unless it runs. */
  start(): void;
  /** True from its first heartbeat on. */
  isBeating(): boolean;
  /** Ends the thread until the next start. */
  rest(): void;
  stop(): Promise<void>;
}

function createBeatingThread(
  { database, heartbeatEntry, log, workerId }: HeartbeatDeps,
  onAnswer: (answeredAt: number) => void,
): BeatingThread {
  const pulse = new Int32Array(new SharedArrayBuffer(4));
  let current: { thread: Thread; ended: Promise<void> } | null = null;
  let hasBeaten = false;
  let pulsing: NodeJS.Timeout | undefined;
  let restarting: NodeJS.Timeout | undefined;
  let isStopped = false;
  const ending = new Set<Promise<void>>();

  function start(): void {
    if (current || restarting || isStopped) return;
    const options: HeartbeatOptions = {
      ...{ database, workerId, pulse },
      ...{ intervalMs, aliveSeconds, hungAfterMs },
    };
    let onEnded = (): void => {};
    const ended = new Promise<void>((resolve) => {
      onEnded = resolve;
    });
    const thread = startThread(heartbeatEntry, options, {
      message(report) {
        if (current?.thread === thread) hasBeaten = true;
        onAnswer((report as BeatReport).answeredAt);
      },
      failed(error) {
        onEnded();
        if (current?.thread !== thread) return;
        forget();
        log.error({ err: error }, 'the heartbeat thread ended; starting another');
        restarting = setTimeout(() => {
          restarting = undefined;
          start();
        }, restartAfterMs);
      },
    });
    current = { thread, ended };
    pulsing = setInterval(() => Atomics.add(pulse, 0, 1), pulseMs);
  }

  function forget(): void {
    current = null;
    hasBeaten = false;
    clearInterval(pulsing);
  }

  function rest(): void {
    clearTimeout(restarting);
    restarting = undefined;
    if (!current) return;
    const { thread, ended } = current;
    forget();
    thread.post('stop'); // a heartbeat in flight ends first
    const end: Promise<void> = within(stopWithinMs, ended)
      .then(thread.end)
      .finally(() => ending.delete(end));
    ending.add(end);
  }

  return {
    start,
    isBeating: () => hasBeaten,
    rest,
    async stop() {
      isStopped = true;
      rest();
      await Promise.all(ending);
    },
  };
}

async function within(ms: number, work: Promise<void> | null): Promise<void> {
  await Promise.race([work, delay(ms, undefined, { ref: false })]);
}

/** The SQL of workers: one row per process, renewed by its heartbeats. */

const upsertWorker = statement<{ now: Date }>(
  'queue_heartbeat',
  `insert into workers (id, alive_until) values ($1, now() + make_interval(secs => $2))
   on conflict (id) do update set alive_until = excluded.alive_until
   returning now()`,
);

/** Returns the time of the heartbeat by the clock of the database. */
export async function heartbeat(sql: Sql, workerId: string, seconds: number): Promise<number> {
  const [row] = await upsertWorker(sql, [workerId, seconds]);
  if (!row) throw new Error('failed to write a heartbeat');
  return row.now.getTime();
}

const removeWorker = statement('queue_remove_worker', 'delete from workers where id = $1');

export async function deleteWorker(sql: Sql, workerId: string): Promise<void> {
  await removeWorker(sql, [workerId]);
}

const removeDeadWorkers = statement(
  'queue_remove_dead_workers',
  `delete from workers w where alive_until < now() - interval '1 hour'
   and not exists (select from queue_leased l where l.worker_id = w.id)`,
);

export async function tidyWorkers({ pool }: { pool: Pool }): Promise<void> {
  await removeDeadWorkers(pool);
}
