import { Problem } from '../kernel/errors.ts';
import { countFields } from '../kernel/html-size.ts';
import type { CallbackRequest, CallbackVerdict, Receipt } from './contract.ts';

/** The parts that the callbacks of all providers have in common. */

/** The reason is for our log and names no secret; the caller learns the status alone. */
export function refused(status: 400 | 401 | 403, reason: string): CallbackVerdict {
  return { kind: 'refused', status, reason };
}

/** Providers send some dozen fields. A form of this size takes about 5 ms to read, before its signature can be checked. */
const maxFormBytes = 131_072;
const maxFields = 1_000;

/** The form in a body. Every reader of a form reads it here; the content type does not matter. */
export function formIn({ body }: CallbackRequest): URLSearchParams {
  const text = body.toString('utf8');
  if (body.length > maxFormBytes || countFields(text, maxFields) > maxFields)
    throw new Problem(
      'payload_too_large',
      `The callback is a form with more than ${maxFormBytes} bytes or ${maxFields} fields.`,
    );
  return new URLSearchParams(text);
}

const maxAheadMs = 10 * 60_000;

/** Whether a signature is recent enough to count. False when `signedAt` (Unix milliseconds) is not a number. */
export function isCurrent(signedAt: number, now: number, toleranceMs: number): boolean {
  const age = now - signedAt;
  return age < toleranceMs && age > -Math.min(maxAheadMs, toleranceMs);
}

/** The words of a receipt, after the provider that they come from, and the time of the event when `atMs` is a time. */
export function receiptDetail(provider: string, words: string, atMs: number): Pick<Receipt, 'detail' | 'at'> {
  const at = new Date(atMs);
  return {
    detail: `${provider}: ${words}`,
    ...(Number.isNaN(at.getTime()) ? {} : { at: at.toISOString() }),
  } as const;
}
