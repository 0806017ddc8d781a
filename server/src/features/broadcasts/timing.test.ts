import { expect, test } from 'vitest';
import type { BroadcastRecipient } from './recipients.ts';
import { nextSliceAt, sliceLimit, timeRecipients, withinPeriod } from './timing.ts';

const now = Date.parse('2026-03-28T12:00:00Z');
type Timing = Parameters<typeof timeRecipients>[0];
const plain: Timing = {
  send_at_local: null,
  local_from: null,
  local_until: null,
  timezone: 'UTC',
  rate_per_second: null,
  local_moments: {},
  next_slice_at: null,
  started_at: new Date(now),
};
const recipient = (timezone: string | null) => ({ member: { timezone } }) as BroadcastRecipient;
const timesOf = (row: Timing, zones: (string | null)[], at = now) => {
  const { timed, moments } = timeRecipients(row, zones.map(recipient), at);
  return { times: timed.map(({ sendAt }) => sendAt?.toISOString() ?? null), moments };
};

test('without a local time everything is sent at once', () => {
  expect(timesOf(plain, ['Asia/Tokyo', null]).times).toEqual([null, null]);
});

test('a local time is that of each recipient, also where clocks change and where there is no zone', () => {
  const row = { ...plain, send_at_local: '2026-03-29T02:30', timezone: 'Europe/Rome' };
  expect(
    timesOf(row, [
      'Asia/Tokyo',
      'America/New_York',
      'Europe/Rome',
      null,
      'Mars/Olympus',
      'Pacific/Kiritimati',
    ]).times,
  ).toEqual([
    '2026-03-28T17:30:00.000Z',
    '2026-03-29T06:30:00.000Z',
    '2026-03-29T01:00:00.000Z', // Rome skips from 02:00 to 03:00
    '2026-03-29T01:00:00.000Z',
    '2026-03-29T01:00:00.000Z',
    '2026-03-28T12:30:00.000Z',
  ]);
  const repeated = { ...plain, send_at_local: '2026-10-25T02:30' };
  expect(timesOf(repeated, ['Europe/Rome']).times).toEqual(['2026-10-25T00:30:00.000Z']);
});

test('where the local time has passed, it is sent at once', () => {
  const row = { ...plain, send_at_local: '2026-03-28T12:30' };
  expect(timesOf(row, ['Asia/Tokyo', 'UTC']).times).toEqual([null, '2026-03-28T12:30:00.000Z']);
});

test('users whose local time is outside of the period are left out', () => {
  const row = { ...plain, send_at_local: '2026-03-28T12:30', timezone: 'UTC' };
  const members = ['Asia/Tokyo', null, 'America/New_York'].map((timezone) => ({ timezone }));
  expect(withinPeriod(row, members)).toEqual(members);
  const period = { local_from: new Date(now), local_until: new Date(now + 3_600_000) };
  expect(withinPeriod({ ...row, ...period }, members)).toEqual([{ timezone: null }]);
});

test('a rate limit spreads those who have the same local time, over all slices', () => {
  const row = { ...plain, send_at_local: '2026-03-28T13:00', rate_per_second: 2 };
  const first = timesOf(row, ['UTC', 'UTC', 'UTC', 'Europe/London']);
  expect(first.times.map((time) => time?.slice(11, 19))).toEqual([
    '13:00:00',
    '13:00:00',
    '13:00:01',
    '13:00:01',
  ]);
  const second = timesOf({ ...row, local_moments: first.moments }, ['UTC']);
  expect(second.times).toEqual(['2026-03-28T13:00:02.000Z']);
});

test('slices of a rate limit are half a second apart, and catch up with at most a second', () => {
  const row = { ...plain, rate_per_second: 100 };
  expect([sliceLimit(plain), sliceLimit(row)]).toEqual([1_000, 50]);
  expect(sliceLimit({ ...plain, rate_per_second: 1 })).toBe(1);
  expect(nextSliceAt(plain, 1_000, now)).toBeNull();
  expect(nextSliceAt(row, 50, now)?.getTime()).toBe(now + 500);
  const late = (lagMs: number) =>
    nextSliceAt({ ...row, next_slice_at: new Date(now - lagMs) }, 50, now)?.getTime();
  expect(late(200)).toBe(now + 300);
  expect(late(60_000)).toBe(now - 500);
});
