import { describe, expect, test } from 'vitest';
import { retryAfterMs } from './answer.ts';
import { type CarillonError, ConnectionError, errorOfType, TimeoutError } from './errors.ts';
import { delayMs, isAmbiguous, mayRetry } from './retry.ts';
import { pause } from './transport.ts';

const answered = (status: number, retry_after_ms: number | null = null): CarillonError =>
  errorOfType('', { type: 'api_error', code: 'x', status, retry_after_ms });
const failures: Record<string, CarillonError> = {
  refused: new ConnectionError('', true),
  broken: new ConnectionError('', false),
  timeout: new TimeoutError(''),
  400: answered(400),
  401: answered(401),
  404: answered(404),
  408: answered(408),
  409: answered(409),
  429: answered(429),
  500: answered(500),
  502: answered(502),
  503: answered(503),
};

describe('a request is made again', () => {
  test('after whatever may pass, when making it twice does no harm', () => {
    const again = Object.keys(failures).filter((name) => mayRetry(failures[name] as CarillonError, true));
    expect(again.toSorted()).toEqual(['408', '429', '500', '502', '503', 'broken', 'refused', 'timeout']);
  });

  test('otherwise only when it surely was not acted upon', () => {
    const again = Object.keys(failures).filter((name) => mayRetry(failures[name] as CarillonError, false));
    expect(again.toSorted()).toEqual(['429', '503', 'refused']);
    expect(again.filter((name) => isAmbiguous(failures[name] as CarillonError))).toEqual([]);
  });

  test('not when the service asks for more patience than a call has', () => {
    expect(mayRetry(answered(429, 60_000), true)).toBe(true);
    expect(mayRetry(answered(429, 61_000), true)).toBe(false);
  });
});

test('waits double up to eight seconds, differ by chance, and are never shorter than asked', () => {
  expect([0, 1, 2, 3, 4, 5].map((retry) => delayMs(retry, 500, null, 1))).toEqual([
    500, 1000, 2000, 4000, 8000, 8000,
  ]);
  expect(delayMs(2, 500, null, 0)).toBe(1000);
  expect(delayMs(0, 500, 7000, 0)).toBe(7000);
});

test('a pause that is longer than a timer can be is no short one', async () => {
  const abort = new AbortController();
  setTimeout(() => abort.abort(new Error('still waiting')), 20);
  await expect(pause(Number.POSITIVE_INFINITY, abort.signal)).rejects.toThrow('still waiting');
});

test('Retry-After is in seconds or a date', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  expect(retryAfterMs('3', now)).toBe(3000);
  expect(retryAfterMs('0.5', now)).toBe(500);
  expect(retryAfterMs('Sun, 01 Mar 2026 12:00:10 GMT', now)).toBe(10_000);
  expect(retryAfterMs('Sun, 01 Mar 2026 11:00:00 GMT', now)).toBe(0);
  expect([null, '', 'soon'].map((value) => retryAfterMs(value, now))).toEqual([null, null, null]);
});
