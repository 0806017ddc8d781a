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
  /** Sends the first heartbeat; the later ones come from a thread. */
  begin(): Promise<void>;
  hasBegun(): boolean;
  /** The time of the last heartbeat by the clock of the database. */
  lastBeatAt(): number;
  /** Start of the heartbeats without a gap. A worker with a gap of its own cannot know whether others are dead. */
  steadySince(): Moment;
  isAlive(): boolean;
  stop(): Promise<void>;
}

export interface HeartbeatDeps {
  pool: Pool;
  /** The database URL, for the connection of the thread. */
  database: string;
  heartbeatEntry: ThreadEntry;
  log: Log;
  workerId: string;
}

const intervalMs = 2_000;
/** A worker without a heartbeat for this long is dead. With the tick, its work is rescued within 10 s while the database answers. */
const aliveSeconds = 7;
/** After an outage of the database, or a jump of its clock, all workers look dead until their next heartbeat. */
export const outageMs = 4_000;
const pulseMs = 1_000;
const hungAfterMs = 60_000;
/** The first heartbeat is valid for longer than this, so a start need not wait for the thread. */
const startAfterMs = 1_000;
const restartAfterMs = 1_000;
const stopWithinMs = 2_000;

export function createHeartbeat(deps: HeartbeatDeps): Heartbeat {
  const { log, workerId } = deps;
  const pulse = new Int32Array(new SharedArrayBuffer(4));
  let last = noMoment;
  let answeredAt = -Infinity;
  let steadySince = noMoment;
  let thread: Thread | null = null;
  let starting: NodeJS.Timeout | undefined;
  let pulsing: NodeJS.Timeout | undefined;
  let onEnded = (): void => {};

  function recordAnswer(now: number): void {
    if (Math.max(msSince(last), now - answeredAt) > outageMs) steadySince = momentNow();
    last = momentNow();
    answeredAt = now;
  }

  function start(): void {
    const options: HeartbeatOptions = {
      ...{ database: deps.database, workerId, pulse },
      ...{ intervalMs, aliveSeconds, hungAfterMs },
    };
    thread = startThread(deps.heartbeatEntry, options, {
      message: (report) => recordAnswer((report as BeatReport).answeredAt),
      failed(error) {
        thread = null;
        onEnded();
        if (pulsing === undefined) return;
        log.error({ err: error }, 'the heartbeat thread ended; starting another');
        starting = setTimeout(start, restartAfterMs);
      },
    });
  }

  return {
    async begin() {
      recordAnswer(await heartbeat(deps.pool, workerId, aliveSeconds));
      pulsing = setInterval(() => Atomics.add(pulse, 0, 1), pulseMs);
      starting = setTimeout(start, startAfterMs);
    },
    hasBegun: () => last !== noMoment,
    lastBeatAt: () => answeredAt,
    steadySince: () => steadySince,
    isAlive: () => msSince(last) < aliveSeconds * 1_000,
    async stop() {
      clearInterval(pulsing);
      pulsing = undefined;
      clearTimeout(starting);
      if (!thread) return;
      // A heartbeat in flight ends first: the worker's row is deleted after this.
      const ended = new Promise<void>((resolve) => {
        onEnded = resolve;
      });
      thread.post('stop');
      await Promise.race([ended, delay(stopWithinMs, undefined, { ref: false })]);
      await thread?.end();
    },
  };
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
