import { Problem } from '../../../kernel/errors.ts';

/** Runs `width` tasks concurrently and lets `waiting` more wait; beyond that, callers get an error with a retry time. */
interface Semaphore {
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** For password checks: known devices have their own queue, so that guesses from unknown devices cannot fill it. */
export interface Semaphores {
  for(isKnownDevice: boolean): Semaphore;
}

export function createSemaphores(limits: { width: number; waiting: number }): Semaphores {
  const known = createSemaphore(limits);
  const unknown = createSemaphore(limits);
  return { for: (isKnownDevice) => (isKnownDevice ? known : unknown) };
}

export function createSemaphore(limits: { width: number; waiting: number }): Semaphore {
  let running = 0;
  const queue: (() => void)[] = [];

  return {
    async run(work) {
      if (running < limits.width) {
        running += 1;
      } else {
        if (queue.length >= limits.waiting) {
          throw new Problem('temporarily_unavailable', 'Too many sign-ins right now. Try again.', {
            headers: { 'retry-after': '2' },
          });
        }
        // A finished task hands its slot to the next one, so `running` stays unchanged.
        await new Promise<void>((resolve) => queue.push(resolve));
      }
      try {
        return await work();
      } finally {
        const next = queue.shift();
        if (next) next();
        else running -= 1;
      }
    },
  };
}
