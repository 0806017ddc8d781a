import { type CarillonError, ConnectionError } from './errors.ts';

/** Waiting longer than this for one retry is for the caller to decide: the error carries `retry_after_ms`. */
export const longestDelayMs = 60_000;

/**
 * A request that may have been acted upon is only made again when doing it twice does no more than doing it once. The rest is
 * made again only when it surely was not acted upon: never connected, turned away by 429 or 503.
 */
export function mayRetry(error: CarillonError, repeatable: boolean): boolean {
  if ((error.retry_after_ms ?? 0) > longestDelayMs) return false;
  if (error.status === 429 || error.status === 503) return true;
  if (error.status !== null) return repeatable && (error.status === 408 || error.status >= 500);
  return repeatable || (error instanceof ConnectionError && error.unsent);
}

/** Whether the service may have acted although this came back. */
export function isAmbiguous(error: CarillonError): boolean {
  if (error.status !== null) return error.status === 408 || (error.status >= 500 && error.status !== 503);
  return !(error instanceof ConnectionError && error.unsent);
}

/** Doubles with every retry up to 8 s, with half of it left to chance; never earlier than the service asked. */
export function delayMs(retry: number, baseMs: number, askedMs: number | null, random: number): number {
  const step = Math.min(8000, baseMs * 2 ** retry);
  return Math.max(askedMs ?? 0, step * (0.5 + random / 2));
}
