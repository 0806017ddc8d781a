import { steadyClock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Pool } from './sql.ts';

export interface ContactOptions {
  /** After this long without an answer all connections are dropped: new ones may find a new primary. */
  dropAfterMs?: number;
  /** After this long the process gives up, so that its supervisor starts another. */
  giveUpAfterMs?: number;
  onGivenUp?: (silentMs: number) => void;
}

/** Whether the database answers this process at all, on any connection. */
export interface DatabaseContact {
  /** Reports an answer on a connection outside of the pools. */
  answered(): void;
  /** Drops idle connections: their server was found silent or read-only. */
  suspect(): void;
  hasGivenUp(): boolean;
  stop(): void;
}

const defaultDropAfterMs = 30_000;
const defaultGiveUpAfterMs = 120_000;

/**
 * Measures how long the database is silent. Only time in which this process ran counts: after a suspended process or a blocked
 * event loop the answers are still to be read.
 */
export function watchDatabase(
  pools: readonly Pool[],
  log: Log,
  {
    dropAfterMs = defaultDropAfterMs,
    giveUpAfterMs = defaultGiveUpAfterMs,
    onGivenUp = () => {},
  }: ContactOptions = {},
): DatabaseContact {
  const checkMs = Math.min(1_000, dropAfterMs / 5);
  let hasAnswered = false;
  let silentMs = 0;
  let dropAtMs = dropAfterMs;
  let checkedAt = steadyClock();
  let hasGivenUp = false;

  const timer = setInterval(() => {
    const elapsed = steadyClock() - checkedAt;
    checkedAt += elapsed;
    // Every pool is asked: a flag that stays set would count as a later answer.
    const answers = pools.map((pool) => pool.takeAnswered());
    if (hasAnswered || answers.includes(true)) {
      if (silentMs >= dropAfterMs)
        log.info({ silent_ms: Math.round(silentMs) }, 'the database answers again');
      [hasAnswered, silentMs, dropAtMs] = [false, 0, dropAfterMs];
      return;
    }
    silentMs += Math.min(elapsed, 2 * checkMs);
    if (silentMs >= giveUpAfterMs && !hasGivenUp) {
      hasGivenUp = true;
      onGivenUp(silentMs);
    } else if (silentMs >= dropAtMs) {
      dropAtMs += dropAfterMs;
      log.warn({ silent_ms: Math.round(silentMs) }, 'the database does not answer; dropping all connections');
      for (const pool of pools) pool.dropAll();
    }
  }, checkMs).unref();

  function suspect(): void {
    for (const pool of pools) pool.dropIdle();
  }
  for (const pool of pools) pool.onWrongServer = suspect;

  return {
    answered() {
      hasAnswered = true;
    },
    suspect,
    hasGivenUp: () => hasGivenUp,
    stop: () => clearInterval(timer),
  };
}
