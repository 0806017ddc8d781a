import { Problem } from '../../kernel/errors.ts';

/** Lets `width` pieces of work through at once and `waiting` more stand in line; beyond that, callers are told to come back. */
export interface Semaphore {
  run<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** For password checks: people on known devices have a line of their own, so that strangers who guess cannot fill it. */
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
          throw new Problem(
            'temporarily_unavailable',
            'Too many people are signing in right now. Try again.',
            {
              headers: { 'retry-after': '2' },
            },
          );
        }
        // Whoever leaves hands over the place, so `inside` stays as it is.
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
