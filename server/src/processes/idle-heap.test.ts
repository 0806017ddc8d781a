import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const loader = new URL('../../../scripts/typescript.mjs', import.meta.url).href;
const url = new URL('./idle-heap.ts', import.meta.url).href;

/** In a process of its own: the young generation of tests has a minimum. */
async function run(program: string): Promise<string> {
  const flags = ['--max-semi-space-size=64', '--import', loader, '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { timeout: 60_000 });
  return stdout.trim();
}

test('an idle process gives back what a burst has added to its heap', async () => {
  const program = `
    import { setTimeout as delay } from 'node:timers/promises';
    import { shrinkWhenIdle } from '${url}';
    const heap = () => process.memoryUsage().heapTotal;
    const before = heap();
    shrinkWhenIdle();
    const kept = [];
    for (let index = 0; index < 3_000_000; index += 1) {
      kept[index % 400_000] = { index };
      if (index % 10_000 === 0) await delay(0);
    }
    kept.length = 0;
    const grown = heap() - before;
    while (heap() - before > grown / 2) await delay(50);
    console.log(grown > 64_000_000 ? 'shrunk' : 'grown by only ' + grown);`;
  expect(await run(program)).toBe('shrunk');
}, 60_000);
