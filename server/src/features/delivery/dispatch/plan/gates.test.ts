import { describe, expect, test } from 'vitest';
import { lowestIdAt } from '../../../../kernel/ids.ts';
import { type GateInput, gates, judge, withBrake } from './gates.ts';

const now = Date.parse('2026-01-15T22:30:00Z');
const suppression = {
  id: lowestIdAt(Date.parse('2026-01-01T00:00:00Z')),
  environment_id: 'e',
  address: 'ada@example.com',
  reason: 'hard_bounce' as const,
  source: 'provider' as const,
  diagnostic_detail: null,
  triggering_notification_id: null,
};
const consent = { isCritical: false, optedIn: true, source: 'default' as const, quietHours: null };
const night = { start_minute: 22 * 60, end_minute: 7 * 60, timezone: 'UTC' };

const fact = (over: Partial<GateInput> = {}): GateInput => ({
  status: 'queued',
  channel: 'email',
  category: 'news',
  send_at: null,
  suppression: null,
  consent: null,
  broadcast: null,
  ...over,
});

const verdictOn = (over: Partial<GateInput>) => judge(fact(over), now).verdict;

describe('the gates', () => {
  test('stand in the order of the contract', () => {
    expect(gates.map((gate) => gate.name)).toEqual([
      'broadcast',
      'still_wanted',
      'suppression_list',
      'category_preference',
      'quiet_hours',
    ]);
  });

  test('let pass what nothing speaks against', () => {
    expect(verdictOn({ consent })).toEqual({ kind: 'pass' });
    expect(verdictOn({ category: null })).toEqual({ kind: 'pass' });
  });

  test.each(['sent', 'delivered', 'suppressed', 'failed'] as const)('drop what is %s already', (status) => {
    expect(verdictOn({ status }).kind).toBe('drop');
  });

  test('put off what is scheduled for later, before anything else is asked', () => {
    const send_at = new Date(now + 1);
    expect(verdictOn({ send_at, suppression })).toMatchObject({ kind: 'defer', until: now + 1 });
    expect(verdictOn({ send_at: new Date(now) }).kind).toBe('pass');
  });

  test('suppress what goes to a suppressed address, critical or not', () => {
    for (const isCritical of [false, true]) {
      expect(verdictOn({ suppression, consent: { ...consent, isCritical } })).toEqual({
        kind: 'suppress',
        reason: 'hard_bounce',
        detail: 'The address has been on the suppression list since 2026-01-01T00:00:00.000Z (hard_bounce).',
      });
    }
  });

  test('suppress what the recipient opted out of, and never what is critical', () => {
    const optedOut = { ...consent, optedIn: false, source: 'unsubscribe' as const };
    expect(verdictOn({ consent: optedOut })).toEqual({
      kind: 'suppress',
      reason: 'category_opt_out',
      detail: 'The recipient opted out of the category news on email (unsubscribe).',
    });
    expect(verdictOn({ consent: { ...optedOut, source: 'default' } })).toMatchObject({
      reason: 'category_default',
      detail: 'The category news is off on email unless the recipient opts in.',
    });
    expect(verdictOn({ consent: { ...optedOut, isCritical: true } }).kind).toBe('pass');
  });

  test('hold back during quiet hours, after the preference was asked, and never what is critical', () => {
    const quiet = { ...consent, quietHours: night };
    expect(verdictOn({ consent: quiet })).toEqual({
      kind: 'defer',
      until: Date.parse('2026-01-16T07:00:00Z'),
      detail: 'Quiet hours of the recipient (22:00 to 07:00, UTC): delayed until 2026-01-16T07:00:00.000Z.',
      waitsFor: 'quiet_hours',
    });
    expect(verdictOn({ consent: { ...quiet, optedIn: false } }).kind).toBe('suppress');
    expect(verdictOn({ consent: { ...quiet, isCritical: true } }).kind).toBe('pass');
  });

  test('hold back a paused broadcast until it is resumed, and suppress a cancelled one', () => {
    const paused = verdictOn({ broadcast: { id: 'b', status: 'paused' } });
    expect(paused).toMatchObject({ kind: 'defer', waitsFor: 'broadcast:b' });
    expect(verdictOn({ broadcast: { id: 'b', status: 'cancelled' } })).toMatchObject({
      kind: 'suppress',
      reason: 'broadcast_cancelled',
    });
    for (const status of ['preparing', 'running', 'done'])
      expect(verdictOn({ broadcast: { id: 'b', status } }).kind).toBe('pass');
    const { trace } = judge(fact({ broadcast: { id: 'b', status: 'running' } }), now);
    expect(trace).toEqual([expect.objectContaining({ gates: expect.arrayContaining(['broadcast']) })]);
  });

  test('leave each verdict in the trace', () => {
    const { trace } = judge(fact({ consent: { ...consent, optedIn: false } }), now);
    expect(trace).toEqual([
      { at: '2026-01-15T22:30:00.000Z', kind: 'passed', gates: ['still_wanted', 'suppression_list'] },
      {
        at: '2026-01-15T22:30:00.000Z',
        kind: 'gate',
        name: 'category_preference',
        verdict: 'suppress',
        detail: expect.any(String),
      },
    ]);
  });

  test('the brake comes last, and only for what the others let pass', () => {
    const passing = judge(fact({}), now);
    const stopped = judge(fact({ suppression }), now);
    const capped = { kind: 'suppress', reason: 'frequency_capped', detail: 'Too many.' } as const;
    expect(withBrake(passing, undefined)).toBe(passing);
    expect(withBrake(stopped, capped)).toBe(stopped);
    const [passed] = passing.trace;
    const gatesOf = (entry: unknown) => (entry as { gates: string[] }).gates;
    const counted = withBrake(passing, { kind: 'pass' });
    expect(counted.verdict.kind).toBe('pass');
    expect(gatesOf(counted.trace[0])).toEqual([...gatesOf(passed), 'brake']);
    expect(withBrake(passing, capped)).toEqual({
      verdict: capped,
      trace: [
        passed,
        {
          at: '2026-01-15T22:30:00.000Z',
          kind: 'gate',
          name: 'brake',
          verdict: 'suppress',
          detail: 'Too many.',
        },
      ],
    });
  });
});
