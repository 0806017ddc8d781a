import type { TransferListItem } from 'node:worker_threads';

/**
 * A computation whose input comes from a tenant. A light input is computed in place; any other one in a thread, so that no input
 * holds the event loop. Inputs and outputs travel between threads: data without functions or classes.
 */
export interface Task<Input, Output> {
  /** Unique among all tasks; see tasks.ts. */
  name: string;
  /** Cheap and linear. True: the work takes 10 ms of the processor at the most. */
  isLight(input: Input): boolean;
  work(input: Input): Output | Promise<Output>;
  /** Processor time; 3 s unless told. */
  limitMs?: number;
  /** Memory of the input that the caller gives away instead of having it copied. */
  transfer?(input: Input): TransferListItem[];
}

/** Who runs tasks; see pool.ts. `owner` is the tenant that the input is of, usually an environment. */
export interface TaskRunner {
  run<Input, Output>(task: Task<Input, Output>, owner: string, input: Input): Promise<Output>;
}

/** For tests and tools: everything in place. */
export const inPlace: TaskRunner = { run: async (task, _owner, input) => task.work(input) };

/** The work took too long, and its thread was ended. */
export class TaskStopped extends Error {
  override readonly name = 'TaskStopped';
}

/** What a thread is asked and what it answers. */
export interface TaskRequest {
  task: string;
  input: unknown;
}
export type TaskAnswer = { output: unknown } | { problem: ProblemData } | { error: unknown };

/** A Problem as it travels. */
export interface ProblemData {
  code: string;
  message: string;
  param: string | null;
}
