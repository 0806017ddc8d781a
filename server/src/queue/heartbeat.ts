import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from '../db/sql.ts';
import { type Moment, msSince, never, thisMoment } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { startThread, type Thread, type ThreadEntry } from '../kernel/threads/start.ts';
import * as store from './store.ts';

/** What the thread is handed. */
export interface HeartbeatOptions {
  database: string;
  workerId: string;
  /** Counted up by the main thread while it lives. */
  pulse: Int32Array;
  intervalMs: number;
  aliveSeconds: number;
  hungAfterMs: number;
}

/** What the thread tells after each beat: when it was heard, by the clock of the database. */
export interface BeatReport {
  heardAt: number;
}

export interface Heartbeat {
  /** The first beat; the later ones come from a thread. */
  begin(): Promise<void>;
  hasBegun(): boolean;
  /** When the last beat was heard, by the clock of the database. */
  lastBeatAt(): number;
  /** Since when beats arrive without a gap; a worker that could not be heard cannot say that others were silent. */
  steadySince(): Moment;
  isAlive(): boolean;
  stop(): Promise<void>;
}

export interface HeartbeatDeps {
  pool: Pool;
  /** The address of the database, for the connection of the thread. */
  database: string;
  heartbeatEntry: ThreadEntry;
  log: Log;
  workerId: string;
}

const intervalMs = 2_000;
/** A worker silent for this long is dead. With the tick, another one has its work within 10 s while the database answers, also on a busy machine. */
const aliveSeconds = 7;
/** After an outage of the database, or when its clock is put forward, all workers look dead until they have been heard again. */
export const outageMs = 4_000;
const pulseMs = 1_000;
const hungAfterMs = 60_000;
/** The first beat lasts for longer than this, and a start need not wait for a thread. */
const startAfterMs = 1_000;
const restartAfterMs = 1_000;
const stopWithinMs = 2_000;

export function createHeartbeat(deps: HeartbeatDeps): Heartbeat {
  const { log, workerId } = deps;
  const pulse = new Int32Array(new SharedArrayBuffer(4));
  let last = never;
  let heardAt = -Infinity;
  let steadySince = never;
  let thread: Thread | null = null;
  let starting: NodeJS.Timeout | undefined;
  let pulsing: NodeJS.Timeout | undefined;
  let onEnded = (): void => {};

  function heard(now: number): void {
    if (Math.max(msSince(last), now - heardAt) > outageMs) steadySince = thisMoment();
    last = thisMoment();
    heardAt = now;
  }

  function start(): void {
    const options: HeartbeatOptions = {
      ...{ database: deps.database, workerId, pulse },
      ...{ intervalMs, aliveSeconds, hungAfterMs },
    };
    thread = startThread(deps.heartbeatEntry, options, {
      message: (report) => heard((report as BeatReport).heardAt),
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
      heard(await store.heartbeat(deps.pool, workerId, aliveSeconds));
      pulsing = setInterval(() => Atomics.add(pulse, 0, 1), pulseMs);
      starting = setTimeout(start, startAfterMs);
    },
    hasBegun: () => last !== never,
    lastBeatAt: () => heardAt,
    steadySince: () => steadySince,
    isAlive: () => msSince(last) < aliveSeconds * 1_000,
    async stop() {
      clearInterval(pulsing);
      pulsing = undefined;
      clearTimeout(starting);
      if (!thread) return;
      // A beat under way comes to its end first: after this the worker's row is deleted.
      const ended = new Promise<void>((resolve) => {
        onEnded = resolve;
      });
      thread.post('stop');
      await Promise.race([ended, delay(stopWithinMs, undefined, { ref: false })]);
      await thread?.end();
    },
  };
}
