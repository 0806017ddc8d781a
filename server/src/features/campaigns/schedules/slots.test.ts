import { Cron } from 'croner';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { slotMismatch } from '../../../../test/harness/slot-oracle.ts';
import { cronFields, nextMatch } from './cron.ts';
import { localText, momentOf, nextRunViews, nextSlot, offsetAt } from './timing.ts';

function slots(cron: string, timezone: string, after: string, count: number): string[] {
  const found: string[] = [];
  let at: number | null = Date.parse(after);
  while (found.length < count && at !== null) {
    at = nextSlot({ cron, timezone }, at);
    if (at !== null) found.push(localText(timezone, at).slice(5));
  }
  return found;
}

describe('where the clocks skip an hour', () => {
  test.each([
    ['30 2 * * *', ['03-29T03:00:00+02:00', '03-30T02:30:00+02:00']],
    ['*/20 2 * * *', ['03-29T03:00:00+02:00', '03-30T02:00:00+02:00']],
    [
      '*/30 1-3 * * *',
      ['03-29T01:00:00+01:00', '03-29T01:30:00+01:00', '03-29T03:00:00+02:00', '03-29T03:30:00+02:00'],
    ],
    ['30 * * * *', ['03-29T00:30:00+01:00', '03-29T01:30:00+01:00', '03-29T03:30:00+02:00']],
  ])('“%s” runs once for each time that it names, and evenly when it names none', (cron, expected) => {
    expect(slots(cron, 'Europe/Rome', '2026-03-28T23:00:00Z', expected.length)).toEqual(expected);
  });

  test('a day that begins after midnight still has its run at midnight', () => {
    expect(slots('0 0 * * *', 'Africa/Cairo', '2026-04-23T12:00:00Z', 2)).toEqual([
      '04-24T01:00:00+03:00',
      '04-25T00:00:00+03:00',
    ]);
  });
});

describe('where the clocks show an hour twice', () => {
  test.each([
    ['30 2 * * *', ['10-25T02:30:00+02:00', '10-26T02:30:00+01:00']],
    ['0,30 2 * * *', ['10-25T02:00:00+02:00', '10-25T02:30:00+02:00', '10-26T02:00:00+01:00']],
    [
      '30 */1 * * *',
      ['10-25T00:30:00+02:00', '10-25T01:30:00+02:00', '10-25T02:30:00+02:00', '10-25T02:30:00+01:00'],
    ],
  ])('“%s” runs the first time, and evenly when it names no hour', (cron, expected) => {
    expect(slots(cron, 'Europe/Rome', '2026-10-24T22:00:00Z', expected.length)).toEqual(expected);
  });

  test('a schedule that is created during the second hour waits for the next day', () => {
    expect(slots('50 2 * * *', 'Europe/Rome', '2026-10-25T01:05:00Z', 1)).toEqual(['10-26T02:50:00+01:00']);
  });
});

test('a slot is strictly after the given moment', () => {
  const noon = Date.parse('2026-05-01T12:00:00Z');
  const timing = { cron: '0 12 * * *', timezone: 'UTC' };
  expect(nextSlot(timing, noon)).toBe(noon + 86_400_000);
  expect(nextSlot(timing, noon - 1)).toBe(noon);
});

test('an expression that matches no date has no slot', () => {
  expect(nextSlot({ cron: '0 0 30 2 *', timezone: 'Europe/Rome' }, 0)).toBeNull();
});

test('offsets with seconds and half hours are read', () => {
  expect(offsetAt('Africa/Monrovia', Date.parse('1960-01-01T00:00:00Z'))).toBe(-2_670_000);
  expect(offsetAt('Australia/Lord_Howe', Date.parse('2026-07-01T00:00:00Z'))).toBe(37_800_000);
});

test('a local time is its first moment, or the end of the gap', () => {
  const at = (local: string) => new Date(momentOf('Europe/Rome', Date.parse(`${local}Z`))).toISOString();
  expect(at('2026-10-25T02:30:00')).toBe('2026-10-25T00:30:00.000Z');
  expect(at('2026-10-25T03:00:00')).toBe('2026-10-25T02:00:00.000Z');
  expect(at('2026-03-29T02:30:00')).toBe('2026-03-29T01:00:00.000Z');
  expect(at('2026-03-29T03:00:00')).toBe('2026-03-29T01:00:00.000Z');
});

/** Changes of an hour, of half an hour and of two, at midnight, around Ramadan, in the south, and none. */
const zones = [
  'Europe/Rome',
  'America/New_York',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'Africa/Cairo',
  'Africa/Casablanca',
  'America/Santiago',
  'America/St_Johns',
  'Asia/Beirut',
  'Pacific/Chatham',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
];

test('slots agree with luxon over two years of changes', () => {
  const from = Date.parse('2026-01-01T00:00:00Z');
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: 0, max: 59 }),
      fc.option(fc.integer({ min: 0, max: 23 }), { nil: null }),
      fc.option(fc.integer({ min: 0, max: 6 }), { nil: null }),
      (zone, minute, hour, weekday) =>
        slotMismatch({ zone, minute, hour, weekday }, from, from + 2 * 366 * 86_400_000) === null,
    ),
    { numRuns: 40 },
  );
});

test.each([
  ['America/Santiago', 6, '2026-04-05T03:00:00Z', '2026-04-05T02:00:00Z'],
  ['Africa/Cairo', 4, '2026-10-29T21:00:00Z', '2026-10-29T20:00:00Z'],
])(
  'in %s the clocks show the last hour of a day again, and an hourly slot of that day comes again',
  (timezone, weekday, again, before) => {
    expect(nextSlot({ cron: `0 * * * ${weekday}`, timezone }, Date.parse(before))).toBe(Date.parse(again));
    expect(nextSlot({ cron: `0 23 * * ${weekday}`, timezone }, Date.parse(before))).toBeGreaterThan(
      Date.parse(again) + 6 * 86_400_000,
    );
  },
);

describe('the next ten runs', () => {
  const after = Date.parse('2026-11-18T07:00:00Z');
  const timing = { perRecipient: false, startsAt: null, endsAt: null };
  test.each([
    ['0 0 29 2 *', { timezone: 'America/New_York' }, '2028-02-29T00:00:00-05:00'],
    // Every minute of the 26 hours before the first run is a slot, of zones that are behind.
    ['* * * * *', { timezone: 'Pacific/Apia', perRecipient: true }, '2026-11-18T20:01:00+13:00'],
    [
      '* * * * *',
      { timezone: 'UTC', perRecipient: true, startsAt: Date.parse('2027-01-01T00:00:00Z') },
      '2027-01-01T00:00:00+00:00',
    ],
  ])('of “%s” with %j', (cron, rest, first) => {
    const runs = nextRunViews({ ...timing, cron, ...rest }, after);
    expect([runs[0]?.local_time, runs.length]).toEqual([first, 10]);
  });
});

describe('a match on the calendar', () => {
  const from = Date.parse('2026-01-01T00:00:00Z');
  const years = (count: number) => from + count * 365.25 * 86_400_000;
  const oneOf = (...fields: string[]) => fc.constantFrom('*', ...fields);
  const expressions = fc
    .tuple(
      oneOf('0', '59', '*/7', '5-9', '0,30'),
      oneOf('0', '23', '*/5', '8-18/2'),
      oneOf('1', '31', '29', 'L', 'LW', '15W', '1W', '31W', '1W,15W,30W', '1-21', '*/10', 'L,5', '30W,2'),
      oneOf('2', '6,12', '*/5', 'FEB', '4-9'),
      oneOf('MON', '0', '7', '1#2', '5#5', 'SUN#L', 'FRIL', '1-5', '+MON', '+1#5', '+5L', 'SUN,WED#1', '?'),
    )
    .map((fields) => fields.join(' '));

  test('is the one that croner finds', () => {
    fc.assert(
      fc.property(expressions, fc.integer({ min: 0, max: 8 * 365 * 86_400_000 }), (cron, offset) => {
        const expected = new Cron(cron, { utcOffset: 0, mode: '5-part' }).nextRun(new Date(from + offset));
        const found = nextMatch(cronFields(cron), from + offset);
        if (found === null)
          expect(expected?.getTime() ?? Infinity).toBeGreaterThan(from + offset + years(10) - from);
        else expect([cron, new Date(found)]).toEqual([cron, expected]);
      }),
      { numRuns: 150 },
    );
  });

  test.each(['0 0 30 2 *', '0 0 31 2,4,6,9,11 *', '0 0 29 2 +MON', '0 0 1-21 * +SUN#L'])(
    '“%s” is not searched for longer than ten years',
    (cron) => {
      expect(nextMatch(cronFields(cron), from)).toBeNull();
    },
  );

  test('costs little whatever the expression names: twenty nearest working days on each day of ten years', () => {
    const workdays = Array.from({ length: 20 }, (_, index) => `${index + 5}W`).join();
    const fields = cronFields(`0 0 ${workdays} * +SUN`);
    nextMatch(fields, from);
    const begun = process.cpuUsage();
    for (let turn = 0; turn < 20; turn++) expect(nextMatch(fields, from)).toBeNull();
    expect(process.cpuUsage(begun).user / 1000 / 20).toBeLessThan(3); // 0.5 ms; 9 ms when each of them asked for its date
  });
});
