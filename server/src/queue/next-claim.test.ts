import { describe, expect, test } from 'vitest';
import { type ClaimState, type LastClaims, nextClaim } from './kind-worker.ts';
import { lanes } from './work.ts';

const now = 100_000;
const longAgo = now - 60_000;
const claimsLongAgo: LastClaims = {
  urgentAt: longAgo,
  criticalAt: longAgo,
  bulkAt: longAgo,
  bulkEndedAt: longAgo,
};
const last = (change: Partial<LastClaims>) => ({ last: { ...claimsLongAgo, ...change } });
const idle: ClaimState = {
  batch: 100,
  capacity: 800,
  leased: 0,
  bulkInFlight: 0,
  last: claimsLongAgo,
  onlyBulkIsLeft: false,
};
const bulk: ClaimState = { ...idle, onlyBulkIsLeft: true };
const claim = (lane: keyof typeof lanes, limit: number) => ({ kind: 'claim', maxLane: lanes[lane], limit });
const wait = (ms: number | null) => ({ kind: 'wait', ms });

describe('critical and normal work', () => {
  test.each<[name: string, change: Partial<ClaimState>, expected: object]>([
    ['is claimed in full batches by an idle process', {}, claim('normal', 100)],
    ['is claimed as far as there is room', { leased: 550 }, claim('normal', 50)],
    ['leaves the last quarter to critical work', { leased: 600 }, claim('critical', 100)],
    ['critical work fills the rest', { leased: 790 }, claim('critical', 10)],
    ['waits for leased work to end in a full process', { leased: 800 }, wait(null)],
    ['waits in a process that holds more than its capacity', { leased: 850 }, wait(null)],
    ['does not depend on bulk', { bulkInFlight: 25, ...last({ bulkAt: now }) }, claim('normal', 100)],
  ])('%s', (_name, change, expected) => {
    expect(nextClaim({ ...idle, ...change }, now)).toEqual(expected);
  });
});

describe('bulk', () => {
  const inFlight = (bulkInFlight: number, bulkAt: number) => ({ bulkInFlight, ...last({ bulkAt }) });
  const rested = { bulkAt: now - 60, bulkEndedAt: now - 20 }; // until 50 ms after the end
  test.each<[name: string, change: Partial<ClaimState>, expected: object]>([
    ['is claimed in full batches while nothing else arrives', {}, claim('bulk', 100)],
    ['fills half of the capacity', { leased: 360 }, claim('bulk', 40)],
    ['waits for leased work to end beyond that', { leased: 400 }, wait(null)],
    ['is claimed in small batches after urgent work', last({ urgentAt: now - 999 }), claim('bulk', 25)],
    [
      'is claimed in full batches a second after urgent work',
      last({ urgentAt: now - 1_000 }),
      claim('bulk', 100),
    ],
    [
      'never takes more than a batch of its kind',
      { batch: 10, ...last({ urgentAt: now }) },
      claim('bulk', 10),
    ],
    ['waits while its last batch is in flight', inFlight(3, now - 20), wait(30)],
    ['is claimed again when its last batch is slow', inFlight(3, now - 50), claim('bulk', 100)],
    ['rests after a batch while critical work arrives', last({ ...rested, criticalAt: now - 999 }), wait(30)],
    [
      'does not rest when critical work is a second old',
      last({ ...rested, criticalAt: now - 1_000 }),
      claim('bulk', 100),
    ],
    ['does not rest for normal work', last({ ...rested, urgentAt: now }), claim('bulk', 25)],
    [
      'says when its rest ends also in a full process',
      { ...last({ ...rested, criticalAt: now }), leased: 800 },
      wait(30),
    ],
  ])('%s', (_name, change, expected) => {
    expect(nextClaim({ ...bulk, ...change }, now)).toEqual(expected);
  });

  test('rests three times as long as a batch took, and 50 ms at most', () => {
    const restMs = [0, 5, 16, 17, 1_000].map((tookMs) => {
      const claims = { criticalAt: now, bulkAt: now - tookMs, bulkEndedAt: now };
      const next = nextClaim({ ...bulk, ...last(claims) }, now);
      return next.kind === 'wait' ? next.ms : 0;
    });
    expect(restMs).toEqual([0, 15, 48, 50, 50]);
  });
});
