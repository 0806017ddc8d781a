// pg-boss on PostgreSQL: batches, several at once, and no pause while they are full, as its page on workers describes. These are
// the best of batches of 100, 200 and 400 with 2, 4 and 8 at once. The 10 connections are its default.
import { PgBoss } from 'pg-boss';
import { type LibraryJob, serveWithLibrary } from './library-worker.ts';

const settings = {
  batchSize: 400,
  localConcurrency: 4,
  burstWhenBatchFull: true,
  pollingIntervalSeconds: 0.5, // the shortest that it allows, when a batch was not full
};

await serveWithLibrary(async ({ databaseUrl, waiting, send }) => {
  const boss = new PgBoss({ connectionString: databaseUrl });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue('send');
  await boss.insert(
    'send',
    waiting.map((data) => ({ data })),
  );
  await boss.work<LibraryJob>('send', settings, async (jobs) => {
    await Promise.all(jobs.map(({ data }) => send(data)));
  });
  return () => boss.stop();
});
