import { isConflict } from '../db/conflicts.ts';
import { isDatabaseUnavailable } from '../db/sql.ts';
import { Problem } from '../kernel/errors.ts';
import { moveProblemOf } from './organization-move.ts';

/** The problem for the caller; the error itself is its cause, for the log. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const moved = moveProblemOf(error);
  if (moved) return moved;
  if (isConflict(error)) return unavailable('Other requests change the same data. Try again.', error);
  if (isDatabaseUnavailable(error))
    return unavailable('The database is temporarily unavailable. Try again.', error);
  return new Problem('internal_error', 'An internal error occurred.', { cause: error });
}

const unavailable = (message: string, cause: unknown): Problem =>
  new Problem('temporarily_unavailable', message, { headers: { 'retry-after': '1' }, cause });
