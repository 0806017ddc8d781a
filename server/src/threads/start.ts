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

/** Table: the entry files of threads. `scripts/build.mjs` bundles each beside main.js. */
const files = { heartbeat: '../queue/heartbeat-thread', tasks: './task-thread' } as const;

export type ThreadEntries = Record<keyof typeof files, ThreadEntry>;

const isSource = import.meta.url.endsWith('.ts');

/** In the bundle all files are in one folder; from sources a thread needs the same loader as the program. */
function entryOf(path: string): ThreadEntry {
  if (isSource)
    return {
      url: new URL(`${path}.ts`, import.meta.url),
      execArgv: ['--import', new URL('../../../scripts/typescript.mjs', import.meta.url).href],
    };
  return { url: new URL(`./${path.split('/').pop()}.js`, import.meta.url), execArgv: [] };
}

export const threadEntries: ThreadEntries = {
  heartbeat: entryOf(files.heartbeat),
  tasks: entryOf(files.tasks),
};
