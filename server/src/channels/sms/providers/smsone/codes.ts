import type { CodeMeaning } from '../../../outcomes.ts';

/**
 * The provider's error codes by their meaning; they occur in an answer and, later, in a receipt. A code that is not listed is
 * judged by its HTTP status.
 */
const codesOf: Record<CodeMeaning, readonly number[]> = {
  retry: [
    14107, // too many between these two numbers
    20500,
    20503,
    30410,
    30003, // handset switched off
    30008, // unknown
  ],
  throttled: [
    20429, // too many calls at once
    21611, // the sender's queue is full
    30001,
    30022,
    60728,
    63017,
    63018,
    63038,
  ],
  unreachable: [
    21211,
    21217,
    21614,
    21635, // not a number, or not a mobile one
    30005, // the number is not assigned
    30006, // a landline
  ],
  unsubscribed: [21610],
  rejected: [
    21408, // region not enabled
    21602,
    21604,
    21612,
    21617,
    21618,
    21619,
    21620,
    21623,
    30004, // blocked, by the recipient or on account of the sender: no reason to suppress the number
    30007, // filtered as spam
    30011,
    30012,
    30450,
  ],
  broken: [
    20003, 20005, 20006, 20404, 21212, 21603, 21606, 21607, 21608, 21609, 21659, 21703, 21704, 21705, 30002,
    30024, 30032, 30034,
  ],
};

const meanings = new Map<number, CodeMeaning>(
  (Object.entries(codesOf) as [CodeMeaning, readonly number[]][]).flatMap(([meaning, codes]) =>
    codes.map((code) => [code, meaning] as const),
  ),
);

export const knownCodes: ReadonlyMap<number, CodeMeaning> = meanings;

/** Hourly and daily limits: another call a second later only adds to the count. */
export const longWaitMs: Readonly<Record<number, number>> = { 60728: 10 * 60_000, 63038: 60 * 60_000 };
