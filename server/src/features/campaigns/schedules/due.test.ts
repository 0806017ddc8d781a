import { describe, expect, test } from 'vitest';
import { dueSlots } from './due.ts';
import type { ScheduleTiming } from './timing.ts';

const at = (time: string): number => Date.parse(`2026-05-${time}:00Z`);
const daily: ScheduleTiming = {
  cron: '0 9 * * *',
  timezone: 'UTC',
  perRecipient: false,
  startsAt: null,
  endsAt: null,
};

describe('a timer', () => {
  test('that is early waits on', () => {
    const slot = at('04T09:00');
    expect(dueSlots(daily, 'skip', slot, slot - 1)).toEqual({ run: null, missed: null, next: slot });
  });

  test('runs a slot that is a few minutes late', () => {
    expect(dueSlots(daily, 'skip', at('04T09:00'), at('04T09:04'))).toEqual({
      run: at('04T09:00'),
      missed: null,
      next: at('05T09:00'),
    });
  });

  test('skips missed slots, and tells how many there were', () => {
    expect(dueSlots(daily, 'skip', at('04T09:00'), at('06T12:00'))).toEqual({
      run: null,
      missed: { count: 3, first: at('04T09:00'), last: at('06T09:00') },
      next: at('07T09:00'),
    });
  });

  test('runs once for all missed slots', () => {
    expect(dueSlots(daily, 'run_once', at('04T09:00'), at('06T12:00')).run).toBe(at('06T09:00'));
  });

  test('leaves the one run to the next slot when that is due as well', () => {
    const due = dueSlots(daily, 'run_once', at('04T09:00'), at('06T09:01'));
    expect(due).toEqual({
      run: null,
      missed: { count: 2, first: at('04T09:00'), last: at('05T09:00') },
      next: at('06T09:00'),
    });
  });

  test('ends with the last slot before ends_at', () => {
    const ending = { ...daily, endsAt: at('05T08:00') };
    expect(dueSlots(ending, 'skip', at('04T09:00'), at('04T09:00'))).toEqual({
      run: at('04T09:00'),
      missed: null,
      next: null,
    });
  });

  test('counts at most a thousand missed slots after a long outage', () => {
    const minutely = { ...daily, cron: '* * * * *' };
    const { missed, next } = dueSlots(minutely, 'skip', at('01T00:00'), at('20T00:00'));
    expect(missed?.count).toBe(1_000);
    expect(next).toBe(at('19T23:55'));
  });

  test('per recipient misses a slot only when the last zone has shown its time', () => {
    const personal = { ...daily, perRecipient: true };
    const slot = at('03T19:00'); // 09:00 on May 4 in the first zone
    expect(dueSlots(personal, 'skip', slot, slot + 26 * 3_600_000).run).toBe(slot);
    expect(dueSlots(personal, 'skip', slot, slot + 27 * 3_600_000).missed?.count).toBe(1);
  });
});
