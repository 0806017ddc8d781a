import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../../channels/contract.ts';
import { countedAs, judgeHealth, type Sign, signOf, statusOf, windowMs } from './health.ts';

describe('a call is held against the provider', () => {
  const said = { detail: '', code: null };
  test.each<[string, Outcome, Sign | null]>([
    ['not when it took the message', { kind: 'accepted', providerMessageId: null, detail: '' }, 'well'],
    ['not when it refused the content', { kind: 'rejected', ...said }, 'well'],
    ['not when it refused the recipient', { kind: 'suppress', ...said, reason: 'hard_bounce' }, 'well'],
    ['when it could not be reached', { kind: 'retry', ...said }, 'failing'],
    ['not when the recipient’s mailbox was full', { kind: 'retry', ...said, recipient: true }, null],
    ['not when the failure was ours', { kind: 'retry', ...said, internal: true }, null],
    ['not when we stopped it ourselves', { kind: 'retry', detail: '', code: 'stopped' }, null],
    ['when it lost its answer', { kind: 'ambiguous', ...said }, 'failing'],
    ['when it does not accept our credentials', { kind: 'broken', ...said }, 'broken'],
    ['not when it asked us to slow down', { kind: 'throttled', ...said, retryAfterMs: null }, null],
  ])('%s', (_name, outcome, sign) => {
    expect(signOf(outcome)).toBe(sign);
  });
});

describe('a message counts once in a window', () => {
  const failedJustNow = { at: 1_000, failed: true };
  test.each([
    ['at first', undefined, 'failing', 1_000, { messages: 1, failed: 1 }],
    ['at first', undefined, 'well', 1_000, { messages: 1, failed: 0 }],
    ['however often it fails', failedJustNow, 'failing', 9_000, { messages: 0, failed: 0 }],
    [
      'and takes its failure back when it gets through',
      failedJustNow,
      'well',
      9_000,
      { messages: 0, failed: -1 },
    ],
    ['and anew in the next window', failedJustNow, 'failing', 1_000 + windowMs, { messages: 1, failed: 1 }],
  ] as const)('%s (%#)', (_name, before, sign, now, expected) => {
    const { messages, failed } = countedAs(before, sign, now);
    expect({ messages, failed: failed + 0 }).toEqual(expected);
  });
});

describe('an outage', () => {
  const sums = (messages: number, failed: number, since = { messages, failed }) => ({
    messages,
    failed,
    messages_since: since.messages,
    failed_since: since.failed,
  });
  const well = { firing: false, demoted: false };
  const nothing = { fire: false, demote: false, recover: false };

  test.each([
    ['needs 20 messages', well, sums(19, 19), nothing],
    ['needs more than half of them to fail', well, sums(20, 10), nothing],
    [
      'begins with the event and the demotion',
      well,
      sums(20, 11),
      { fire: true, demote: true, recover: false },
    ],
    ['is announced once', { firing: true, demoted: true }, sums(500, 500), nothing],
    ['is not over while the provider is tried last', { firing: true, demoted: true }, sums(10, 0), nothing],
    ['is not over at 10 %', { firing: true, demoted: false }, sums(100, 10), nothing],
    ['is over below 10 %', { firing: true, demoted: false }, sums(100, 9), { ...nothing, recover: true }],
    ['is not over by silence', { firing: true, demoted: false }, sums(0, 0), nothing],
    [
      'is not begun again by what failed before something got through',
      { firing: true, demoted: false },
      sums(100, 90, { messages: 5, failed: 0 }),
      nothing,
    ],
    [
      'goes on when most fail again before it was over',
      { firing: true, demoted: false },
      sums(200, 150, { messages: 20, failed: 20 }),
      { ...nothing, demote: true },
    ],
  ])('%s', (_name, state, counts, expected) => {
    expect(judgeHealth(state, counts)).toEqual(expected);
  });

  test('is what the settings show', () => {
    expect(statusOf(well, { messages: 100, failed: 5 })).toBe('healthy');
    expect(statusOf(well, { messages: 100, failed: 30 })).toBe('degraded');
    expect(statusOf({ firing: true, demoted: true }, { messages: 1, failed: 1 })).toBe('outage');
    expect(statusOf({ firing: true, demoted: false }, { messages: 100, failed: 30 })).toBe('degraded');
    expect(statusOf({ firing: false, demoted: true }, { messages: 1, failed: 1 })).toBe('outage');
  });
});
