// DBOS Transact on PostgreSQL: workflows of four steps that do nothing, each step committed before the next one begins. Started
// in the process, 100 at once on its default pool of 10 connections: faster than 200 at once, than pools of 20 and 50, and than
// its queue, which looks for work once a second.
import { DBOS } from '@dbos-inc/dbos-sdk';

const runs = Number(process.env.BENCH_RUNS);
const atOnce = 100;

const order = DBOS.registerWorkflow(
  async (total: number) => {
    const picked = await DBOS.runStep(async () => total + 1, { name: 'pick' });
    const thanked = await DBOS.runStep(async () => picked + 1, { name: 'thank' });
    const rested = await DBOS.runStep(async () => thanked + 1, { name: 'nap' });
    return DBOS.runStep(async () => rested + 1, { name: 'remind' });
  },
  { name: 'order' },
);

process.once('disconnect', () => {
  void DBOS.shutdown().then(() => process.exit(0));
});
DBOS.setConfig({
  name: 'bench',
  systemDatabaseUrl: process.env.DATABASE_URL ?? '',
  logLevel: 'error',
});
await DBOS.launch();
process.send?.('launched');
let begun = 0;
await Promise.all(Array.from({ length: atOnce }, runOneAfterTheOther));
process.send?.('done');

async function runOneAfterTheOther(): Promise<void> {
  while (begun < runs) {
    begun += 1;
    const handle = await DBOS.startWorkflow(order)(begun);
    await handle.getResult();
  }
}
