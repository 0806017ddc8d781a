import { firstId } from '../kernel/ids.ts';

/** Iterates over rows by id. A slice returns the id at which it ended; null when nothing was left. */
export async function inSlices(
  isStopped: () => boolean,
  slice: (after: string) => Promise<string | null>,
): Promise<void> {
  let after: string | null = firstId;
  while (after !== null && !isStopped()) after = await slice(after);
}
