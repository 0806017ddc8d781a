import type { Clock } from '../kernel/clock.ts';
import { firstId } from '../kernel/ids.ts';
import type { Pool } from './sql.ts';

/** Iterates over rows by id. A slice returns the id at which it ended; null when nothing was left. */
export function inSlices<D = { pool: Pool }>(slice: (deps: D, after: string) => Promise<string | null>) {
  return async (deps: D, isStopped: () => boolean): Promise<void> => {
    let after: string | null = firstId;
    while (after !== null && !isStopped()) after = await slice(deps, after);
  };
}

/** Deletes up to `limit` rows and returns how many there were. */
type DeleteSlice = (deps: { pool: Pool; clock: Clock }, limit: number) => Promise<number>;

/** Deletes in slices, one kind of row after the other, until nothing is left or the process stops. */
export function deleteInSlices(sliceSize: number, ...deletions: DeleteSlice[]) {
  return async (deps: { pool: Pool; clock: Clock }, isStopped: () => boolean): Promise<void> => {
    for (const deleteSlice of deletions)
      while (!isStopped() && (await deleteSlice(deps, sliceSize)) === sliceSize) {}
  };
}
