import { NotFoundError } from '@carillon/sdk';

/** For what need not be there: a setting that nobody made yet is an answer, not an error. */
export async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
