/**
 * Everything that goes wrong in a call is a CarillonError: what the service refused (by `type`, a subclass each), an answer
 * that is not the service's, no answer at all. Decide by class or by `code`, which is stable; `message` is for people. What is
 * yours comes as it is: the reason of a signal, and what a `token` function throws.
 */
export class CarillonError extends Error {
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  readonly type: string;
  readonly code: string;
  /** The field at fault, as a dotted path. */
  readonly param: string | null;
  /** Names the request in the logs of the service. */
  readonly request_id: string | null;
  /** How long the service asked to wait. */
  readonly retry_after_ms: number | null;

  constructor(message: string, details: ErrorDetails, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = nameOf(details.type); // not the class’s own name, which minifiers change
    this.status = details.status ?? null;
    this.type = details.type;
    this.code = details.code;
    this.param = details.param ?? null;
    this.request_id = details.request_id ?? null;
    this.retry_after_ms = details.retry_after_ms ?? null;
  }
}

export interface ErrorDetails {
  type: string;
  code: string;
  status?: number | null;
  param?: string | null;
  request_id?: string | null;
  retry_after_ms?: number | null;
}

/** 400, 405, 413, 415, 422: the request itself is wrong. Also thrown before sending, when it could not be right. */
export class InvalidRequestError extends CarillonError {}
/** 401: no credentials, or bad, expired or revoked ones. */
export class AuthenticationError extends CarillonError {}
/** 402: the plan's limit is reached. */
export class PlanLimitError extends CarillonError {}
/** 403: the credentials lack a scope; the message names it. */
export class PermissionError extends CarillonError {}
/** 404: there is no such thing in this environment. */
export class NotFoundError extends CarillonError {}
/** 409: it clashes with what is there. */
export class ConflictError extends CarillonError {}
/** 429: too many requests, still after the retries. */
export class RateLimitError extends CarillonError {}
/** 5xx, or an answer that is not the service's (`unexpected_response`: a proxy's page, for example). */
export class ApiError extends CarillonError {}

/** The service could not be reached, or hung up. */
export class ConnectionError extends CarillonError {
  /** True when the request surely never arrived. */
  readonly unsent: boolean;

  constructor(message: string, unsent: boolean, cause?: unknown) {
    super(message, { type: 'connection_error', code: 'connection_failed' }, cause);
    this.unsent = unsent;
  }
}

/** No answer in time. The request may have been acted upon. */
export class TimeoutError extends CarillonError {
  constructor(message: string) {
    super(message, { type: 'connection_error', code: 'timeout' });
    this.name = 'TimeoutError';
  }
}

const byType: Record<string, typeof CarillonError> = {
  invalid_request_error: InvalidRequestError,
  authentication_error: AuthenticationError,
  plan_limit_error: PlanLimitError,
  permission_error: PermissionError,
  not_found_error: NotFoundError,
  conflict_error: ConflictError,
  rate_limit_error: RateLimitError,
  api_error: ApiError,
};

/** `rate_limit_error` → `RateLimitError`. */
function nameOf(type: string): string {
  return type.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

/** A type that this version does not know yet is a plain CarillonError. */
export function errorOfType(message: string, details: ErrorDetails): CarillonError {
  const Class = Object.hasOwn(byType, details.type) ? byType[details.type] : undefined;
  return new (Class ?? CarillonError)(message, details);
}

export function invalid(message: string, param: string): InvalidRequestError {
  return new InvalidRequestError(message, {
    type: 'invalid_request_error',
    code: 'parameter_invalid',
    param,
  });
}
