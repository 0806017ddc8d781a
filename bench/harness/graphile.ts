import { Logger, run } from 'graphile-worker';
import { createPool } from '../../server/src/db/sql.ts';
import { allJobs } from '../../server/src/jobs.ts';
import { createBatcher } from '../../server/src/kernel/batcher.ts';
import type { Claim, Queue } from '../../server/src/queue/index.ts';
import { serve } from './serve.ts';
import { createStopwatch } from './stopwatch.ts';

/**
 * The same sends and the same writes, driven by graphile-worker: its job is the id of a notification. What the service does in
 * batches (load, hand over, settle) is done in batches here too; only leases are graphile-worker's own affair.
 */
const stopwatch = createStopwatch();

await serve({
  jobs: (services) => {
    const queue: Queue = { ...services.queue, finish: async (_sql, _kind, ids) => ids };
    const job = allJobs({ ...services, queue }).notification;
    const loads = createBatcher<Claim, unknown>(
      async (claims) => {
        const facts = await job.load(claims);
        return claims.map((claim) => facts.get(claim.id));
      },
      { concurrency: 2, maxItems: 100 },
    );
    const send = async (payload: unknown): Promise<void> => {
      const { id, environment_id } = payload as { id: string; environment_id: string };
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
    };
    void run({
      pgPool: createPool(services.config.DATABASE_URL ?? '', Number(process.env.BENCH_CONNECTIONS)),
      concurrency: Number(process.env.BENCH_CONCURRENCY),
      noHandleSignals: true,
      logger: new Logger(() => () => {}), // it logs every job
      taskList: { send: stopwatch.around(send) },
    });
    return allJobs(services); // nothing waits in the service's own queue
  },
});
