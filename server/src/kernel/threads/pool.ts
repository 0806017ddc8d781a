import { readFileSync } from 'node:fs';
import { steadyClock } from '../clock.ts';
import { Problem, type ProblemCode } from '../errors.ts';
import { isLoopHeld, yieldToEventLoop } from '../event-loop.ts';
import type { Log } from '../log.ts';
import type { ThreadHello } from './serve.ts';
import { startThread, type Thread, type ThreadEntry } from './start.ts';
import { type Task, type TaskAnswer, type TaskRunner, TaskStopped } from './task.ts';

/**
 * Runs computations on tenants' input, so that none of them holds the event loop: light ones on the calling thread, the others
 * in threads that start when they are needed. Owners are served round-robin, and each has one thread at a time. An owner with
 * too many waiting tasks is refused with the Problem `rate_limited`. Work that takes too long throws TaskStopped, and no other
 * task fails with it.
 */
export interface TaskPool extends TaskRunner {
  /** For work whose number is bounded elsewhere, such as claims: it waits, and is never refused for its number. */
  unlimited: TaskRunner;
  /** The number of tasks of an owner that wait for a thread. */
  waiting(owner: string): number;
  /** The current number of threads. */
  size(): number;
  stop(): Promise<void>;
}

export interface TaskPoolOptions {
  entry: ThreadEntry;
  log: Log;
  /** The maximum number of threads. */
  threads?: number;
  /** A thread without a task for this long ends, which frees its memory. */
  idleMs?: number;
  /** The maximum number of waiting tasks of one owner. */
  waitingPerOwner?: number;
}

interface WaitingTask {
  // biome-ignore lint/suspicious/noExplicitAny: its input and output are its own
  task: Task<any, any>;
  owner: string;
  input: unknown;
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

interface PooledThread {
  thread: Thread;
  /** True once the thread has loaded its code; until then its time does not count. */
  isReady: boolean;
  osThreadId: number | null;
  running: WaitingTask | null;
  startedAt: number;
  cpuMsBefore: number;
  /** The timeout of the thread's start, of its task, or of its idle time. */
  timer: NodeJS.Timeout | undefined;
}

const defaultLimitMs = 3_000;
/** On a busy machine a thread gets little processor time: this many times the limit by the wall clock always ends it. */
const clockFactor = 10;
const startWithinMs = 60_000;

export function createTaskPool(options: TaskPoolOptions): TaskPool {
  const { entry, log, threads = 2, idleMs = 20_000, waitingPerOwner = 100 } = options;
  const open = new Set<PooledThread>();
  /** Threads that are shutting down. */
  const ending = new Set<Promise<void>>();
  /** Waiting tasks by owner, in the order in which owners are served. */
  const queues = new Map<string, WaitingTask[]>();
  let stopped = false;

  function assign(): void {
    for (;;) {
      const idle = [...open].find(({ running }) => running === null);
      if (stopped || (!idle && open.size >= threads)) return;
      const next = takeNext();
      if (!next) return;
      begin(idle ?? openThread(), next);
    }
  }

  /** Returns the first task of the first owner that has no thread; the owner moves to the end of the queue. */
  function takeNext(): WaitingTask | null {
    const busy = new Set([...open].map(({ running }) => running?.owner));
    for (const [owner, queue] of queues) {
      if (busy.has(owner)) continue;
      const next = queue.shift() ?? null;
      queues.delete(owner);
      if (queue.length > 0) queues.set(owner, queue);
      return next;
    }
    return null;
  }

  function begin(pooled: PooledThread, next: WaitingTask): void {
    pooled.running = next;
    if (pooled.isReady) startClock(pooled, next);
    try {
      const { task, input } = next;
      pooled.thread.post({ task: task.name, input }, task.transfer?.(input));
    } catch (error) {
      end(pooled).reject(error); // an input that cannot be copied
    }
  }

  function startClock(pooled: PooledThread, running: WaitingTask): void {
    clearTimeout(pooled.timer);
    pooled.startedAt = steadyClock();
    pooled.cpuMsBefore = cpuMsOf(pooled.osThreadId) ?? 0;
    pooled.timer = setTimeout(() => checkLimit(pooled, running), limitOf(running));
  }

  function checkLimit(pooled: PooledThread, running: WaitingTask): void {
    const limitMs = limitOf(running);
    const elapsedMs = steadyClock() - pooled.startedAt;
    const cpuMs = cpuMsOf(pooled.osThreadId);
    const spentMs = cpuMs === null ? elapsedMs : cpuMs - pooled.cpuMsBefore;
    if (spentMs < limitMs && elapsedMs < clockFactor * limitMs) {
      pooled.timer = setTimeout(() => checkLimit(pooled, running), Math.max(50, limitMs - spentMs));
      return;
    }
    const { task, owner } = running;
    log.warn({ task: task.name, owner, ms: Math.round(spentMs) }, 'a task took too long and was stopped');
    discard(pooled, new TaskStopped('it took too long'));
  }

  /** Marks the thread as free and returns its task. */
  function end(pooled: PooledThread): WaitingTask {
    const done = pooled.running as WaitingTask;
    clearTimeout(pooled.timer);
    pooled.running = null;
    pooled.timer = setTimeout(() => discard(pooled, null), idleMs);
    queueMicrotask(assign);
    return done;
  }

  /** Ends the thread. Only its current task fails; waiting tasks go to another thread. */
  function discard(pooled: PooledThread, reason: Error | null): void {
    clearTimeout(pooled.timer);
    open.delete(pooled);
    void endThread(pooled);
    if (reason) pooled.running?.reject(reason);
    assign();
  }

  async function endThread({ thread }: PooledThread): Promise<void> {
    const ended = thread.end();
    ending.add(ended);
    await ended;
    ending.delete(ended);
  }

  function openThread(): PooledThread {
    const pooled: PooledThread = {
      isReady: false,
      osThreadId: null,
      running: null,
      startedAt: 0,
      cpuMsBefore: 0,
      timer: setTimeout(() => discard(pooled, new Error('a worker thread did not start')), startWithinMs),
      thread: startThread(entry, null, {
        message(message) {
          if (!open.has(pooled)) return; // a late message of an ended thread
          if (!isHello(message)) return settle(end(pooled), message as TaskAnswer);
          pooled.isReady = true;
          pooled.osThreadId = message.osThreadId;
          if (pooled.running) startClock(pooled, pooled.running);
        },
        failed(error) {
          log.error({ err: error, task: pooled.running?.task.name }, 'a worker thread ended unexpectedly');
          discard(pooled, error);
        },
      }),
    };
    open.add(pooled);
    return pooled;
  }

  const runner = (maxWaiting: number): TaskRunner => ({
    async run<Input, Output>(task: Task<Input, Output>, owner: string, input: Input): Promise<Output> {
      if (task.isLight(input)) {
        while (isLoopHeld()) await yieldToEventLoop();
        return task.work(input);
      }
      if (stopped) throw stopping();
      const queue = queues.get(owner) ?? [];
      if (queue.length >= maxWaiting) throw tooMany();
      queues.set(owner, queue);
      return new Promise<Output>((resolve, reject) => {
        queue.push({ task, owner, input, resolve: (output) => resolve(output as Output), reject });
        assign();
      });
    },
  });

  return {
    ...runner(waitingPerOwner),
    unlimited: runner(Infinity),
    waiting: (owner) => queues.get(owner)?.length ?? 0,
    size: () => open.size,
    async stop() {
      stopped = true;
      const waiting = [...queues.values()].flat();
      queues.clear();
      for (const { reject } of waiting) reject(stopping());
      await Promise.all(
        [...open].map(async (pooled) => {
          clearTimeout(pooled.timer);
          open.delete(pooled);
          await endThread(pooled);
          pooled.running?.reject(stopping());
        }),
      );
      await Promise.all(ending);
    },
  };
}

const limitOf = ({ task }: WaitingTask): number => task.limitMs ?? defaultLimitMs;

function settle(done: WaitingTask, answer: TaskAnswer): void {
  if ('output' in answer) done.resolve(answer.output);
  else if ('error' in answer) done.reject(answer.error);
  else {
    const { code, message, param } = answer.problem;
    done.reject(new Problem(code as ProblemCode, message, { param }));
  }
}

const isHello = (message: unknown): message is ThreadHello =>
  typeof message === 'object' && message !== null && 'osThreadId' in message;

const tooMany = () =>
  new Problem('rate_limited', 'Too many large requests of this environment are waiting. Try again later.', {
    headers: { 'retry-after': '1' },
  });

const stopping = () =>
  new Problem('temporarily_unavailable', 'The service is stopping. Try again.', {
    headers: { 'retry-after': '1' },
  });

/** Processor time of a thread, in hundredths of a second (proc(5), fields 14 and 15); null when it is unknown. */
function cpuMsOf(osThreadId: number | null): number | null {
  if (osThreadId === null) return null;
  try {
    const stat = readFileSync(`/proc/self/task/${osThreadId}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return null;
  }
}
