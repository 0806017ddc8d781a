import type { TransferListItem } from 'node:worker_threads';

/**
 * A computation whose input comes from a tenant. A light input is computed on the calling thread; any other one in a thread, so
 * that no input holds the event loop. Inputs and outputs are copied between threads: data without functions or classes.
 */
export interface Task<Input, Output> {
  /** Unique among all tasks; see tasks.ts. */
  name: string;
  /** Cheap and linear. True when the work takes at most 10 ms of the processor. */
  isLight(input: Input): boolean;
  work(input: Input): Output | Promise<Output>;
  /** The limit of processor time; 3 s by default. */
  limitMs?: number;
  /** Memory of the input that is transferred to the thread instead of being copied. */
  transfer?(input: Input): TransferListItem[];
}

/** Runs tasks; see pool.ts. `owner` is the tenant of the input: an environment, whose organization shares the threads with others. */
export interface TaskRunner {
  run<Input, Output>(task: Task<Input, Output>, owner: string, input: Input): Promise<Output>;
}

/** Runs everything on the calling thread, for tests and tools. */
export const inPlace: TaskRunner = { run: async (task, _owner, input) => task.work(input) };

/** The work took too long, and its thread was ended. */
export class TaskStopped extends Error {
  override readonly name = 'TaskStopped';
}

/** The messages between the pool and a thread. */
export interface TaskRequest {
  task: string;
  input: unknown;
}
export type TaskAnswer = { output: unknown } | { problem: ProblemData } | { error: unknown };

/** A Problem in the form that is copied between threads. */
interface ProblemData {
  code: string;
  message: string;
  param: string | null;
}
