import { type Context, createContext, Script } from 'node:vm';

export class TimeLimitExceeded extends Error {
  override readonly name = 'TimeLimitExceeded';
  constructor() {
    super('it took too long');
  }
}

const script = new Script('work()');
let box: (Context & { work?: () => void }) | null = null;

/** How often work is begun that the machine was too busy for. */
const tries = 3;

/**
 * Runs code that must not hold the thread for ever. The budget stops what we know of; this stops what we do not: a pathological
 * regular expression, a search that is quadratic in hostile data. It costs about 40 µs a call (a timer thread), so renderings
 * share one call.
 *
 * The limit is meant for the processor. The clock, which is all that can interrupt, also runs while the machine is asleep or
 * busy with something else: whoever had hardly any of it begins anew, with twice the time. So the work must bear that.
 */
export function within<Result>(limitMs: number, work: () => Result): Result {
  for (let number = 1, clockMs = limitMs; ; number += 1, clockMs *= 2) {
    const before = process.cpuUsage();
    const outcome = interruptible(clockMs, work);
    if (outcome) return outcome.result;
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1_000 > limitMs / 2 || number === tries) throw new TimeLimitExceeded();
  }
}

/** Null: it did not get to its end. */
function interruptible<Result>(clockMs: number, work: () => Result): { result: Result } | null {
  const outcomes: Result[] = [];
  box ??= createContext({});
  box.work = () => {
    outcomes.push(work());
  };
  try {
    script.runInContext(box, { timeout: clockMs });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null;
    throw error;
  }
  return { result: outcomes[0] as Result };
}
