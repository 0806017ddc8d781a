import { describe, expect, test } from 'vitest';
import type { Carrier, Message, Outcome, Reservation } from '../../../../channels/contract.ts';
import type { HoldVerdict } from '../../../control/brake/index.ts';
import { unsettled } from '../settle/round-settlement.ts';
import { maxRounds, settlementOf } from '../settle/settlement.ts';
import { resumedEntry, settleWaiting } from '../settle/waiting.ts';
import type { DispatchRow } from '../store.ts';
import { type LeaseNote, leaseNoteAt, noteOf, type OpenAttempt, readLeaseNote } from './lease-note.ts';
import { forgottenBy, repeatedAttempt, resolveForgotten, resolveOpenAttempt } from './open-attempt.ts';
import { type FrozenRound, type RoundOptions, runRound, wasAnswered } from './round.ts';

const now = Date.UTC(2026, 0, 1);
const retryContext = { now, retryScale: 1, chance: 0.5 };
const row = { id: 'n', round: 0, attempt_count: 0, priority: 'normal' } as DispatchRow;

const accepted: Outcome = { kind: 'accepted', providerMessageId: 'p1', detail: 'ok' };
const retry: Outcome = { kind: 'retry', detail: 'busy', code: '451' };
const rejected: Outcome = { kind: 'rejected', detail: 'no', code: '554' };
const throttled: Outcome = { kind: 'throttled', detail: 'slow down', code: '429', retryAfterMs: 30_000 };

const message = (attempt: number): Message => ({
  ...{ channel: 'sms', notificationId: 'n', environmentId: 'e', attempt },
  ...{ to: { address: '+15550100', name: null }, from: '+15550101', text: 'Hello' },
});

function carrier(name: string, outcome: Outcome, more: Partial<Carrier> = {}): Carrier {
  return { name, kind: 'test', idempotent: false, send: async () => outcome, ...more };
}

/** A round in which these carriers are paused, until so many milliseconds from now. */
function round(carriers: Carrier[], paused: Record<string, number> = {}, more: Partial<RoundOptions> = {}) {
  return runRound({
    carriers,
    message,
    attemptsBefore: 0,
    urgent: false,
    begin: async () => true,
    judgeFreeze: () => null,
    throttledUntil: ({ name }) => (paused[name] === undefined ? 0 : now + paused[name]),
    throttle: async (_carrier, { retryAfterMs }) => now + (retryAfterMs ?? 1_000),
    clock: () => now,
    signal: new AbortController().signal,
    ...more,
  });
}

const frozen: HoldVerdict = {
  ...{ kind: 'hold', detail: 'frozen', until: now + 1_000, isRepeated: false },
  note: { hold: 'freeze:all', since: now, expires: now + 1_000 },
};

const types = (entries: { type: string }[]) => entries.map(({ type }) => type);
const verdicts = (trace: object[]) => trace.map((entry) => (entry as { verdict?: string }).verdict);

describe('a provider that is paused', () => {
  test('is passed over without a refusal, and the trace names it', async () => {
    const result = await round([carrier('a', accepted), carrier('b', accepted)], { a: 5_000 });
    expect(result).toMatchObject({ kind: 'tried', carrier: { name: 'b' }, attempts: 1, events: [] });
    expect(result).toMatchObject({
      trace: [
        { name: 'pace', verdict: 'passed_over', detail: expect.stringMatching(/^a /) },
        { verdict: 'accepted' },
      ],
    });
  });

  test('like all the others makes the message wait for the first of them', async () => {
    const result = await round([carrier('a', accepted), carrier('b', accepted)], { a: 9_000, b: 5_000 });
    expect(result).toMatchObject({
      kind: 'waiting',
      until: now + 5_000,
      message: expect.stringMatching(/^b /),
    });
  });

  test('may yet take what the others refused for good', async () => {
    const result = await round([carrier('a', accepted), carrier('b', rejected)], { a: 70_000 });
    expect(result).toMatchObject({
      kind: 'tried',
      attempts: 1,
      outcome: { kind: 'retry', retryAfterMs: 70_000 },
    });
  });
});

describe('a provider that asks us to slow down', () => {
  test('is paused for as long as it says, from the start of the call on', async () => {
    const pauses: unknown[] = [];
    await round(
      [carrier('a', throttled)],
      {},
      {
        throttle: async ({ name }, { retryAfterMs }, startedAt) => {
          pauses.push([name, retryAfterMs, startedAt]);
          return now + 1;
        },
      },
    );
    expect(pauses).toEqual([['a', 30_000, now]]);
  });

  test('has been called, so it counts, and the next provider has the message', async () => {
    const attempts: number[] = [];
    const b = carrier('b', accepted, {
      send: async (message) => {
        attempts.push(message.attempt);
        return accepted;
      },
    });
    const result = await round([carrier('a', throttled), b]);
    expect(result).toMatchObject({ kind: 'tried', carrier: { name: 'b' }, attempts: 2 });
    expect(types((result as { events: { type: string }[] }).events)).toEqual(['FailedOver']);
    expect(attempts).toEqual([2]);
  });

  test('like all the others makes the message wait, and the call counts', async () => {
    const result = await round([carrier('a', throttled), carrier('b', accepted)], { b: 60_000 });
    expect(result).toMatchObject({ kind: 'waiting', until: now + 30_000, attempts: 1 });
    expect(types((result as { events: { type: string }[] }).events)).toEqual(['AttemptFailed']);
  });

  test('whom we did not call, because we knew its limit, costs no attempt, and the trace says why it waits', async () => {
    const notCalled: Outcome = { ...throttled, notCalled: true };
    const result = await round([carrier('a', accepted, { reserve: async () => notCalled })]);
    expect(result).toMatchObject({
      kind: 'waiting',
      until: now + 30_000,
      attempts: 0,
      events: [],
      calls: [],
      trace: [
        {
          kind: 'decision',
          name: 'pace',
          verdict: 'held_back',
          detail: expect.stringContaining('slow down'),
        },
      ],
    });
  });

  test('after a real refusal is the end of a round that counts', async () => {
    const result = await round([carrier('a', retry), carrier('b', throttled)]);
    expect(result).toMatchObject({ kind: 'tried', outcome: retry, attempts: 2 });
    expect(types((result as { events: { type: string }[] }).events)).toEqual(['FailedOver', 'AttemptFailed']);
  });
});

test('a freeze that begins during a call ends the round before the next one', async () => {
  let isFrozen = false;
  const slow = carrier('a', retry, {
    async send() {
      isFrozen = true;
      return retry;
    },
  });
  const options = { judgeFreeze: () => (isFrozen ? frozen : null) };
  const result = await round([slow, carrier('b', accepted)], {}, options);
  expect(result).toMatchObject({ kind: 'frozen', attempts: 1, calls: [{ carrier: { name: 'a' } }] });
  expect(types((result as FrozenRound).events)).toEqual(['AttemptFailed']);
});

describe('waiting', () => {
  const waiting = {
    kind: 'waiting' as const,
    until: now + 30_000,
    message: 'a: slow down',
    attempts: 0,
    events: [],
    trace: [],
    calls: [],
  };
  const base = { ...unsettled(row), trace: [{ at: '', kind: 'passed' as const, gates: [] }] };
  const after = (wait: NonNullable<LeaseNote['waiting']>) => ({ ...base, note: { waiting: wait } });

  test('leaves everything as it was but the time of the next try, and says why', () => {
    expect(settleWaiting(base, waiting, retryContext)).toMatchObject({
      kind: 'waiting',
      round: 0,
      attempts: 0,
      events: [],
      retryAt: now + 30_125,
      note: { waiting: { since: now, times: 1, calls: 0 } },
      trace: [{ kind: 'passed' }, { verdict: 'defer' }],
    });
  });

  test('again adds nothing to the trace, and spreads wider', () => {
    const again = settleWaiting(after({ since: now - 60_000, times: 4 }), waiting, retryContext);
    expect(again).toEqual({
      kind: 'still_waiting',
      retryAt: now + 32_000,
      note: { waiting: { since: now - 60_000, times: 5, calls: 0 } },
    });
    const late = settleWaiting(after({ since: now, times: 900 }), waiting, retryContext);
    expect(late).toMatchObject({ kind: 'still_waiting', retryAt: now + 90_000 });
  });

  test('after a call counts it and says that it is tried again, but uses up no round', () => {
    const event = {
      type: 'AttemptFailed',
      occurred_at: '',
      detail: 'a: slow down',
      suppression_reason: null,
    };
    const called = { ...waiting, attempts: 1, events: [event] };
    expect(settleWaiting(after({ since: now, times: 3 }), called, retryContext)).toMatchObject({
      kind: 'waiting',
      round: 0,
      attempts: 1,
      note: { waiting: { times: 4, calls: 1 } },
      events: [{ type: 'AttemptFailed' }, { type: 'Retrying' }],
      trace: [{ kind: 'passed' }, { verdict: 'defer' }],
    });
    // A provider may ask all day: all calls are counted, and only the first ones leave events.
    const twentieth = after({ since: now, times: 30, calls: 20 });
    expect(settleWaiting(twentieth, called, retryContext)).toMatchObject({
      kind: 'waiting',
      attempts: 1,
      events: [],
      trace: [],
      note: { waiting: { calls: 21 } },
    });
  });

  test('for a day is the end of it', () => {
    const dayLater = after({ since: now - 24 * 3_600_000 - 1, times: 900 });
    expect(settleWaiting(dayLater, waiting, retryContext)).toMatchObject({
      kind: 'failed',
      lastError: expect.stringMatching(/^throttled: .*a: slow down/),
    });
  });

  test('is over with the next round, which the trace says', async () => {
    const note = { waiting: { since: now - 90_000, times: 3 } };
    const result = await round([carrier('a', retry)]);
    if (result === 'lost' || result.kind !== 'tried') throw new Error('not tried');
    const settled = settlementOf(row, result, retryContext, { ...unsettled(row), note });
    expect(settled).toMatchObject({ kind: 'retry', note: { due: expect.any(Number) } });
    expect(settled).not.toHaveProperty('note.waiting');
    expect(resumedEntry(note, now)).toMatchObject([
      { verdict: 'resume', detail: expect.stringContaining('90 s') },
    ]);
  });
});

describe('a round before its time', () => {
  test('that fails uses up none of the rounds, and the next is when it would have been', async () => {
    const due = now + 3_600_000;
    const result = await round([carrier('a', retry)]);
    if (result === 'lost' || result.kind !== 'tried') throw new Error('not tried');
    const seventh = { ...row, round: 7 };
    const claimedAt = (time: number) => ({ ...unsettled(seventh), note: leaseNoteAt({ due }, time) });
    expect(settlementOf(seventh, result, retryContext, claimedAt(due - 1))).toMatchObject({
      kind: 'retry',
      round: 7,
      attempts: 1,
      retryAt: due,
      note: { due },
    });
    expect(settlementOf(seventh, result, retryContext, claimedAt(due))).toMatchObject({ kind: 'failed' });
  });
});

describe('a carrier that recognises a repeat', () => {
  const opened = async (carriers: Carrier[]) => {
    const notes: OpenAttempt[] = [];
    await round(
      carriers,
      {},
      {
        begin: async (open) => {
          notes.push(open);
          return true;
        },
      },
    );
    return notes;
  };

  test('is noted before the call when others could be given the message instead', async () => {
    const recognising = carrier('a', accepted, { idempotent: true });
    expect(await opened([recognising])).toEqual([]);
    expect(await opened([recognising, carrier('b', accepted)])).toMatchObject([
      { carrier: 'a', idempotent: true },
    ]);
  });

  test('is the only one that may be asked again after it lost its answer', async () => {
    const ambiguous: Outcome = { kind: 'ambiguous', detail: 'timeout', code: 'timeout' };
    const result = await round([carrier('a', ambiguous, { idempotent: true }), carrier('b', accepted)]);
    if (result === 'lost' || result.kind !== 'tried') throw new Error('not tried');
    const settled = settlementOf(row, result, retryContext);
    const repeat = { carrier: 'a', since: now };
    expect(settled).toMatchObject({ kind: 'retry', note: { repeat } });
    if (settled.kind !== 'retry') throw new Error('not retried');
    const later = await round([carrier('a', retry, { idempotent: true })]);
    if (later === 'lost' || later.kind !== 'tried') throw new Error('not tried');
    const note = leaseNoteAt(settled.note, settled.retryAt);
    const second = settlementOf(row, later, retryContext, { ...unsettled(row), note });
    expect(second).toMatchObject({ kind: 'retry', note: { repeat } });
    const lastRound = { ...row, round: maxRounds - 1 };
    const last = settlementOf(lastRound, later, retryContext, { ...unsettled(lastRound), note });
    expect(last).toMatchObject({
      kind: 'failed',
      lastError: expect.stringMatching(/^outcome_unknown: gave up/),
    });
  });
});

test('a place whose calls nobody answers is told from one that refuses', () => {
  const answered = (outcome: Outcome) => wasAnswered({ kind: 'tried', outcome });
  for (const code of ['timeout', 'connect', 'dns', 'lost', null]) {
    expect(answered({ kind: 'retry', detail: '', code })).toBe(false);
    expect(answered({ kind: 'ambiguous', detail: '', code })).toBe(false);
  }
  expect(answered({ kind: 'retry', detail: '', code: '503' })).toBe(true);
  expect(answered({ kind: 'ambiguous', detail: '', code: '200' })).toBe(true);
  expect(answered({ kind: 'rejected', detail: '', code: null })).toBe(true);
});

describe('a worker that died during a call', () => {
  const open = { carrier: 'a', carrier_kind: 'smtp', started_at: '2026-01-01T00:00:00.000Z' };
  const critical = { ...row, priority: 'critical' } as DispatchRow;

  test('leaves an outcome that nobody knows, and the policy is in the trace', () => {
    const lost = resolveOpenAttempt(row, open, {}, retryContext);
    expect(lost).toMatchObject({
      kind: 'failed',
      attempts: 1,
      lastError: expect.stringMatching(/^outcome_unknown: a/),
    });
    expect(verdicts(lost.trace)).toEqual(['ambiguous', 'prefer_loss']);
    const again = resolveOpenAttempt(critical, open, {}, retryContext);
    expect(again).toMatchObject({ kind: 'retry', attempts: 1 });
    expect(again).not.toHaveProperty('note.repeat');
    expect(verdicts(again.trace)).toEqual(['ambiguous', 'prefer_duplicate']);
  });

  test('is no harm where the carrier recognises the repeat', () => {
    expect(verdicts(repeatedAttempt(open, now))).toEqual(['ambiguous', 'retry']);
  });

  test('and a carrier that is gone, or would have forgotten, leaves an outcome that nobody knows', () => {
    const repeat = { carrier: 'a', account: 'account-1', since: now - 3_600_000 };
    const recognising = { idempotent: true, rateLimitKey: 'account-1' };
    const carriers = [carrier('a', accepted, recognising), carrier('b', accepted)];
    expect(forgottenBy(repeat, carriers, now)).toBeNull();
    expect(forgottenBy({ carrier: 'a', since: now }, carriers, now)).toBeNull(); // as an earlier version noted it
    const others = {
      removed: [carrier('b', accepted)],
      'of another account': [carrier('a', accepted, { ...recognising, rateLimitKey: 'account-2' })],
      'another provider under its name': [carrier('a', accepted)],
    };
    for (const [change, present] of Object.entries(others))
      expect([change, forgottenBy(repeat, present, now)]).toEqual([
        change,
        expect.stringMatching(/settings have changed/),
      ]);
    expect(forgottenBy({ ...repeat, since: now - 86_400_000 }, carriers, now)).toMatch(
      /no longer deduplicate/,
    );

    const base = { ...unsettled(row), note: { repeat } };
    const lost = resolveForgotten(base, row, 'it has been removed', retryContext);
    expect(lost).toMatchObject({
      kind: 'failed',
      lastError: expect.stringMatching(/^outcome_unknown: a/),
    });
    const again = resolveForgotten(base, critical, 'it has been removed', retryContext);
    expect(again).toMatchObject({ kind: 'retry', round: 1 });
    expect(again).not.toHaveProperty('note.repeat');
    expect(verdicts(again.trace)).toEqual(['prefer_duplicate']);
  });
});

describe('a carrier with few connections', () => {
  function reserving(reserved: Reservation | Outcome, log: string[]): Carrier {
    return carrier('a', accepted, {
      reserve: async () => {
        log.push('reserved');
        return reserved;
      },
    });
  }
  const reservation = (log: string[]): Reservation => ({
    send: async () => {
      log.push('sent');
      return accepted;
    },
    release: () => log.push('released'),
  });

  test('has one for the message before the message counts as begun', async () => {
    const log: string[] = [];
    await round(
      [reserving(reservation(log), log)],
      {},
      {
        begin: async () => {
          log.push('begun');
          return true;
        },
      },
    );
    expect(log).toEqual(['reserved', 'begun', 'sent']);
  });

  test('gets it back when the lease is gone', async () => {
    const log: string[] = [];
    expect(await round([reserving(reservation(log), log)], {}, { begin: async () => false })).toBe('lost');
    expect(log).toEqual(['reserved', 'released']);
  });

  test('gets it back when a freeze began while the message waited for it', async () => {
    const log: string[] = [];
    const options = { judgeFreeze: () => frozen, begin: async () => log.push('begun') > 0 };
    expect(await round([reserving(reservation(log), log)], {}, options)).toMatchObject({
      ...{ kind: 'frozen', verdict: frozen, attempts: 0, events: [], calls: [] },
    });
    expect(log).toEqual(['reserved', 'released']);
  });

  test('that has none to give refuses, and nothing was begun', async () => {
    const log: string[] = [];
    const result = await round(
      [reserving(retry, log), carrier('b', accepted)],
      {},
      {
        begin: async ({ carrier: name }) => {
          log.push(`begun ${name}`);
          return true;
        },
      },
    );
    expect(result).toMatchObject({ carrier: { name: 'b' }, attempts: 2 });
    expect(log).toEqual(['reserved', 'begun b']);
  });
});

test('what a notification’s work remembers is nothing, mostly', () => {
  expect(readLeaseNote(null)).toEqual({});
  expect(noteOf({})).toBeNull();
  expect(noteOf({ counted: {} })).toEqual({ counted: {} });
  const note = {
    open: { carrier: 'a', carrier_kind: 'smtp', started_at: '2026-01-01T00:00:00.000Z' },
  };
  expect(readLeaseNote(note)).toEqual(note);
});
