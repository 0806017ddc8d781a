import {
  dropExpiredPartitions,
  ensurePartitions,
  tuneVacuum,
  watchYoungPartitions,
} from './db/partitions.ts';
import type { Deps } from './deps.ts';
import { forgetBroadcasts, tidyBroadcasts } from './features/campaigns/broadcasts/index.ts';
import { deleteBulkActionsBefore } from './features/campaigns/bulk-actions/index.ts';
import { tidySchedules } from './features/campaigns/schedules/index.ts';
import { deleteOldReleases, detectSpikes, tidyBrakeCounts } from './features/control/brake/index.ts';
import { measureStorage } from './features/control/usage/index.ts';
import { tidyPresences } from './features/delivery/push/index.ts';
import { tidyCallbacks } from './features/delivery/receipts/index.ts';
import { tidyInbox } from './features/inbox/index.ts';
import { tidyActivity } from './features/insight/activity/index.ts';
import {
  deleteAttachmentBytesBefore,
  forgetNotifications,
} from './features/notifications/notifications/index.ts';
import { tidySandbox } from './features/notifications/sandbox/index.ts';
import { tidyTopics } from './features/people/audiences/index.ts';
import { deleteExpiredSessions } from './features/platform/accounts/index.ts';
import { deleteExpiredKeys } from './features/platform/idempotency/index.ts';
import { deleteUnusedObjects, releaseForgottenObjects } from './features/platform/objects/index.ts';
import { deleteOldIncidents } from './features/providers/incidents/index.ts';
import { forgetEvents, sealSavedUrls } from './features/webhooks/index.ts';
import { forgetRuns, tidyRuns, wakeRunsOf } from './features/workflows/runs/index.ts';
import { sealSavedVersions } from './features/workflows/workflows/index.ts';
import { deleteDeadWorkers } from './queue/workers-store.ts';

const minuteMs = 60_000;
const forgetEveryMs = 3_600_000;
/** By then the processes of the previous release, which cannot open sealed values, are gone. */
const sealAfterMs = 600_000;
const sliceOfKeys = 5_000;
const attachmentDays = 7;
const bulkActionDays = 30;
const dayMs = 86_400_000;

type HousekeepingDeps = Pick<
  Deps,
  'config' | 'pool' | 'queue' | 'doorbell' | 'log' | 'clock' | 'keyring' | 'objectStore'
>;

/**
 * Removes expired rows in small slices. Every worker process may run it at the same time: the chores are plain deletes that
 * find nothing when another process was first.
 */
export function startHousekeeping(deps: HousekeepingDeps, everyMs = minuteMs): { stop(): Promise<void> } {
  const { config, pool, log, clock } = deps;
  let stopped = false;
  let forgottenAt = 0;
  let countsTidiedAt = 0;
  let nextSealingAt = clock() + sealAfterMs;

  async function tidy(): Promise<void> {
    await ensurePartitions(pool, { retentionDays: config.CARILLON_RETENTION_DAYS, nowMs: clock(), log });
    while (!stopped && (await deleteExpiredKeys(pool, sliceOfKeys)) === sliceOfKeys) {}
    await deleteAttachmentBytesBefore(pool, clock() - attachmentDays * dayMs, () => stopped);
    await deleteExpiredSessions(pool);
    await tidyCallbacks(pool, clock(), () => stopped);
    await tidyInbox(pool, clock(), () => stopped);
    await tidyPresences(pool, () => stopped);
    await tidyTopics(pool, () => stopped);
    await tidyBroadcasts(deps, () => stopped);
    await tidyRuns(pool, clock(), () => stopped);
    await tidySchedules(pool, clock(), () => stopped);
    await tidyActivity(pool, clock(), () => stopped);
    await deleteOldReleases(pool);
    await tidySandbox(deps, () => stopped);
    await measureStorage(deps, () => stopped);
    await deleteOldIncidents(pool);
    await deleteBulkActionsBefore(pool, clock() - bulkActionDays * dayMs);
    await deleteDeadWorkers(pool);
    await deleteUnusedObjects(deps, () => stopped); // last: a store that does not answer takes its deadline
    if (clock() >= nextSealingAt) {
      await sealSavedVersions(deps, () => stopped);
      await sealSavedUrls(deps, () => stopped);
      nextSealingAt = clock() + forgetEveryMs;
    }
    if (clock() - countsTidiedAt >= forgetEveryMs) {
      await tidyBrakeCounts(pool, () => stopped);
      countsTidiedAt = clock();
    }
    // Hourly, not every minute: each run reads the old rows that have not ended.
    if (clock() - forgottenAt < forgetEveryMs) return;
    await forget(deps, () => stopped);
    forgottenAt = clock();
  }

  /** Repeats the chore; each time follows the one before. */
  function repeat(chore: () => Promise<void>): { stop(): Promise<void> } {
    let running: Promise<void> = Promise.resolve();
    const timer = setInterval(() => {
      running = running
        .then(() => (stopped ? undefined : chore()))
        .catch((error) => log.warn({ err: error }, 'housekeeping failed; it will be retried'));
    }, everyMs);
    return {
      async stop() {
        clearInterval(timer);
        await running;
      },
    };
  }

  // Apart from the others: a spike that is not noted for 150 seconds counts as over, and a chore may take longer.
  const chores = [repeat(() => detectSpikes(deps)), repeat(tidy)];
  const youngPartitions = watchYoungPartitions(deps);
  return {
    async stop() {
      stopped = true;
      youngPartitions.stop();
      await Promise.all(chores.map((chore) => chore.stop()));
    },
  };
}

/** Removes rows that ended before the retention period. */
export async function forget(
  deps: Omit<HousekeepingDeps, 'objectStore'>,
  isStopped: () => boolean,
): Promise<void> {
  const days = deps.config.CARILLON_RETENTION_DAYS;
  const nowMs = deps.clock();
  const beforeMs = days === null ? null : nowMs - days * dayMs;
  if (beforeMs !== null) await forgetBefore(deps, beforeMs, isStopped);
  await tuneVacuum(deps.pool, { beforeMs, nowMs });
}

async function forgetBefore(
  deps: Omit<HousekeepingDeps, 'objectStore'>,
  beforeMs: number,
  isStopped: () => boolean,
): Promise<void> {
  await forgetNotifications(deps, wakeRunsOf, beforeMs, isStopped);
  await releaseForgottenObjects(deps.pool, beforeMs, isStopped);
  if (!isStopped()) await dropExpiredPartitions(deps.pool, beforeMs, deps.log);
  await forgetBroadcasts(deps, beforeMs, isStopped);
  await forgetRuns(deps.pool, beforeMs, isStopped);
  await forgetEvents(deps.pool, beforeMs, isStopped);
}
