import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { Problem } from '../kernel/errors.ts';
import type { Task, TaskAnswer, TaskRequest } from './task.ts';

/** What the pool starts a thread with. */
export interface ThreadSettings {
  niceness: number;
}

/** The first message of a thread: its id in the operating system, where that is available. */
export interface ThreadHello {
  osThreadId: number | null;
}

/** The thread's side of the pool: runs one task after the other. */
// biome-ignore lint/suspicious/noExplicitAny: a table of tasks with inputs of their own
export function serveTasks(tasks: readonly Task<any, any>[]): void {
  const port = parentPort as MessagePort;
  const byName = new Map(tasks.map((task) => [task.name, task]));
  yieldToMainThread((workerData as ThreadSettings).niceness);
  port.postMessage({ osThreadId: osThreadId() } satisfies ThreadHello);
  port.on('message', async ({ task: name, input }: TaskRequest) => {
    port.postMessage(await answerOf(byName.get(name), name, input));
  });
}

async function answerOf(
  task: Task<unknown, unknown> | undefined,
  name: string,
  input: unknown,
): Promise<TaskAnswer> {
  try {
    if (!task) throw new Error(`there is no task ${name}`);
    return { output: await task.work(input) };
  } catch (error) {
    if (error instanceof Problem) {
      const { code, message, param } = error;
      return { problem: { code, message, param } };
    }
    return { error: error instanceof Error ? new Error(error.message, { cause: error.stack }) : error };
  }
}

/** Linux gives each thread a priority of its own; elsewhere this would slow down the whole process. */
function yieldToMainThread(niceness: number): void {
  if (process.platform !== 'linux') return;
  try {
    // A process that was started at a lower priority stays there: raising it needs a privilege.
    if (getPriority(0) < niceness) setPriority(0, niceness);
  } catch {
    // A sandbox may forbid the call; the thread then keeps its priority.
  }
}

function osThreadId(): number | null {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').pop());
  } catch {
    return null;
  }
}
