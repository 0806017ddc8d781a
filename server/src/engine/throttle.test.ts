import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, RunInput } from './contract.ts';
import { decide, initialState, takePass } from './decide.ts';
import { parseDefinition } from './parse.ts';
import { simulate } from './simulate.ts';

const now = Date.parse('2026-01-10T08:00:00Z');

function parsed(...steps: Json[]) {
  const result = parseDefinition({ steps });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.definition;
}

describe('the limit', () => {
  test('holds in every window, and runs that wait pass in order and as early as they may', () => {
    const arrivals = fc.array(fc.record({ after: fc.integer({ min: 0, max: 50 }), waits: fc.boolean() }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 5 }), (runs, limit) => {
        const windowMs = 100;
        const passed: number[] = [];
        let passes: number[] = [];
        let at = 0;
        for (const { after, waits } of runs) {
          at += after;
          const taken = takePass(passes, at, { limit, windowMs, waits });
          passes = taken.passes;
          if (taken.at === null) continue;
          expect(taken.at).toBeGreaterThanOrEqual(Math.max(at, passed.at(-1) ?? 0));
          passed.push(taken.at);
          const earlier = passed.at(-1 - limit);
          if (earlier !== undefined) expect(taken.at - earlier).toBeGreaterThanOrEqual(windowMs);
          if (taken.at > at) expect(taken.at - (earlier ?? 0)).toBe(windowMs);
        }
        expect(passes.length).toBeLessThanOrEqual(limit);
      }),
    );
  });
});

describe('a throttle step', () => {
  const runInput: RunInput = {
    id: 'run-1',
    workflowKey: 'w',
    version: 1,
    source: 'Test',
    createdAt: now,
    recipientTimezone: null,
    triggerData: { user: 'ada' },
  };
  const throttle = { id: 't', kind: 'throttle', key: '{{ trigger.user }}', limit: 1, window: '1h' };

  test('asks for a place under its key, passes with one, and ends the run without', () => {
    const definition = parsed(throttle, { id: 'after', kind: 'noop' });
    const asked = decide(definition, runInput, initialState(), { kind: 'start' }, now);
    expect(asked.effect).toEqual({
      kind: 'take_throttle',
      stepId: 't',
      key: 'ada',
      limit: 1,
      windowMs: 3_600_000,
      waits: false,
    });
    for (const [at, outcomes] of [
      [now, ['passed', 'noop']],
      [null, ['throttled']],
    ] as const) {
      const answered = decide(definition, runInput, asked.state, { kind: 'throttle_answered', at }, now);
      expect(answered.effect).toEqual({ kind: 'sleep', until: now });
      const over = decide(definition, runInput, answered.state, { kind: 'timer' }, now);
      expect([over.status, over.entries.map(({ outcome }) => outcome)]).toEqual(['completed', outcomes]);
    }
  });

  test('goes to on_limit when the limit is reached', () => {
    const definition = parsed(
      { ...throttle, on_limit: 'else' },
      { id: 'then', kind: 'cancel' },
      { id: 'else', kind: 'noop' },
    );
    const asked = decide(definition, runInput, initialState(), { kind: 'start' }, now);
    const refused = decide(definition, runInput, asked.state, { kind: 'throttle_answered', at: null }, now);
    const over = decide(definition, runInput, refused.state, { kind: 'timer' }, now);
    expect(over.entries.map(({ stepId }) => stepId)).toEqual(['t', 'else']);
  });

  test('fails a run that would wait for more than a year', () => {
    const definition = parsed({ ...throttle, mode: 'wait' });
    const asked = decide(definition, runInput, initialState(), { kind: 'start' }, now);
    const far = { kind: 'throttle_answered', at: now + 400 * 86_400_000 } as const;
    expect(decide(definition, runInput, asked.state, far, now).status).toBe('failed');
  });

  test('is simulated on the virtual clock: a loop waits for its own passes', () => {
    const definition = parsed(
      { ...throttle, limit: 2, mode: 'wait' },
      { id: 'pause', kind: 'delay', duration: '10m' },
      {
        id: 'again',
        kind: 'branch',
        branches: [{ when: 'timestamp(run.now) < timestamp("2026-01-10T09:30:00Z")', goto: 't' }],
      },
    );
    const { steps } = simulate(definition, { triggerData: { user: 'ada' }, now });
    const passes = steps
      .filter(({ stepId }) => stepId === 't')
      .map(({ completedAt }) => (completedAt ?? 0) - now);
    expect(passes.map((ms) => ms / 60_000)).toEqual([0, 10, 60, 70, 120]);
  });
});

describe('a delay until a window', () => {
  const until = (window: Json, from: string, timezone: string | null = null, more = {}) => {
    const definition = parsed({ id: 'd', kind: 'delay', window, ...more });
    const { steps } = simulate(definition, {
      triggerData: {},
      now: Date.parse(from),
      recipientTimezone: timezone,
    });
    return new Date(steps[0]?.completedAt ?? 0).toISOString().replace(':00.000Z', '');
  };
  const office = { start: '09:00', end: '17:00' };
  const weekdays = { ...office, days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] };

  test.each<[string, Json, string, string | null, string]>([
    ['opens later today', office, '2026-05-06T05:00:00Z', 'Europe/Rome', '2026-05-06T07:00'],
    ['is open', office, '2026-05-06T08:00:00Z', 'Europe/Rome', '2026-05-06T08:00'],
    ['has just closed', office, '2026-05-06T15:00:00Z', 'Europe/Rome', '2026-05-07T07:00'],
    ['waits for Monday', weekdays, '2026-05-09T10:00:00Z', 'Europe/Rome', '2026-05-11T07:00'],
    [
      'spans midnight',
      { start: '22:00', end: '06:00' },
      '2026-05-06T02:00:00Z',
      'Europe/Rome',
      '2026-05-06T02:00',
    ],
    ['is in UTC for a stranger', office, '2026-05-06T05:00:00Z', null, '2026-05-06T09:00'],
    [
      'begins in a gap',
      { start: '02:30', end: '05:00' },
      '2026-03-28T23:00:00Z',
      'Europe/Rome',
      '2026-03-29T01:00',
    ],
    [
      'is inside a gap',
      { start: '02:10', end: '02:50' },
      '2026-03-28T23:00:00Z',
      'Europe/Rome',
      '2026-03-30T00:10',
    ],
    [
      'is in a repeated hour',
      { start: '02:30', end: '05:00' },
      '2026-10-24T22:00:00Z',
      'Europe/Rome',
      '2026-10-25T00:30',
    ],
  ])('that %s', (_, window, from, timezone, expected) => {
    expect(until(window, from, timezone)).toBe(expected);
  });

  test('uses the fallback, a fixed zone, and comes after the duration', () => {
    const from = '2026-05-06T05:00:00Z';
    expect(until(office, from, null, { fallback_timezone: 'Asia/Tokyo' })).toBe('2026-05-06T05:00');
    expect(until(office, from, 'Europe/Rome', { timezone: 'America/New_York' })).toBe('2026-05-06T13:00');
    expect(until(office, from, 'Europe/Rome', { duration: '1d' })).toBe('2026-05-07T07:00');
  });

  test('`at` also takes the time zone of the recipient', () => {
    const definition = parsed({ id: 'd', kind: 'delay', at: '09:00', timezone: 'recipient' });
    const { steps } = simulate(definition, { triggerData: {}, now, recipientTimezone: 'Asia/Tokyo' });
    expect(new Date(steps[0]?.completedAt ?? 0).toISOString()).toBe('2026-01-11T00:00:00.000Z');
  });
});
