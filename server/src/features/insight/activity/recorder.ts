import { isDatabaseUnavailable } from '../../../db/sql.ts';
import type { Activity, Deps } from '../../../deps.ts';
import { addActivity } from './store.ts';
import { createTally } from './tally.ts';

interface Recorder extends Activity {
  /** Writes the remaining counts. */
  stop(): Promise<void>;
}

const everyMs = 5_000;
/** With this many cells they are written immediately; a statement of this size takes a tenth of a second. */
const fullCells = 5_000;
/** About 10 MB, when the database is unavailable for that long. */
const maxCells = 4 * fullCells;
const pauseAfterFailureMs = 1_000;

/** Counts in memory and writes periodically: a killed process loses a few seconds of figures, nothing else. */
export function startRecorder({ pool, clock, log }: Pick<Deps, 'pool' | 'clock' | 'log'>): Recorder {
  const tally = createTally(clock, maxCells);
  let writing: Promise<void> = Promise.resolve();
  let isQueued = false;
  let failedAt = 0;

  async function write(): Promise<void> {
    isQueued = false;
    if (tally.size() === 0) return;
    const counted = tally.take();
    try {
      await addActivity(pool, counted);
    } catch (error) {
      failedAt = clock();
      // If only the answer was lost the counts double: that is better than a gap at every restart of the database.
      if (isDatabaseUnavailable(error)) tally.putBack(counted);
      log.warn({ err: error }, 'failed to write activity counts');
    }
  }

  /** Writes are serialized; calls that arrive while one is queued share it. */
  function flush(): Promise<void> {
    if (!isQueued) {
      isQueued = true;
      writing = writing.then(write);
    }
    return writing;
  }

  const timer = setInterval(() => void flush(), everyMs).unref();
  const flushWhenFull = (): void => {
    if (tally.size() >= fullCells && clock() - failedAt > pauseAfterFailureMs) void flush();
  };

  return {
    count(environmentId, channel, outcome) {
      tally.count(environmentId, channel, outcome);
      flushWhenFull();
    },
    took: tally.took,
    called(environmentId, endpointId, succeeded, latencyMs) {
      tally.called(environmentId, endpointId, succeeded, latencyMs);
      flushWhenFull();
    },
    triggered(workflowId) {
      tally.triggered(workflowId);
      flushWhenFull();
    },
    flush,
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}
