import { readFileSync } from 'node:fs';
import { createCache } from '../kernel/cache.ts';
import { steadyClock } from '../kernel/clock.ts';
import { Problem, type ProblemCode } from '../kernel/errors.ts';
import { shouldYield, yieldToEventLoop } from '../kernel/event-loop.ts';
import type { Log } from '../kernel/log.ts';
import { createFairQueue, type QueuedTask, type TaskLane } from './fair-queue.ts';
import type { ThreadHello, ThreadSettings } from './serve.ts';
import { startThread, type Thread, type ThreadEntry } from './start.ts';
import { type Task, type TaskAnswer, type TaskRunner, TaskStopped } from './task.ts';

/**
 * Runs computations on tenants' input, so that none of them holds the event loop: light ones on the calling thread, the others
 * in threads that start when they are needed. Organizations share the threads by the processor time that they use
 * (fair-queue.ts). One with too many waiting tasks is refused with the Problem `rate_limited`. Work that takes too long throws
 * TaskStopped, and no other task fails with it.
 */
export interface TaskPool extends TaskRunner {
  /** For claims, whose number is bounded elsewhere: they wait, are never refused for their number, and have a thread of their own. */
  unlimited: TaskRunner;
  /** The number of claims that wait for a thread, of the organization of an owner. */
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
  /** The maximum number of waiting requests of one organization. */
  waitingPerOwner?: number;
  /** Returns the organization of an environment; null for other owners, who share on their own. */
  organizationOf?(owner: string): Promise<string | null>;
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
  /** What it was started for. It may run other tasks when no further thread may start. */
  lane: TaskLane;
  /** True once the thread has loaded its code; until then its time does not count. */
  isReady: boolean;
  osThreadId: number | null;
  running: QueuedTask<WaitingTask> | null;
  startedAt: number;
  cpuMsBefore: number;
  /** The timeout of the thread's start, of its task, or of its idle time. */
  timer: NodeJS.Timeout | undefined;
}

/** The threads of a pool and what waits for them. */
interface PoolState {
  entry: ThreadEntry;
  log: Log;
  maxThreads: number;
  idleMs: number;
  open: Set<PooledThread>;
  /** Threads that are shutting down. */
  ending: Set<Promise<void>>;
  queue: ReturnType<typeof createFairQueue<WaitingTask>>;
  isStopped: boolean;
}

const defaultLimitMs = 3_000;
/** On a busy machine a thread gets little processor time: this many times the limit by the wall clock always ends it. */
const clockFactor = 10;
const startWithinMs = 60_000;
/** The main thread has 0. Where processors are short, a claim gets twice the time of a request. */
const niceness: Record<TaskLane, number> = { claims: 2, requests: 5 };
const maxOrganizations = 50_000;

export function createTaskPool({
  entry,
  log,
  threads: maxThreads = 3,
  idleMs = 20_000,
  waitingPerOwner = 100,
  organizationOf,
}: TaskPoolOptions): TaskPool {
  const queue = createFairQueue<WaitingTask>(maxThreads);
  const pool: PoolState = {
    ...{ entry, log, maxThreads, idleMs, queue },
    open: new Set(),
    ending: new Set(),
    isStopped: false,
  };
  /** Environments do not move between organizations. */
  const organizations = createCache<string>(maxOrganizations);

  async function findOrganization(owner: string): Promise<string> {
    try {
      const found = (await organizationOf?.(owner)) ?? owner;
      organizations.set(owner, found);
      return found;
    } catch {
      return owner; // the database does not answer: until it does, environments share on their own
    }
  }

  const runner = (lane: TaskLane, maxWaiting: number): TaskRunner => ({
    async run<Input, Output>(task: Task<Input, Output>, owner: string, input: Input): Promise<Output> {
      if (task.isLight(input)) {
        while (shouldYield()) await yieldToEventLoop();
        return task.work(input);
      }
      const shared = organizations.get(owner) ?? (await findOrganization(owner));
      if (pool.isStopped) throw stopping();
      if (queue.waiting(lane, shared) >= maxWaiting) throw tooMany();
      return new Promise<Output>((resolve, reject) => {
        const settled = { resolve: (output: unknown) => resolve(output as Output), reject };
        queue.add(lane, shared, { task, owner, input, ...settled });
        assign(pool);
      });
    },
  });

  return {
    ...runner('requests', waitingPerOwner),
    unlimited: runner('claims', Infinity),
    waiting: (owner) => queue.waiting('claims', organizations.get(owner) ?? owner),
    size: () => pool.open.size,
    async stop() {
      pool.isStopped = true;
      for (const { reject } of queue.drain()) reject(stopping());
      await Promise.all(
        [...pool.open].map(async (pooled) => {
          clearTimeout(pooled.timer);
          pool.open.delete(pooled);
          await endThread(pool, pooled);
          pooled.running?.item.reject(stopping());
        }),
      );
      await Promise.all(pool.ending);
    },
  };
}

/** Gives waiting tasks to idle threads, and to new ones while there may be more. */
function assign(pool: PoolState): void {
  const { open, maxThreads, queue } = pool;
  for (;;) {
    const idle = [...open].filter(({ running }) => running === null);
    if (pool.isStopped || (idle.length === 0 && open.size >= maxThreads)) return;
    const next = queue.take();
    if (!next) return;
    // Requests would otherwise take the thread of the claims whenever it is free, and the next claim would have to start another.
    const own = idle.find(({ lane }) => lane === next.lane);
    begin(
      pool,
      own ?? (open.size < maxThreads ? openThread(pool, next.lane) : (idle[0] as PooledThread)),
      next,
    );
  }
}

function begin(pool: PoolState, pooled: PooledThread, next: QueuedTask<WaitingTask>): void {
  pooled.running = next;
  if (pooled.isReady) startClock(pool, pooled, next.item);
  try {
    const { task, input } = next.item;
    pooled.thread.post({ task: task.name, input }, task.transfer?.(input));
  } catch (error) {
    end(pool, pooled).reject(error); // an input that cannot be copied
  }
}

function startClock(pool: PoolState, pooled: PooledThread, running: WaitingTask): void {
  clearTimeout(pooled.timer);
  pooled.startedAt = steadyClock();
  pooled.cpuMsBefore = cpuMsOf(pooled.osThreadId) ?? 0;
  pooled.timer = setTimeout(checkLimit, limitOf(running), pool, pooled, running);
}

function checkLimit(pool: PoolState, pooled: PooledThread, running: WaitingTask): void {
  const limitMs = limitOf(running);
  const elapsedMs = steadyClock() - pooled.startedAt;
  const spentMs = spentBy(pooled);
  if (spentMs < limitMs && elapsedMs < clockFactor * limitMs) {
    pooled.timer = setTimeout(checkLimit, Math.max(50, limitMs - spentMs), pool, pooled, running);
    return;
  }
  const { task, owner } = running;
  pool.log.warn({ task: task.name, owner, ms: Math.round(spentMs) }, 'a task took too long and was stopped');
  discard(pool, pooled, new TaskStopped('it took too long'));
}

/** Marks the thread as free and returns its task. */
function end(pool: PoolState, pooled: PooledThread): WaitingTask {
  const done = pooled.running as QueuedTask<WaitingTask>;
  clearTimeout(pooled.timer);
  pool.queue.end(done, spentBy(pooled));
  pooled.running = null;
  pooled.timer = setTimeout(discard, pool.idleMs, pool, pooled, null);
  queueMicrotask(() => assign(pool));
  return done.item;
}

/** Ends the thread. Only its current task fails; waiting tasks go to another thread. */
function discard(pool: PoolState, pooled: PooledThread, reason: Error | null): void {
  clearTimeout(pooled.timer);
  pool.open.delete(pooled);
  void endThread(pool, pooled);
  if (pooled.running) {
    pool.queue.end(pooled.running, spentBy(pooled));
    pooled.running.item.reject(reason);
    pooled.running = null;
  }
  assign(pool);
}

async function endThread({ ending }: PoolState, { thread }: PooledThread): Promise<void> {
  const ended = thread.end();
  ending.add(ended);
  await ended;
  ending.delete(ended);
}

function openThread(pool: PoolState, lane: TaskLane): PooledThread {
  const pooled: PooledThread = {
    lane,
    isReady: false,
    osThreadId: null,
    running: null,
    startedAt: 0,
    cpuMsBefore: 0,
    timer: setTimeout(() => discard(pool, pooled, new Error('a worker thread did not start')), startWithinMs),
    thread: startThread(pool.entry, { niceness: niceness[lane] } satisfies ThreadSettings, {
      message(message) {
        if (!pool.open.has(pooled)) return; // a late message of an ended thread
        if (!isHello(message)) return settle(end(pool, pooled), message as TaskAnswer);
        pooled.isReady = true;
        pooled.osThreadId = message.osThreadId;
        if (pooled.running) startClock(pool, pooled, pooled.running.item);
      },
      failed(error) {
        const task = pooled.running?.item.task.name;
        pool.log.error({ err: error, task }, 'a worker thread ended unexpectedly');
        discard(pool, pooled, error);
      },
    }),
  };
  pool.open.add(pooled);
  return pooled;
}

/** The processor time of the running task; 0 before its thread is ready. */
function spentBy({ startedAt, osThreadId, cpuMsBefore }: PooledThread): number {
  if (startedAt === 0) return 0;
  const cpuMs = cpuMsOf(osThreadId);
  return cpuMs === null ? steadyClock() - startedAt : cpuMs - cpuMsBefore;
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
  new Problem('rate_limited', 'Too many large requests of this organization are waiting. Try again later.', {
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
