import { run } from 'graphile-worker';
import { createEmailConnections } from '../../server/src/features/connections/index.ts';
import { createDispatchJob } from '../../server/src/features/dispatch/index.ts';
import { createBatcher } from '../../server/src/kernel/batcher.ts';
import type { Claim, Queue } from '../../server/src/queue/index.ts';
import { serve } from './serve.ts';

/**
 * The same work with graphile-worker as the queue: our own dispatch job loads, sends to the sandbox and settles in our
 * micro-batches, and only the leases are graphile's. That is more help than a program written for it would have.
 */
const app = await serve();
const queue: Queue = {
  ...app.deps.queue,
  begin: async (_sql, _kind, notes) => notes.map(({ id }) => id),
  finish: async (_sql, _kind, ids) => ids,
};
const deps = { ...app.deps, queue };
const job = createDispatchJob(deps, createEmailConnections(deps));

const load = createBatcher<Claim, Awaited<ReturnType<typeof job.load>>>(
  async (claims) => {
    const facts = await job.load(claims);
    return claims.map(() => facts);
  },
  { concurrency: 2, maxItems: 100 },
);

await run({
  connectionString: app.deps.config.DATABASE_URL ?? '',
  concurrency: Number(process.env.BENCH_CONCURRENCY),
  maxPoolSize: 20,
  pollInterval: 50,
  noHandleSignals: true,
  noPreparedStatements: false,
  logger: undefined as never,
  taskList: {
    async notify(payload) {
      const { id, environment_id } = payload as { id: string; environment_id: string };
      const claim: Claim = {
        kind: 'notification',
        id,
        lane: 'normal',
        environmentId: environment_id,
        note: null,
        leasedAt: new Date(),
        unparked: false,
      };
      const facts = await load.add(claim);
      await job.run(claim, facts.get(id));
    },
  },
});
