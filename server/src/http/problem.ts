import type { FastifyRequest } from 'fastify';
import { isConflict } from '../db/conflicts.ts';
import { isDatabaseUnavailable } from '../db/sql.ts';
import { Problem } from '../kernel/errors.ts';

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

/** The problem for an error of the server itself, which has a code. */
export function httpProblemOf(error: unknown, { routeOptions }: FastifyRequest): Problem {
  const code = (error as { code?: unknown }).code;
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported_media_type', 'The body must be sent as application/json.');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem(
        'payload_too_large',
        `The body is larger than this operation accepts: at most ${routeOptions.bodyLimit?.toLocaleString('en-US')} bytes.`,
      );
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('invalid_json', 'The length of the body does not match Content-Length.');
    case 'FST_ERR_BAD_URL':
      return new Problem('route_not_found', 'The URL is not valid.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Problem('route_not_found', 'A part of the URL is too long.');
  }
  return problemOf(error);
}

/** An organization on its way to another installation; see `operator/move`. */
export interface OrganizationMove {
  state: 'leaving' | 'moved' | 'arriving';
  movedTo: string | null;
}

/** The header that tells a router where to repeat the request. */
const movedToHeader = 'carillon-moved-to';
const retryAfterSeconds = 10;

export function moveProblem({ state, movedTo }: OrganizationMove): Problem {
  if (state === 'moved' && movedTo !== null) {
    return new Problem('organization_moved', `This organization has moved to ${movedTo}.`, {
      headers: { [movedToHeader]: movedTo },
    });
  }
  return new Problem('organization_moving', 'This organization is being moved. Try again later.', {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

/** The problem behind a write that the fence of a moving organization has refused; null for any other error. */
export function moveProblemOf(error: unknown): Problem | null {
  const { code, detail } = (error ?? {}) as { code?: unknown; detail?: unknown };
  if (code === 'CM503') return moveProblem({ state: 'leaving', movedTo: null });
  if (code === 'CM421') return moveProblem({ state: 'moved', movedTo: String(detail) });
  return null;
}
