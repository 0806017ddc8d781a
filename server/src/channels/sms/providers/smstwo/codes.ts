import type { CodeMeaning } from '../../../outcomes.ts';

/** The `status` of each part of a message, by its meaning. A code that is not listed is a permanent refusal. */
const meanings: Readonly<Record<string, CodeMeaning>> = {
  1: 'throttled',
  2: 'rejected', // a parameter is missing
  3: 'rejected', // a parameter is wrong
  4: 'broken', // credentials
  5: 'retry',
  6: 'rejected', // prefix not allowed
  7: 'unreachable', // the number is barred
  8: 'broken', // the account is barred
  9: 'broken', // no credit left
  10: 'throttled', // too many connections
  11: 'broken',
  12: 'rejected', // too long
  14: 'broken',
  15: 'broken', // sender not allowed
  22: 'rejected',
  23: 'rejected', // callback URL
  29: 'broken', // trial account
  32: 'broken',
  33: 'unreachable', // the number is no longer in use
};

export function meaningOf(status: string): CodeMeaning {
  return (Object.hasOwn(meanings, status) ? meanings[status] : undefined) ?? 'rejected';
}

/** The `err-code` values of a receipt for which the number is suppressed. */
const gone = new Set([
  '3', // permanently absent
  '4', // barred by its owner
  '9', // illegal number, or opted out
  '14', // blocked by the carrier
]);

export function isGone(errCode: string): boolean {
  return gone.has(errCode);
}
