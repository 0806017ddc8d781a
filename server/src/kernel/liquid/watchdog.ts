import { type Context, createContext, Script } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { createThreadClock } from '../processor-time.ts';
import { type Effort, HeavyWork } from '../threads/effort.ts';

export class TimeLimitExceeded extends Error {
  override readonly name = 'TimeLimitExceeded';
  constructor() {
    super('it took too long');
  }
}

const now = createThreadClock();
const script = new Script('work()');
let box: (Context & { work?: () => void }) | null = null;

/** How often work is begun that the machine was too busy for; each time it has twice as long by the clock. */
const tries = 6;

/**
 * Runs code that must not hold the thread for ever. The budget stops what we know of; this stops what we do not: a pathological
 * regular expression, a search that is quadratic in hostile data. It costs about 40 µs a call (a timer thread), so renderings
 * share one call.
 *
 * The limit is meant for the processor. The clock, which is all that can interrupt, also runs while the machine is asleep or
 * busy with something else: work that had hardly any of it begins anew, with twice the time. So the work must bear that. In worker
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

/** The watchdog must be far away from the count, which is about a tenth of a second for a full effort. */
const fullLimitMs = 1_000;
const lightLimitMs = 40;

/** For a rendering: in place it must not hold the event loop, even where the count does not foresee how long it takes. */
export function withinEffort<Result>(effort: Effort, work: () => Result): Result {
  if (effort === 'full') return within(fullLimitMs, work);
  try {
    return within(lightLimitMs, work);
  } catch (error) {
    throw error instanceof TimeLimitExceeded ? new HeavyWork() : error;
  }
}

/**
 * Null when the work was interrupted. Node also reports a timeout of work that is done, when the thread that watches the clock gets the
 * processor too late to be stopped (2 % of all calls under a load of 10 on two processors), so what the work did decides.
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
