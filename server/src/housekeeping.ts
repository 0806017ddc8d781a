import type { Deps } from './deps.ts';
import { deleteExpiredSessions } from './features/accounts/index.ts';
import { tidyActivity } from './features/activity/index.ts';
import { tidyCallbacks } from './features/callbacks/index.ts';
import { tidyInbox } from './features/inbox/index.ts';
import { deleteAttachmentBytesBefore } from './features/notifications/index.ts';
import { tidyRuns } from './features/runs/index.ts';
import { tidySandbox } from './features/sandbox/index.ts';
import { deleteExpiredKeys } from './http/idempotency.ts';
import { deleteDeadWorkers } from './queue/store.ts';

const everyMs = 60_000;
const sliceOfKeys = 5_000;
const attachmentDays = 7;

/**
 * What time alone makes superfluous is removed in small slices. Every worker process may do it at once: the chores are
 * plain deletes that find nothing when somebody else was first.
 */
export function startHousekeeping({ pool, log, clock }: Pick<Deps, 'pool' | 'log' | 'clock'>): {
  stop(): Promise<void>;
} {
  let stopped = false;

  async function tidy(): Promise<void> {
    while (!stopped && (await deleteExpiredKeys(pool, sliceOfKeys)) === sliceOfKeys) {}
    await deleteAttachmentBytesBefore(pool, clock() - attachmentDays * 86_400_000);
    await deleteExpiredSessions(pool);
    await tidyCallbacks(pool, clock(), () => stopped);
    await tidyInbox(pool, clock(), () => stopped);
    await tidyRuns(pool, clock(), () => stopped);
    await tidyActivity(pool, clock(), () => stopped);
    await tidySandbox(pool, clock(), () => stopped);
    await deleteDeadWorkers(pool);
  }

  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = running
      .then(tidy)
      .catch((error) => log.warn({ err: error }, 'housekeeping failed; trying again'));
  }, everyMs);
  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
