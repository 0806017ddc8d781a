import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../test/harness/app.ts';
import { openThreads } from '../../test/harness/threads.ts';
import { createLog } from '../kernel/log.ts';
import { createTaskPool, type TaskPool, type TaskPoolOptions } from './pool.ts';
import { TaskStopped } from './task.ts';
import { brokenTask, dyingTask, endlessTask, gatedTask, refusingTask, whereTask } from './test-harness.ts';

let pool: TaskPool;
let others = 0;
beforeEach(() => {
  others = openThreads(); // files that ran before in this process may have left some
});
afterEach(async () => {
  await pool.stop();
  expect(openThreads()).toBe(others);
});

/** From sources: this is also how tools and the demo run threads. */
const entry = {
  url: new URL('./test-harness.ts', import.meta.url),
  execArgv: ['--import', new URL('../../../scripts/typescript.mjs', import.meta.url).href],
};

function start(options: Partial<TaskPoolOptions> = {}): TaskPool {
  pool = createTaskPool({ entry, log: createLog('silent'), ...options });
  return pool;
}

/** Tasks that wait in their thread until the gate is opened; `order` tells which began, in order. */
function gated() {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const order = new Int32Array(new SharedArrayBuffer(80));
  return {
    run: (owner: string) => pool.run(gatedTask, owner, { gate, order, name: owner }),
    async begun(count: number): Promise<string> {
      await waitUntil(async () => (order[0] ?? 0) >= count || new Error(`${order[0]} have begun`));
      return String.fromCharCode(...order.slice(1, 1 + (order[0] ?? 0)));
    },
    open() {
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
    },
  };
}

test('a light input is computed in place, and any other one in a thread that starts for it', async () => {
  start();
  expect(await pool.run(whereTask, 'a', { light: true })).toBe(0);
  expect(pool.size()).toBe(0);
  expect(await pool.run(whereTask, 'a', { light: false })).toBeGreaterThan(0);
  expect(pool.size()).toBe(1);
});

test('a thread works where it may not change its priority', async () => {
  const forbidding = `import os from 'node:os';
    import { syncBuiltinESMExports } from 'node:module';
    os.getPriority = os.setPriority = () => { throw new Error('EACCES'); };
    syncBuiltinESMExports();`;
  const preload = `data:text/javascript,${encodeURIComponent(forbidding)}`;
  start({ entry: { ...entry, execArgv: [...entry.execArgv, '--import', preload] } });
  expect(await pool.run(whereTask, 'a', { light: false })).toBeGreaterThan(0);
});

test('a thread without a task ends', async () => {
  start({ idleMs: 20 });
  await pool.run(whereTask, 'a', { light: false });
  await waitUntil(async () => pool.size() === 0 || new Error(`${pool.size()} are left`));
});

test('the environments of an organization have one thread together', async () => {
  start({ organizationOf: async (owner) => owner.toLowerCase() });
  const { run, begun, open } = gated();
  const all = [run('a'), run('A'), run('b')];
  // The second task of the organization waits, though there is a thread for it.
  expect(await begun(2)).toMatch(/^(ab|ba)$/);
  open();
  await Promise.all(all);
});

test('a claim waits for no request', async () => {
  start();
  const { run, begun, open } = gated();
  const all = [run('a'), run('b'), run('c')];
  expect(await begun(2)).toMatch(/^(ab|ba)$/);
  expect(await pool.unlimited.run(whereTask, 'd', { light: false })).toBeGreaterThan(0);
  open();
  await Promise.all(all);
});

test('a thread that ran a claim is kept for the next one while requests may start their own', async () => {
  start();
  const where = { light: false };
  const first = await pool.unlimited.run(whereTask, 'a', where);
  expect(await pool.run(whereTask, 'a', where)).not.toBe(first);
  expect(await pool.unlimited.run(whereTask, 'a', where)).toBe(first);
  expect(pool.size()).toBe(2);
});

test('an owner with too many tasks waiting is refused; one whose number is bounded elsewhere waits', async () => {
  start({ threads: 1, waitingPerOwner: 2 });
  const { run, open } = gated();
  const all = [run('a'), run('a'), run('a')];
  await expect(run('a')).rejects.toMatchObject({ code: 'rate_limited', headers: { 'retry-after': '1' } });
  all.push(run('b'), pool.unlimited.run(whereTask, 'a', { light: false }));
  open();
  expect(await Promise.all(all)).toHaveLength(5);
});

test('a task that takes too long is stopped, and those behind it are done', async () => {
  start({ threads: 1 });
  const stopped = pool.run(endlessTask, 'a', null);
  const behind = [pool.run(whereTask, 'a', { light: false }), pool.run(whereTask, 'b', { light: false })];
  await expect(stopped).rejects.toThrow(TaskStopped);
  await expect(stopped).rejects.toThrow('it took too long');
  expect(await Promise.all(behind)).toHaveLength(2);
  expect(pool.size()).toBe(1);
});

test('a thread that ends is replaced, and only what it did fails', async () => {
  start({ threads: 1 });
  const dying = pool.run(dyingTask, 'a', null);
  const behind = pool.run(whereTask, 'a', { light: false });
  await expect(dying).rejects.toThrow('exit code 3');
  expect(await behind).toBeGreaterThan(0);
});

test('a problem comes back as it was thrown, a bug as an error, and the thread goes on', async () => {
  start({ threads: 1 });
  const before = await pool.run(whereTask, 'a', { light: false });
  await expect(pool.run(refusingTask, 'a', null)).rejects.toMatchObject({
    name: 'Problem',
    code: 'parameter_invalid',
    param: 'a.b',
    message: 'No.',
  });
  await expect(pool.run(brokenTask, 'a', null)).rejects.toThrow('a bug');
  expect(await pool.run(whereTask, 'a', { light: false })).toBe(before);
});

test('an input that cannot be handed to a thread is refused, and the thread goes on', async () => {
  start({ threads: 1 });
  const odd = { light: false, run: () => {} };
  await expect(pool.run(whereTask, 'a', odd)).rejects.toThrow(/could not be cloned/);
  expect(await pool.run(whereTask, 'a', { light: false })).toBeGreaterThan(0);
});

test('a stop ends the threads, and refuses what runs and what waits', async () => {
  start({ threads: 1 });
  const { run, begun } = gated();
  const all = Promise.allSettled([run('a'), run('a'), run('b')]);
  await begun(1);
  await pool.stop();
  expect(pool.size()).toBe(0);
  for (const each of await all)
    expect(each).toMatchObject({ status: 'rejected', reason: { code: 'temporarily_unavailable' } });
  await expect(run('a')).rejects.toMatchObject({ code: 'temporarily_unavailable' });
});
