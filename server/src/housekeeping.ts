import {
  dropExpiredPartitions,
  ensurePartitions,
  tuneVacuum,
  watchYoungPartitions,
} from './db/partitions.ts';
import type { Deps } from './deps.ts';
import { forgetBroadcasts, tidyBroadcasts } from './features/campaigns/broadcasts/index.ts';
import { tidyBulkActions } from './features/campaigns/bulk-actions/index.ts';
import { tidySchedules } from './features/campaigns/schedules/index.ts';
import { detectSpikes, tidyBrakeCounts, tidyReleases } from './features/control/brake/index.ts';
import { measureStorage } from './features/control/usage/index.ts';
import { tidyPresences } from './features/delivery/push/index.ts';
import { tidyCallbacks } from './features/delivery/receipts/index.ts';
import { tidyInbox } from './features/inbox/index.ts';
import { tidyActivity } from './features/insight/activity/index.ts';
import { forgetNotifications, tidyAttachments } from './features/notifications/notifications/index.ts';
import { tidySandbox } from './features/notifications/sandbox/index.ts';
import { tidyTopics } from './features/people/audiences/index.ts';
import { tidySessions } from './features/platform/accounts/index.ts';
import { tidyIdempotencyKeys } from './features/platform/idempotency/index.ts';
import { releaseForgottenObjects, tidyObjects } from './features/platform/objects/index.ts';
import { tidyIncidents } from './features/providers/incidents/index.ts';
import { forgetEvents, sealSavedUrls } from './features/webhooks/index.ts';
import { forgetRuns, tidyRuns, wakeRunsOf } from './features/workflows/runs/index.ts';
import { sealSavedVersions } from './features/workflows/workflows/index.ts';
import { tidyWorkers } from './queue/heartbeat.ts';

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** By then the processes of the previous release, which cannot open sealed values, are gone. */
const sealAfterMs = 600_000;

type HousekeepingDeps = Pick<
  Deps,
  'config' | 'pool' | 'queue' | 'doorbell' | 'log' | 'clock' | 'keyring' | 'objectStore'
>;

/**
 * Regular work on stored rows, in small slices that end when the process stops. Every worker process may run a chore at the same
 * time: it finds nothing to do when another process was first.
 */
type Chore<D = HousekeepingDeps> = (deps: D, isStopped: () => boolean) => Promise<void>;
type ForgetDeps = Omit<HousekeepingDeps, 'objectStore'>;

/** Table: the chores of every minute, in this order. */
const chores: Chore[] = [
  ({ pool, config, clock, log }) =>
    ensurePartitions(pool, { retentionDays: config.CARILLON_RETENTION_DAYS, nowMs: clock(), log }),
  tidyIdempotencyKeys,
  tidyAttachments,
  tidySessions,
  tidyCallbacks,
  tidyInbox,
  tidyPresences,
  tidyTopics,
  tidyBroadcasts,
  tidyRuns,
  tidySchedules,
  tidyActivity,
  tidyReleases,
  tidySandbox,
  measureStorage,
  tidyIncidents,
  tidyBulkActions,
  tidyWorkers,
  tidyObjects, // last: a store that does not answer takes its deadline
];

/** Table: the hourly chores. Forgetting reads, each time, the old rows that have not ended. */
const hourlyChores: { chore: Chore; afterMs?: number }[] = [
  { chore: sealSavedVersions, afterMs: sealAfterMs },
  { chore: sealSavedUrls, afterMs: sealAfterMs },
  { chore: tidyBrakeCounts },
  { chore: forget },
];

/** Table: the chores that delete what ended before the retention period. */
const retentionChores = (beforeMs: number): Chore<ForgetDeps>[] => [
  forgetNotifications(beforeMs, wakeRunsOf),
  releaseForgottenObjects(beforeMs),
  ({ pool, log }) => dropExpiredPartitions(pool, beforeMs, log),
  forgetBroadcasts(beforeMs),
  forgetRuns(beforeMs),
  forgetEvents(beforeMs),
];

export function startHousekeeping(deps: HousekeepingDeps, everyMs = minuteMs): { stop(): Promise<void> } {
  let stopped = false;
  const isStopped = (): boolean => stopped;
  const hourly = hourlyChores.map(({ chore, afterMs = 0 }) => hourlyFrom(deps.clock() + afterMs, chore));

  /** Repeats the chores; each round follows the one before. */
  function repeat(round: Chore[]): { stop(): Promise<void> } {
    let running: Promise<void> = Promise.resolve();
    const timer = setInterval(() => {
      running = running
        .then(() => runAll(round, deps, isStopped))
        .catch((error) => deps.log.warn({ err: error }, 'housekeeping failed; it will be retried'));
    }, everyMs);
    return {
      async stop() {
        clearInterval(timer);
        await running;
      },
    };
  }

  // Apart from the others: a spike that is not noted for 150 seconds counts as over, and a chore may take longer.
  const rounds = [repeat([detectSpikes]), repeat([...chores, ...hourly])];
  const youngPartitions = watchYoungPartitions(deps);
  return {
    async stop() {
      stopped = true;
      youngPartitions.stop();
      await Promise.all(rounds.map((round) => round.stop()));
    },
  };
}

async function runAll<D>(chores: Chore<D>[], deps: D, isStopped: () => boolean): Promise<void> {
  for (const chore of chores) if (!isStopped()) await chore(deps, isStopped);
}

/** The chore is due again an hour after it succeeded; after a failure, at once. */
function hourlyFrom(startMs: number, chore: Chore): Chore {
  let dueAt = startMs;
  return async (deps, isStopped) => {
    if (deps.clock() < dueAt) return;
    await chore(deps, isStopped);
    dueAt = deps.clock() + hourMs;
  };
}

/** Removes rows that ended before the retention period. */
export async function forget(deps: ForgetDeps, isStopped: () => boolean): Promise<void> {
  const days = deps.config.CARILLON_RETENTION_DAYS;
  const nowMs = deps.clock();
  const beforeMs = days === null ? null : nowMs - days * dayMs;
  if (beforeMs !== null) await runAll(retentionChores(beforeMs), deps, isStopped);
  await tuneVacuum(deps.pool, { beforeMs, nowMs });
}
