import { type TransferListItem, Worker } from 'node:worker_threads';

/** The file that a thread runs, and the Node options for running it. */
export interface ThreadEntry {
  url: URL;
  execArgv: string[];
}

export interface Thread {
  post(message: unknown, transfer?: readonly TransferListItem[]): void;
  /** Resolves once the thread has ended. */
  end(): Promise<void>;
}

interface ThreadEvents {
  message(message: unknown): void;
  /** The thread ended before `end` was called. */
  failed(error: Error): void;
}

/** Starts a worker thread. It keeps the process running until it is ended. */
export function startThread(
  { url, execArgv }: ThreadEntry,
  workerData: unknown,
  events: ThreadEvents,
): Thread {
  // Threads get no settings from the environment: they receive only explicit data. They have no heap limit of their own: a
  // thread that reaches one by fast allocation ends the whole process. Time and the size of inputs bound their memory.
  const worker = new Worker(url, { workerData, execArgv, env: {} });
  let ending = false;
  let failure: Error | null = null;
  worker.on('message', events.message);
  worker.on('error', (error: Error) => {
    failure = error;
  });
  worker.on('exit', (code) => {
    if (!ending) events.failed(failure ?? new Error(`the thread ended with exit code ${code}`));
  });
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    async end() {
      ending = true;
      await worker.terminate();
    },
  };
}
