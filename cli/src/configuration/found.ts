import { NotFoundError } from '@carillon/sdk';

/** Null when the service does not have it. */
export async function orNull<Found>(request: Promise<Found>): Promise<Found | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
