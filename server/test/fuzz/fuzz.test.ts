import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { createThreadClock } from '../../src/kernel/processor-time.ts';
import { createTestDatabase } from '../database.ts';
import { watchEventLoop } from './event-loop.ts';
import { createRandom } from './random.ts';
import { createSearch, fuzz } from './search.ts';
import { type FuzzTarget, startTarget } from './target.ts';
import type { Area } from './trial.ts';

/** The same inputs in every run; `npm run fuzz` searches on, for as long as it is told. */
test('no input of at most 100 KB holds the event loop for more than 50 ms of the processor', async () => {
  const database = await createTestDatabase();
  const target = await startTarget(database.url);
  try {
    const { areas, findings } = await fuzz(target, { seed: 1, inputsPerArea: 5 });
    expect(findings).toEqual([]);
    // A fuzzer that is refused at the door finds nothing.
    const refused = areas.filter(({ accepted, steps }) => accepted < steps / 5);
    expect(refused.map(({ area, accepted, steps }) => `${area}: ${accepted} of ${steps}`)).toEqual([]);
    expect(areas).toHaveLength(9);
  } finally {
    await target.stop();
    await database.drop();
  }
}, 240_000);

test('a long turn is seen, and neither waiting nor the work of other threads is taken for one', async () => {
  const now = createThreadClock();
  const watch = watchEventLoop();
  const burn = 'for (const end = Date.now() + 300; Date.now() < end; );';
  const thread = new Worker(burn, { eval: true });
  await new Promise((resolve) => thread.once('exit', resolve));
  await pause(50);
  expect(watch.take()).toBeLessThan(40);
  for (const end = now() + 60; now() < end; );
  await pause(5);
  expect(watch.take()).toBeGreaterThan(55);
  watch.stop();
});

test('an input that holds the loop is found, confirmed and made smaller; one that did so once is not', async () => {
  let asked = 0;
  const held = { ms: 0 };
  const target = {
    async request(_method, _path, body) {
      asked += 1;
      const { text } = body as { text: string | null };
      const isLate = text === 'once' && asked === 1;
      held.ms = isLate || text?.includes('<<<<') ? 80 : 1;
      return { status: 200, body: {} };
    },
    longestBlock: async () => held.ms,
  } as FuzzTarget;
  const area: Area = {
    name: 'planted',
    known: [],
    fresh: () => ({}),
    run: async (trial, input) => void (await trial.ask('ask', 'POST', '/', input)),
  };
  const search = createSearch(target, area, createRandom(1), { limitMs: 50, minimise: true });
  await search.tryInput({ text: 'once' });
  await search.tryInput({ text: 'plain' });
  expect([...search.findings.values()]).toEqual([]);
  await search.tryInput({ text: `${'a'.repeat(5_000)}${'<'.repeat(1_000)}`, more: 'b'.repeat(500) });
  const [found, ...others] = search.findings.values();
  expect(others).toEqual([]);
  expect(found).toMatchObject({ area: 'planted', step: 'ask', ms: 80 });
  expect(found?.bytes).toBeLessThan(60);
});
