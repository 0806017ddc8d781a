import { isDatabaseUnavailable } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { type Activity, createTally } from '../../kernel/activity.ts';
import { addActivity } from './store.ts';

export interface Recorder extends Activity {
  /** Writes what is left. */
  stop(): Promise<void>;
}

const everyMs = 5_000;
/** With so many cells it is written at once; a statement of this size takes a tenth of a second. */
const fullCells = 5_000;
/** About 10 MB, when the database is away for so long. */
const maxCells = 4 * fullCells;
const pauseAfterFailureMs = 1_000;

/** Counts in memory and writes now and then: a process that is killed takes a few seconds of figures with it, nothing else. */
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
      // If only the answer was lost they count twice: better than a hole wherever the database was restarted.
      if (isDatabaseUnavailable(error)) tally.putBack(counted);
      log.warn({ err: error }, 'figures of activity could not be written');
    }
  }

  /** One after the other; whoever comes while one waits shares it. */
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
