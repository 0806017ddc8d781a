import { expect, test } from 'vitest';
import { duration, relativeTime } from './time.tsx';
import { exactTime, shortTime, utcTime } from './time-format.ts';

test('a time is written with its zone and as the locale writes it', () => {
  const date = new Date(2026, 0, 1, 0, 5, 6, 7);
  const zoneIn = (locale: string) =>
    new Intl.DateTimeFormat(locale, { timeZoneName: 'short' })
      .formatToParts(date)
      .find(({ type }) => type === 'timeZoneName')?.value;
  const spaced = (text: string) => text.replaceAll('\u202f', ' ');
  expect(spaced(exactTime(date, 'en-US'))).toBe(`Jan 1, 2026, 12:05:06.007 AM ${zoneIn('en-US')}`);
  expect(shortTime(date, 'en-GB')).toBe(`1 Jan 2026, 00:05:06 ${zoneIn('en-GB')}`);
  expect(shortTime(date, 'de')).toBe(`1. Jan. 2026, 00:05:06 ${zoneIn('de')}`);
  expect(utcTime(date)).toBe(date.toISOString());
});

test('times and durations are short', () => {
  expect([-4_000, -59_000, 90_000, -86_400_000].map(relativeTime)).toEqual([
    'just now',
    '59 s ago',
    'in 1 min',
    '1 d ago',
  ]);
  expect([0, 12, 1_400, 200_000, 90_000_000].map(duration)).toEqual([
    '< 1 ms',
    '12 ms',
    '1.4 s',
    '3 min 20 s',
    '1 d 1 h',
  ]);
});
