import { Problem } from '../kernel/errors.ts';
import type { Principal } from './principal.ts';

/** A dashboard previews each body of a template at once; a script one after the other. */
const maxComputations = 8;

/**
 * Counts the running requests of each key and person that compute on their input, such as previews. The rate limit does not bound
 * them: one request may use seconds of a processor.
 */
export interface Computations {
  /** Throws when the caller has too many; otherwise returns what ends this one. */
  begin(caller: Pick<Principal, 'id'>): () => void;
}

export function createComputations(): Computations {
  const running = new Map<string, number>();
  return {
    begin({ id }) {
      const count = running.get(id) ?? 0;
      if (count >= maxComputations)
        throw new Problem(
          'rate_limited',
          `A key or a person can have ${maxComputations} previews and simulations at a time. Try again when one has ended.`,
          { headers: { 'retry-after': '1' } },
        );
      running.set(id, count + 1);
      return () => {
        const left = (running.get(id) ?? 1) - 1;
        if (left > 0) running.set(id, left);
        else running.delete(id);
      };
    },
  };
}
