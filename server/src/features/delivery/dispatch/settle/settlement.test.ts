import { describe, expect, test } from 'vitest';
import type { Carrier, Message, Outcome } from '../../../../channels/contract.ts';
import { retryDelayMs } from '../../../../kernel/retry-schedule.ts';
import { leaseNoteAt } from '../attempt/lease-note.ts';
import { type RoundResult, runRound } from '../attempt/round.ts';
import type { DispatchRow } from '../store.ts';
import { type UnsettledRound, unsettled } from './round-settlement.ts';
import { deferred, held, maxRounds, roundSchedule, settlementOf } from './settlement.ts';
import { waitForObjects } from './waiting.ts';

const now = Date.UTC(2026, 0, 1);
const context = { now, retryScale: 1, chance: 0.5 };

const row = { id: 'n', round: 0, attempt_count: 0, priority: 'normal' } as DispatchRow;

const message: Message = {
  ...{ channel: 'sms', notificationId: 'n', environmentId: 'e', attempt: 1 },
  ...{ to: { address: '+15550100', name: null }, from: '+15550101', text: 'Hello' },
};

function carrier(name: string, outcome: Outcome, idempotent = false): Carrier {
  return { name, kind: 'test', idempotent, send: async () => outcome };
}

const accepted: Outcome = { kind: 'accepted', providerMessageId: 'p1', detail: 'ok' };
const retry: Outcome = { kind: 'retry', detail: 'busy', code: '451' };
const rejected: Outcome = { kind: 'rejected', detail: 'no', code: '554' };
const broken: Outcome = { kind: 'broken', detail: 'bad password', code: '535' };
const suppress: Outcome = { kind: 'suppress', detail: 'no such user', code: '550', reason: 'hard_bounce' };
const ambiguous: Outcome = { kind: 'ambiguous', detail: 'timeout after DATA', code: null };

async function round(carriers: [Carrier, ...Carrier[]], begin = async () => true): Promise<RoundResult> {
  const result = await runRound({
    carriers,
    message: () => message,
    attemptsBefore: 0,
    urgent: false,
    begin,
    judgeFreeze: () => null,
    throttledUntil: () => 0,
    throttle: async () => now + 1_000,
    clock: () => now,
    signal: new AbortController().signal,
  });
  if (result === 'lost' || result.kind !== 'tried') throw new Error(String(result));
  return result;
}

const types = (entries: { type: string }[]): string[] => entries.map((entry) => entry.type);

describe('a round', () => {
  test('hands over to the next provider when one refuses the message', async () => {
    const result = await round([carrier('a', rejected), carrier('b', broken), carrier('c', accepted)]);
    expect(result).toMatchObject({ outcome: accepted, attempts: 3 });
    expect(types(result.events)).toEqual(['FailedOver', 'FailedOver']);
    expect(result.events[0]?.detail).toBe('a: no; trying b');
  });

  test('ends with AttemptFailed when none is left, and the most hopeful refusal decides', async () => {
    const result = await round([carrier('a', retry), carrier('b', rejected)]);
    expect(result.outcome).toEqual(retry);
    expect(types(result.events)).toEqual(['FailedOver', 'AttemptFailed']);
  });

  test.each([suppress, ambiguous])('never goes on to the next provider after $kind', async (outcome) => {
    const result = await round([carrier('a', outcome), carrier('b', accepted)]);
    expect(result).toMatchObject({ outcome, attempts: 1 });
  });

  test('records an attempt before a call that must not be repeated blindly, and sends nothing without the lease', async () => {
    let sent = 0;
    const counting: Carrier = {
      ...carrier('a', accepted),
      send: async () => {
        sent += 1;
        return accepted;
      },
    };
    await expect(round([counting], async () => false)).rejects.toThrow('lost');
    expect(sent).toBe(0);
    await round([{ ...counting, idempotent: true }], async () => {
      throw new Error('a repeatable call needs no record');
    });
    expect(sent).toBe(1);
  });
});

describe('a settlement', () => {
  const settle = async (outcome: Outcome, over: Partial<DispatchRow> = {}, idempotent = false) =>
    settlementOf({ ...row, ...over }, await round([carrier('a', outcome, idempotent)]), context);

  test('of an acceptance is sent, or further with receipts that came along', async () => {
    expect(await settle(accepted)).toMatchObject({
      kind: 'sent',
      status: 'sent',
      sentAt: '2026-01-01T00:00:00.000Z',
    });
    const delivered: Outcome = {
      ...accepted,
      receipts: [
        { type: 'Delivered', detail: null },
        { type: 'Opened', detail: null, afterMs: 5 },
      ],
    };
    const settled = await settle(delivered);
    expect(settled).toMatchObject({
      kind: 'sent',
      status: 'delivered',
      laterReceipts: [{ type: 'Opened' }],
    });
    expect(types(settled.events)).toEqual(['Sent', 'Delivered']);
  });

  test.each([
    [retry, 'retry', ['AttemptFailed', 'Retrying']],
    [broken, 'retry', ['AttemptFailed', 'Retrying']],
    [rejected, 'failed', ['AttemptFailed', 'Failed']],
    [suppress, 'bounced', ['Bounced']],
  ] as const)('of $kind', async (outcome, kind, events) => {
    const settled = await settle(outcome);
    expect(settled).toMatchObject({ kind, lastError: expect.stringMatching(/^a: /) });
    expect(types(settled.events)).toEqual(events);
  });

  test('gives up after the last round', async () => {
    const settled = await settle(retry, { round: maxRounds - 1 });
    expect(settled).toMatchObject({ kind: 'failed', outcomeUnknown: false });
  });

  test('of an unknown outcome follows the rule, and the trace says which', async () => {
    const verdict = async (...args: Parameters<typeof settle>) => {
      const settled = await settle(...args);
      return [settled.kind, settled.trace.find((entry) => entry.kind === 'decision')?.verdict];
    };
    expect(await verdict(ambiguous, {}, true)).toEqual(['retry', 'retry']);
    expect(await verdict(ambiguous, { priority: 'critical' })).toEqual(['retry', 'prefer_duplicate']);
    expect(await verdict(ambiguous)).toEqual(['failed', 'prefer_loss']);
    expect(await settle(ambiguous)).toMatchObject({
      lastError: expect.stringMatching(/^outcome_unknown/),
      outcomeUnknown: true,
    });
    // It says that it would not even recognise the repeat.
    expect(await verdict({ ...ambiguous, unrepeatable: true }, {}, true)).toEqual(['failed', 'prefer_loss']);
  });

  test('of a second unknown outcome fails a critical notification too, and says that it was sent twice', async () => {
    const critical = { ...row, priority: 'critical' as const };
    const next = async (outcome: Outcome, before: UnsettledRound) =>
      settlementOf(critical, await round([carrier('a', outcome)]), context, before);
    const noteOf = (settled: Awaited<ReturnType<typeof next>>) => {
      if (settled.kind !== 'retry') throw new Error(settled.kind);
      return leaseNoteAt(settled.note, settled.retryAt);
    };
    const first = await next(ambiguous, unsettled(critical));
    // A refusal in between was no copy: the one repeat is still to come.
    const refused = await next(retry, { ...unsettled(critical), note: noteOf(first) });
    const second = await next(ambiguous, { ...unsettled(critical), note: noteOf(refused) });
    expect(second).toMatchObject({
      kind: 'failed',
      outcomeUnknown: true,
      lastError: 'outcome_unknown: a: timeout after DATA (sent twice, both outcomes unknown)',
    });
    expect(second.events.at(-1)).toMatchObject({ type: 'Failed', detail: second.lastError });
    expect(second.trace.at(-1)).toMatchObject({
      verdict: 'prefer_loss',
      detail: expect.stringContaining('not sent a third time'),
    });
    const last = { ...unsettled(critical), round: maxRounds - 1, note: noteOf(first) };
    expect(await next(retry, last)).toMatchObject({ lastError: expect.stringMatching(/^outcome_unknown: /) });
  });
});

test('retries are eight rounds over about 24 hours, spread by a fifth', () => {
  const delayMs = (round: number, chance = 0.5) =>
    retryDelayMs(roundSchedule, round, { retryScale: 1, chance }, null);
  const delays = Array.from({ length: maxRounds }, (_, index) => delayMs(index + 1));
  expect(delays.at(-1)).toBeNull();
  const total = delays.reduce<number>((sum, delay) => sum + (delay ?? 0), 0) / 3_600_000;
  expect(total).toBeGreaterThan(22);
  expect(total).toBeLessThan(26);
  expect([delayMs(1, 0), delayMs(1, 1)]).toEqual([8_000, 12_000]);
});

test('a delay of our own obeys the scale, and one that the provider asked for does not', async () => {
  const retryAt = async (outcome: Outcome, retryScale: number) => {
    const settled = settlementOf(row, await round([carrier('a', outcome)]), { ...context, retryScale });
    return settled.kind === 'retry' ? settled.retryAt : null;
  };
  const greylisted: Outcome = { ...retry, atLeastMs: 300_000 };
  expect(await retryAt(greylisted, 1)).toBe(now + 300_000);
  expect(await retryAt(greylisted, 0.001)).toBe(now + 300);
  expect(await retryAt({ ...retry, retryAfterMs: 300_000 }, 0.001)).toBe(now + 300_000);
});

test('time under a hold or a gate is not time that a provider or the object store was waited for', () => {
  const wait = { since: now - 86_400_000, times: 5 };
  const before = { ...unsettled(row), note: { braked: true as const, waiting: wait, objects: wait } };
  const hold = { hold: 'freeze:all', since: now, expires: now + 1_000 };
  const verdict = { kind: 'hold' as const, note: hold, until: now + 1_000, detail: '' };
  expect(deferred(before, now + 1_000).note).toEqual({ braked: true });
  for (const isRepeated of [true, false])
    expect(held(before, now, { ...verdict, isRepeated }).note).toEqual({ braked: true, held: hold });
  expect(waitForObjects(before, 'no answer', context)).toMatchObject({
    note: { waiting: wait, objects: { since: wait.since, times: 6 } },
  });
  expect(waitForObjects({ ...before, note: { waiting: wait } }, 'no answer', context)).toMatchObject({
    ...{ kind: 'deferred', note: { waiting: wait, objects: { since: now, times: 1 } } },
  });
});
