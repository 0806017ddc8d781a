import { expect, test } from 'vitest';
import type { BroadcastRecipient } from './recipients.ts';
import { nextSliceAt, sliceLimits, timeRecipients, withinPeriod } from './timing.ts';

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
  recipients: 0,
  skipped: 0,
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
  const limitOf = (timing: Timing) => sliceLimits(timing, now).recipients;
  expect([limitOf(plain), limitOf(row)]).toEqual([1_000, 50]);
  expect(limitOf({ ...plain, rate_per_second: 1 })).toBe(1);
  expect(nextSliceAt(plain, 1_000, now)).toBeNull();
  expect(nextSliceAt(row, 50, now)?.getTime()).toBe(now + 500);
  const late = (lagMs: number) =>
    nextSliceAt({ ...row, next_slice_at: new Date(now - lagMs) }, 50, now)?.getTime();
  expect(late(200)).toBe(now + 300);
  expect(late(60_000)).toBe(now - 500);
});

test.each([
  [1, 1],
  [7, 1],
  [5_000, 1],
  [1, 300],
  [100, 20],
  [333, 3],
])('a rate of %d a second is that of the recipients, where each is one of %d users', (rate, users) => {
  let row: Timing = { ...plain, rate_per_second: rate };
  let at = now;
  let slices = 0;
  for (let members = 0; at < now + 20_000; slices += 1) {
    const limits = sliceLimits(row, at);
    expect(limits.members).toBeLessThanOrEqual(1_000);
    // The slice ends with its last recipient, or with the users that it reads.
    const toLast = limits.recipients * users - (members % users);
    const read = Math.min(limits.members, toLast);
    const found = Math.floor((members + read) / users) - Math.floor(members / users);
    const next = nextSliceAt(row, found, at);
    members += read;
    row = {
      ...row,
      recipients: row.recipients + found,
      skipped: row.skipped + read - found,
      next_slice_at: next,
    };
    expect(row.recipients).toBeLessThanOrEqual(Math.ceil((rate * (at - now + 500)) / 1_000));
    if (found === limits.recipients && next) at = next.getTime();
  }
  expect(row.recipients).toBeGreaterThanOrEqual(Math.floor(rate * 20 * 0.98));
  expect(slices).toBeLessThan(20 * 2 * Math.max(3, (rate * users) / 1_000));
});
