// graphile-worker on PostgreSQL. Its page on performance advises high throughput to fetch a batch of jobs (localQueue) and to
// delete finished ones in batches. These are the best of 100, 200, 400 and 800 jobs at once, queues of 201, 500 and 1,000 jobs,
// and delays of 0 and 25 ms.
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { createPool } from '../../server/src/db/sql.ts';
import { type LibraryJob, serveWithLibrary } from './library-worker.ts';

const batching = {
  concurrentJobs: 800, // as many as the service's own worker
  localQueue: { size: 1_000 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
};
/** Its defaults but for what works at once: the best of 20, 50, 100 and 200 jobs on 10, 20 and 40 connections. */
const single = { concurrentJobs: 100 };
const isSingle = process.env.BENCH_GRAPHILE === 'single';

await serveWithLibrary(async ({ databaseUrl, waiting, send }) => {
  const pgPool = createPool(databaseUrl, isSingle ? 20 : 10, { statement_timeout: '0' });
  const logger = new Logger(() => () => {}); // it logs every job
  const utils = await makeWorkerUtils({ pgPool, logger });
  await utils.migrate();
  await utils.addJobs(waiting.map((payload) => ({ identifier: 'send', payload })));
  const runner = await run({
    pgPool,
    logger,
    noHandleSignals: true,
    taskList: { send: (payload) => send(payload as LibraryJob) },
    preset: { worker: isSingle ? single : batching },
  });
  return () => runner.stop();
});
