import { CarillonError, ConnectionError, NotFoundError, PermissionError, TimeoutError } from '@carillon/sdk';
import { common } from '../strings/common.ts';

/** True when the request did not reach the service, in contrast to a rejected request. */
export const isUnreached = (error: unknown): boolean =>
  error instanceof ConnectionError || error instanceof TimeoutError;

/** The text of an error, with a detail that helps to find it in the logs. */
export function describeError(error: unknown): { text: string; detail: string | null } {
  if (isUnreached(error)) {
    return { text: common.cannotReach, detail: common.cannotReachHint };
  }
  if (error instanceof NotFoundError) return { text: common.notFound, detail: common.notFoundHint };
  if (error instanceof PermissionError) return { text: common.notAllowed, detail: error.message };
  if (error instanceof CarillonError) {
    return { text: error.message, detail: error.request_id ? common.requestId(error.request_id) : null };
  }
  return { text: common.wentWrong, detail: error instanceof Error ? error.message : null };
}

/** True when the server names one of these request fields, or a part of one: `recipient.address` is of `recipient`. */
export function isErrorAbout(error: unknown, names: readonly string[]): error is CarillonError {
  const param = error instanceof CarillonError ? error.param : null;
  return names.some((name) => param === name || param?.startsWith(`${name}.`));
}
