import { firstId } from '../kernel/ids.ts';

/** Goes through rows by their ids. A slice says with which id it ended; null: there was nothing left. */
export async function inSlices(
  isStopped: () => boolean,
  slice: (after: string) => Promise<string | null>,
): Promise<void> {
  let after: string | null = firstId;
  while (after !== null && !isStopped()) after = await slice(after);
}
