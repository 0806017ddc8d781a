import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createPool } from '../db/sql.ts';
import { steadyClock } from '../kernel/clock.ts';
import { type BeatReport, type HeartbeatOptions, heartbeat } from './heartbeat.ts';

/**
 * The thread that sends the heartbeats of its process. It has its own connection and waits for nothing that the main thread does, so a
 * blocked event loop costs no leases. A main thread without a sign of life for a minute hangs: the heartbeats end, and other workers
 * rescue its work.
 */
const { database, workerId, pulse, intervalMs, aliveSeconds, hungAfterMs } = workerData as HeartbeatOptions;
/** A heartbeat without an answer by then is given up, and its connection is destroyed. */
const answerWithinMs = 5_000;
/**
 * A heartbeat without an answer by then is repeated on another connection. After a failover with silent connections, every
 * worker has a heartbeat again before the others may think it dead (`settlingMs` of the runner).
 */
const repeatAfterMs = 1_000;
const retryMs = 500;
// A heartbeat need not wait for the disk, like a claim: the next one follows a lost one. One connection is used, unless answers
// are missing.
const pool = createPool(
  database,
  answerWithinMs / repeatAfterMs + 1,
  { synchronous_commit: 'off' },
  { deadlineMs: answerWithinMs, connectWithinMs: answerWithinMs },
);

let stopped = false;
const stopping = new AbortController();
parentPort?.once('message', () => {
  stopped = true;
  stopping.abort();
});

let lastPulse = -1;
let lastPulseAt = steadyClock();
function isMainThreadAlive(): boolean {
  const now = Atomics.load(pulse, 0);
  if (now !== lastPulse) lastPulseAt = steadyClock();
  lastPulse = now;
  return steadyClock() - lastPulseAt < hungAfterMs;
}

async function beat(): Promise<boolean> {
  if (!isMainThreadAlive()) return false;
  try {
    const answeredAt = await heartbeat(pool, workerId, aliveSeconds);
    parentPort?.postMessage({ answeredAt } satisfies BeatReport);
    return true;
  } catch {
    return false; // the database is unavailable; the main thread notices and logs it
  }
}

while (!stopped) {
  const began = steadyClock();
  const late = new AbortController();
  const hasAnswered = await Promise.race([
    beat(),
    delay(repeatAfterMs, null, { signal: late.signal }).catch(() => null),
  ]);
  late.abort();
  const rest = hasAnswered ? intervalMs - (steadyClock() - began) : hasAnswered === null ? 0 : retryMs;
  await delay(Math.max(0, rest), null, { signal: stopping.signal }).catch(() => {});
}
await pool.end();
parentPort?.close();
