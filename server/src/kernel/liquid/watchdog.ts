import { type Context, createContext, Script } from 'node:vm';

/**
 * Runs code that must not hold the thread for ever. The budget stops what we know of; this stops what we do not: a pathological
 * regular expression, a search that is quadratic in hostile data. It costs about 40 µs a call (a timer thread), so renderings
 * share one call.
 */
export class TimeLimitExceeded extends Error {
  override readonly name = 'TimeLimitExceeded';
  constructor() {
    super('it took too long');
  }
}

const script = new Script('work()');
let box: (Context & { work?: () => void }) | null = null;

export function within<Result>(limitMs: number, work: () => Result): Result {
  box ??= createContext({});
  const outcome: { result?: Result } = {};
  box.work = () => {
    outcome.result = work();
  };
  try {
    script.runInContext(box, { timeout: limitMs });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new TimeLimitExceeded();
    throw error;
  }
  return outcome.result as Result;
}
