import { query } from '../../server/src/db/sql.ts';
import { allJobs } from '../../server/src/jobs.ts';
import { createBatcher } from '../../server/src/kernel/batcher.ts';
import type { Claim, Queue } from '../../server/src/queue/index.ts';
import { serve } from '../harness/serve.ts';
import { createStopwatch } from '../harness/stopwatch.ts';

/** What the library's queue holds of a notification. */
export interface LibraryJob {
  id: string;
  environment_id: string;
}

interface LibraryWork {
  databaseUrl: string;
  waiting: LibraryJob[];
  send(job: LibraryJob): Promise<void>;
}

/**
 * The service's worker with a library's queue in place of its own: the same sends and the same writes. What the service does in
 * batches (load, hand over, settle) is done in batches here too; leases, retries and the job's own rows are the library's affair.
 * `drive` enqueues what waits (not counted), begins to work, and returns how the library is closed. A send counts when it is
 * done, not when the library has noted that: in its favour.
 */
export async function serveWithLibrary(
  drive: (work: LibraryWork) => Promise<() => Promise<void>>,
): Promise<void> {
  let closing = async () => {};
  const stopwatch = createStopwatch();
  await serve(
    {
      jobs: (services) => {
        const jobs = allJobs(services);
        const queue: Queue = { ...services.queue, finish: async (_sql, _kind, ids) => ids };
        const job = allJobs({ ...services, queue }).notification;
        const loads = createBatcher<Claim, unknown>(
          async (claims) => {
            const inputs = await job.load(claims);
            return claims.map((claim) => inputs.get(claim.id));
          },
          { concurrency: 2, maxItems: 100 },
        );
        async function send({ id, environment_id }: LibraryJob): Promise<void> {
          const claim: Claim = {
            kind: 'notification',
            id,
            lane: 'normal',
            environmentId: environment_id,
            note: null,
            leasedAt: new Date(),
            unparkedFrom: null,
          };
          await job.run(claim, await loads.add(claim));
        }
        async function takeOver(): Promise<void> {
          const waiting = await query<LibraryJob>(
            services.pool,
            'delete from queue_ready returning id, environment_id',
          );
          const databaseUrl = services.config.DATABASE_URL ?? '';
          closing = await drive({ databaseUrl, waiting, send: stopwatch.around(send) });
        }
        void takeOver();
        return { ...jobs, notification: { ...jobs.notification, capacity: 0 } }; // its own queue claims none
      },
    },
    () => closing(),
  );
}
