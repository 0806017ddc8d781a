import { isDatabaseUnavailable } from '../db/sql.ts';
import { Problem } from '../kernel/errors.ts';
import { moveProblemOf } from './organization-move.ts';

/** The problem for the caller; the error itself is its cause, for the log. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const moved = moveProblemOf(error);
  if (moved) return moved;
  if (isDatabaseUnavailable(error)) {
    return new Problem('temporarily_unavailable', 'The database is temporarily unavailable. Try again.', {
      headers: { 'retry-after': '1' },
      cause: error,
    });
  }
  return new Problem('internal_error', 'An internal error occurred.', { cause: error });
}
