import { isLoopHeld, yieldToEventLoop } from '../event-loop.ts';
import type { Task, TaskRunner } from './task.ts';

/**
 * How much a computation may do that counts its work. `light`: what fits between two turns of the event loop, some 10 ms of the
 * processor; `full`: all that it is allowed at all, in a thread.
 */
export type Effort = 'light' | 'full';

/** A light effort was not enough: the computation begins anew in a thread. */
export class HeavyWork extends Error {
  override readonly name = 'HeavyWork';
}

/** A task of which only trying shows whether it is light. */
export interface CountedTask<Input, Output> extends Task<Input, Output> {
  /** With a light effort it throws HeavyWork where that is not enough. It must bear to be begun twice. */
  attempt(input: Input, effort: Effort): Output;
}

export function countedTask<Input, Output>(
  name: string,
  attempt: CountedTask<Input, Output>['attempt'],
  limitMs?: number,
): CountedTask<Input, Output> {
  return {
    name,
    attempt,
    isLight: () => false,
    work: (input) => attempt(input, 'full'),
    ...(limitMs === undefined ? {} : { limitMs }),
  };
}

/** In place as far as a light effort goes, otherwise in a thread. */
export async function runCounted<Input, Output>(
  tasks: TaskRunner,
  task: CountedTask<Input, Output>,
  owner: string,
  input: Input,
): Promise<Output> {
  while (isLoopHeld()) await yieldToEventLoop();
  try {
    return task.attempt(input, 'light');
  } catch (error) {
    if (!(error instanceof HeavyWork)) throw error;
  }
  return tasks.run(task, owner, input);
}
