import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createPool } from '../db/sql.ts';
import { steadyClock } from '../kernel/clock.ts';
import type { BeatReport, HeartbeatOptions } from './heartbeat.ts';
import { heartbeat } from './store.ts';

/**
 * The thread that sends the heartbeats of its process. It has its own connection and waits for nothing that the main thread does, so a
 * blocked event loop costs no leases. A main thread without a sign of life for a minute hangs: the heartbeats end, and other workers
 * rescue its work.
 */
const { database, workerId, pulse, intervalMs, aliveSeconds, hungAfterMs } = workerData as HeartbeatOptions;
/** A heartbeat without an answer by then is given up; the next one uses the second connection. */
const answerWithinMs = 5_000;
const retryMs = 500;
// A heartbeat need not wait for the disk, like a claim: the next one follows a lost one.
const pool = createPool(database, 2, { synchronous_commit: 'off', statement_timeout: `${answerWithinMs}` });

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
  const late = new AbortController();
  try {
    const answeredAt = await Promise.race([
      heartbeat(pool, workerId, aliveSeconds),
      delay(answerWithinMs, null, { signal: late.signal }),
    ]);
    if (answeredAt === null) return false;
    parentPort?.postMessage({ answeredAt } satisfies BeatReport);
    return true;
  } catch {
    return false; // the database is unavailable; the main thread notices and logs it
  } finally {
    late.abort();
  }
}

while (!stopped) {
  const began = steadyClock();
  const isHeard = await beat();
  const rest = isHeard ? intervalMs - (steadyClock() - began) : retryMs;
  await delay(Math.max(0, rest), null, { signal: stopping.signal }).catch(() => {});
}
await pool.end();
parentPort?.close();
