import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import { localTime, minuteOf, quietUntil } from './quiet-hours.ts';

const hours = (start: string, end: string, timezone: string) => ({
  start_minute: minuteOf(start),
  end_minute: minuteOf(end),
  timezone,
});

describe('held back until the local end of the window', () => {
  // now, window, zone, until (null: not quiet); all moments with their offset, so that both hours of a change can be named
  test.each([
    // an ordinary night, from both sides of midnight
    ['2026-01-15T21:59:59+01:00', '22:00', '07:00', 'Europe/Rome', null],
    ['2026-01-15T22:00:00+01:00', '22:00', '07:00', 'Europe/Rome', '2026-01-16T07:00:00+01:00'],
    ['2026-01-16T03:12:45+01:00', '22:00', '07:00', 'Europe/Rome', '2026-01-16T07:00:00+01:00'],
    ['2026-01-16T07:00:00+01:00', '22:00', '07:00', 'Europe/Rome', null],
    // within one day
    ['2026-01-15T12:30:00+01:00', '12:00', '14:00', 'Europe/Rome', '2026-01-15T14:00:00+01:00'],
    ['2026-01-15T14:00:00+01:00', '12:00', '14:00', 'Europe/Rome', null],
    ['2026-01-15T11:59:59+01:00', '12:00', '14:00', 'Europe/Rome', null],
    // until midnight, and from midnight
    ['2026-01-15T23:00:00+01:00', '22:00', '00:00', 'Europe/Rome', '2026-01-16T00:00:00+01:00'],
    ['2026-01-15T00:00:00+01:00', '00:00', '06:00', 'Europe/Rome', '2026-01-15T06:00:00+01:00'],
    // Rome, 29 March 2026: 02:00 becomes 03:00
    ['2026-03-28T22:30:00+01:00', '22:00', '07:00', 'Europe/Rome', '2026-03-29T07:00:00+02:00'],
    ['2026-03-29T01:00:00+01:00', '22:00', '02:30', 'Europe/Rome', '2026-03-29T03:00:00+02:00'],
    ['2026-03-29T01:00:00+01:00', '22:00', '02:00', 'Europe/Rome', '2026-03-29T03:00:00+02:00'],
    ['2026-03-29T01:00:00+01:00', '22:00', '03:00', 'Europe/Rome', '2026-03-29T03:00:00+02:00'],
    ['2026-03-29T01:59:59+01:00', '22:00', '03:30', 'Europe/Rome', '2026-03-29T03:30:00+02:00'],
    ['2026-03-29T01:59:00+01:00', '02:15', '02:45', 'Europe/Rome', null],
    ['2026-03-29T03:00:00+02:00', '02:15', '02:45', 'Europe/Rome', null],
    // Rome, 25 October 2026: 03:00 becomes 02:00
    ['2026-10-24T23:00:00+02:00', '22:00', '07:00', 'Europe/Rome', '2026-10-25T07:00:00+01:00'],
    ['2026-10-25T01:00:00+02:00', '22:00', '03:00', 'Europe/Rome', '2026-10-25T03:00:00+01:00'],
    ['2026-10-25T01:00:00+02:00', '22:00', '02:30', 'Europe/Rome', '2026-10-25T02:30:00+02:00'],
    ['2026-10-25T02:10:00+01:00', '22:00', '02:30', 'Europe/Rome', '2026-10-25T02:30:00+01:00'],
    // New York, 8 March 2026 (02:00 becomes 03:00) and 1 November 2026 (02:00 becomes 01:00)
    ['2026-03-07T23:00:00-05:00', '21:00', '06:00', 'America/New_York', '2026-03-08T06:00:00-04:00'],
    ['2026-03-08T01:30:00-05:00', '21:00', '02:30', 'America/New_York', '2026-03-08T03:00:00-04:00'],
    ['2026-10-31T23:00:00-04:00', '21:00', '06:00', 'America/New_York', '2026-11-01T06:00:00-05:00'],
    ['2026-11-01T00:30:00-04:00', '21:00', '02:00', 'America/New_York', '2026-11-01T02:00:00-05:00'],
    ['2026-11-01T00:30:00-04:00', '21:00', '01:30', 'America/New_York', '2026-11-01T01:30:00-04:00'],
    // Lord Howe, half an hour of summer time: 4 October 2026 (02:00 becomes 02:30) and 5 April 2026 (02:00 becomes 01:30)
    ['2026-10-03T23:00:00+10:30', '22:00', '07:00', 'Australia/Lord_Howe', '2026-10-04T07:00:00+11:00'],
    ['2026-10-04T01:00:00+10:30', '22:00', '02:15', 'Australia/Lord_Howe', '2026-10-04T02:30:00+11:00'],
    ['2026-04-05T01:00:00+11:00', '22:00', '02:00', 'Australia/Lord_Howe', '2026-04-05T02:00:00+10:30'],
    ['2026-04-05T01:00:00+11:00', '22:00', '01:45', 'Australia/Lord_Howe', '2026-04-05T01:45:00+11:00'],
    ['2026-04-05T01:35:00+10:30', '22:00', '01:45', 'Australia/Lord_Howe', '2026-04-05T01:45:00+10:30'],
    // a zone without summer time, with a quarter of an hour
    ['2026-06-01T23:00:00+05:45', '22:00', '06:15', 'Asia/Kathmandu', '2026-06-02T06:15:00+05:45'],
  ])('%s, %s–%s in %s: %s', (now, start, end, zone, until) => {
    const found = quietUntil(hours(start, end, zone), Date.parse(now));
    expect(found === null ? null : new Date(found).toISOString()).toBe(
      until === null ? null : new Date(until).toISOString(),
    );
  });

  test('agrees with the clock on the wall, minute by minute, around every change of a year', () => {
    const window = hours('01:15', '02:40', 'Europe/Rome');
    for (const day of ['2026-03-29', '2026-10-25', '2026-06-15']) {
      const from = DateTime.fromISO(`${day}T00:00`, { zone: 'Europe/Rome' }).toMillis();
      let expected: number | null = null;
      for (let at = from + 6 * 3_600_000; at >= from; at -= 60_000) {
        const local = DateTime.fromMillis(at, { zone: 'Europe/Rome' });
        const clock = local.hour * 60 + local.minute;
        const quiet = clock >= 75 && clock < 160;
        if (!quiet) expected = at;
        expect([local.toISO(), quietUntil(window, at)]).toEqual([local.toISO(), quiet ? expected : null]);
      }
    }
  });

  test('a zone that is no longer known holds nothing back', () => {
    expect(quietUntil(hours('00:00', '23:59', 'Mars/Olympus'), Date.now())).toBeNull();
  });
});

test('local times are read and written alike', () => {
  for (const text of ['00:00', '07:05', '23:59']) expect(localTime(minuteOf(text))).toBe(text);
});
