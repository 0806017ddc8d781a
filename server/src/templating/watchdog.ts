import { openSync, readSync } from 'node:fs';
import { type Context, createContext, Script } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { type Effort, HeavyWork } from '../threads/effort.ts';

export class TimeLimitExceeded extends Error {
  override readonly name = 'TimeLimitExceeded';
  constructor() {
    super('it took too long');
  }
}

const milliseconds = ({ user, system }: { user: number; system: number }): number => (user + system) / 1_000;
const now = createThreadClock();
const script = new Script('work()');
let box: (Context & { work?: () => void }) | null = null;

/** The number of attempts at work that got too little processor time; each attempt has twice the clock time. */
const tries = 6;

/**
 * Runs code that must not hold the thread indefinitely. The budget stops known costs; the watchdog stops unknown ones: a
 * pathological regular expression, a search that is quadratic in hostile data. It costs about 40 µs a call (a timer thread), so
 * renderings share one call.
 *
 * The limit is meant as processor time. Only the wall clock can interrupt, and it also runs while the machine sleeps or is
 * busy: work that got hardly any processor time starts again, with twice the time. So the work must be repeatable. In worker
 * threads there is no watchdog: the pool stops them by their processor time.
 */
export function within<Result>(limitMs: number, work: () => Result): Result {
  if (!isMainThread) return work();
  for (let number = 1, clockMs = limitMs; ; number += 1, clockMs *= 2) {
    const before = now();
    const outcome = interruptible(clockMs, work);
    if (outcome) return outcome.result;
    if (now() - before > limitMs / 2 || number === tries) throw new TimeLimitExceeded();
  }
}

/** The watchdog must be far above the budget, which is about a tenth of a second for a full effort. */
const fullLimitMs = 1_000;
const lightLimitMs = 40;

/**
 * The limit of a rendering: on the calling thread it must not hold the event loop, even where the budget underestimates the
 * time.
 */
export function withinEffort<Result>(effort: Effort, work: () => Result): Result {
  if (effort === 'full') return within(fullLimitMs, work);
  try {
    return within(lightLimitMs, work);
  } catch (error) {
    throw error instanceof TimeLimitExceeded ? new HeavyWork() : error;
  }
}

/**
 * Returns null when the work was interrupted. Node also reports a timeout of finished work, when the thread that watches the
 * clock gets the processor too late to be stopped (2 % of all calls under a load of 10 on two processors), so the recorded
 * result of the work decides.
 */
function interruptible<Result>(clockMs: number, work: () => Result): { result: Result } | null {
  const ends: ({ result: Result } | { error: unknown })[] = [];
  box ??= createContext({});
  box.work = () => {
    try {
      ends.push({ result: work() });
    } catch (error) {
      ends.push({ error }); // never the interruption, which cannot be caught
    }
  };
  try {
    script.runInContext(box, { timeout: clockMs });
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
  }
  const [end] = ends;
  if (end && 'error' in end) throw end.error;
  return end ?? null;
}

/** Available in Node 24 and newer. */
interface ThreadUsage {
  threadCpuUsage?: () => { user: number; system: number };
}

/**
 * Returns a clock of the processor time that the calling thread has used, in milliseconds. process.cpuUsage() counts the whole
 * process: the other threads, the compiler and the garbage collector too.
 */
export function createThreadClock(): () => number {
  const { threadCpuUsage } = process as ThreadUsage;
  if (threadCpuUsage) return () => milliseconds(threadCpuUsage.call(process));
  try {
    // The Linux scheduler's time for the thread that opens the file, in nanoseconds (3 µs a read).
    const file = openSync('/proc/thread-self/schedstat', 'r');
    const bytes = Buffer.alloc(64);
    return () => Number.parseInt(bytes.toString('latin1', 0, readSync(file, bytes, 0, 64, 0)), 10) / 1e6;
  } catch {
    return () => milliseconds(process.cpuUsage());
  }
}
