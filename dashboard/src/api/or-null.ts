import { NotFoundError } from '@carillon/sdk';

/** Turns 404 into null, for settings that may not exist yet. */
export async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
