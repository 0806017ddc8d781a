import { threadId } from 'node:worker_threads';
import { Problem } from '../kernel/errors.ts';
import { serveTasks } from './serve.ts';
import type { Task } from './task.ts';

/** Tasks that do what hostile inputs make others do. In a thread this file is an entry. */
const heavy = { isLight: () => false };

/** Returns where it ran; waits until the numbers in shared memory allow it. */
export const gatedTask: Task<{ gate: Int32Array; name: string; order: Int32Array }, number> = {
  name: 'gated',
  ...heavy,
  work({ gate, order, name }) {
    Atomics.store(order, Atomics.add(order, 0, 1) + 1, name.charCodeAt(0));
    Atomics.notify(order, 0);
    Atomics.wait(gate, 0, 0);
    return threadId;
  },
};
export const whereTask: Task<{ light: boolean }, number> = {
  name: 'where',
  isLight: ({ light }) => light,
  work: () => threadId,
};
export const endlessTask: Task<null, never> = {
  name: 'endless',
  ...heavy,
  limitMs: 300,
  work() {
    for (;;);
  },
};
export const dyingTask: Task<null, never> = {
  name: 'dying',
  ...heavy,
  work: () => process.exit(3),
};
export const refusingTask: Task<null, never> = {
  name: 'refusing',
  ...heavy,
  work() {
    throw new Problem('parameter_invalid', 'No.', { param: 'a.b' });
  },
};
export const brokenTask: Task<null, never> = {
  name: 'broken',
  ...heavy,
  work() {
    throw new TypeError('a bug');
  },
};

if (threadId !== 0) serveTasks([gatedTask, whereTask, endlessTask, dyingTask, refusingTask, brokenTask]);
