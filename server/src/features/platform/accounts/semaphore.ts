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
  const strangers = createSemaphore(limits);
  return { for: (isKnownDevice) => (isKnownDevice ? known : strangers) };
}

export function createSemaphore(limits: { width: number; waiting: number }): Semaphore {
  let inside = 0;
  const line: (() => void)[] = [];

  return {
    async run(work) {
      if (inside < limits.width) {
        inside += 1;
      } else {
        if (line.length >= limits.waiting) {
          throw new Problem('temporarily_unavailable', 'Too many sign-ins right now. Try again.', {
            headers: { 'retry-after': '2' },
          });
        }
        // A finished task hands its slot to the next one, so `inside` stays unchanged.
        await new Promise<void>((resolve) => line.push(resolve));
      }
      try {
        return await work();
      } finally {
        const next = line.shift();
        if (next) next();
        else inside -= 1;
      }
    },
  };
}
