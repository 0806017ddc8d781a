import { shouldYield, yieldToEventLoop } from '../kernel/event-loop.ts';
import type { Task, TaskRunner } from './task.ts';

/**
 * The limit of a computation that counts its work. `light`: fits between two iterations of the event loop, some 10 ms of the
 * processor; `full`: the whole limit, in a thread.
 */
export type Effort = 'light' | 'full';

/** A light effort was not enough: the computation starts again in a thread. */
export class HeavyWork extends Error {
  override readonly name = 'HeavyWork';
}

/** A task whose cost is only known by trying. */
interface CountedTask<Input, Output> extends Task<Input, Output> {
  /** With a light effort it throws HeavyWork when that is not enough. The attempt must be repeatable. */
  attempt(input: Input, effort: Effort): Output;
}

export function countedTask<Input, Output>(
  name: string,
  attempt: CountedTask<Input, Output>['attempt'],
): CountedTask<Input, Output> {
  return {
    name,
    attempt,
    isLight: () => false,
    work: (input) => attempt(input, 'full'),
  };
}

/** Runs on the calling thread as far as a light effort goes, otherwise in a thread. */
export async function runCounted<Input, Output>(
  tasks: TaskRunner,
  task: CountedTask<Input, Output>,
  owner: string,
  input: Input,
): Promise<Output> {
  while (shouldYield()) await yieldToEventLoop();
  try {
    return task.attempt(input, 'light');
  } catch (error) {
    if (!(error instanceof HeavyWork)) throw error;
  }
  return tasks.run(task, owner, input);
}
