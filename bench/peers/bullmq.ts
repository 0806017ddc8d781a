// BullMQ on Redis or Valkey, which `bench/peers.ts` starts. Its guide advises a high concurrency for jobs that wait for a database
// (800 is the best of 100, 400 and 800), to remove finished jobs, and maxRetriesPerRequest: null.
import { Queue, Worker } from 'bullmq';
import { type LibraryJob, serveWithLibrary } from './library-worker.ts';

const connection = { path: process.env.BENCH_REDIS ?? '', maxRetriesPerRequest: null };

await serveWithLibrary(async ({ waiting, send }) => {
  const queue = new Queue<LibraryJob>('send', { connection });
  await queue.addBulk(waiting.map((data) => ({ name: 'send', data })));
  await queue.close();
  const worker = new Worker<LibraryJob>('send', ({ data }) => send(data), {
    connection,
    concurrency: 800, // as many as the service's own worker
    removeOnComplete: { count: 0 },
  });
  worker.on('error', (error) => console.error(error));
  return () => worker.close();
});
