import { describe, expect, test } from 'vitest';
import { bulkRestMs, type ClaimState, nextClaim } from './next-claim.ts';
import { lanes } from './work.ts';

const now = 100_000;
const longAgo = now - 60_000;
const idle: ClaimState = {
  batch: 100,
  capacity: 800,
  held: 0,
  bulk: { inFlight: 0, claimedAt: longAgo, restUntil: 0 },
  lastUrgentAt: longAgo,
  lastCriticalAt: longAgo,
  onlyBulkIsLeft: false,
};
const bulk: ClaimState = { ...idle, onlyBulkIsLeft: true };
const claim = (lane: keyof typeof lanes, limit: number) => ({ kind: 'claim', maxLane: lanes[lane], limit });
const wait = (ms: number | null) => ({ kind: 'wait', ms });

describe('critical and normal work', () => {
  test.each<[name: string, change: Partial<ClaimState>, expected: object]>([
    ['is claimed in full batches by an idle process', {}, claim('normal', 100)],
    ['is claimed as far as there is room', { held: 550 }, claim('normal', 50)],
    ['leaves the last quarter to critical work', { held: 600 }, claim('critical', 100)],
    ['critical work fills the rest', { held: 790 }, claim('critical', 10)],
    ['waits for leased work to end in a full process', { held: 800 }, wait(null)],
    ['waits in a process that holds more than its capacity', { held: 850 }, wait(null)],
    [
      'does not depend on bulk',
      { bulk: { inFlight: 25, claimedAt: now, restUntil: now + 50 } },
      claim('normal', 100),
    ],
  ])('%s', (_name, change, expected) => {
    expect(nextClaim({ ...idle, ...change }, now)).toEqual(expected);
  });
});

describe('bulk', () => {
  const inFlight = (inFlight: number, claimedAt: number) => ({ bulk: { inFlight, claimedAt, restUntil: 0 } });
  const resting = { bulk: { inFlight: 0, claimedAt: now - 20, restUntil: now + 30 } };
  test.each<[name: string, change: Partial<ClaimState>, expected: object]>([
    ['is claimed in full batches while nothing else arrives', {}, claim('bulk', 100)],
    ['fills half of the capacity', { held: 360 }, claim('bulk', 40)],
    ['waits for leased work to end beyond that', { held: 400 }, wait(null)],
    ['is claimed in small batches after urgent work', { lastUrgentAt: now - 999 }, claim('bulk', 25)],
    [
      'is claimed in full batches a second after urgent work',
      { lastUrgentAt: now - 1_000 },
      claim('bulk', 100),
    ],
    ['never takes more than a batch of its kind', { batch: 10, lastUrgentAt: now }, claim('bulk', 10)],
    ['waits while its last batch is in flight', inFlight(3, now - 20), wait(30)],
    ['is claimed again when its last batch is slow', inFlight(3, now - 50), claim('bulk', 100)],
    ['rests after a batch while critical work arrives', { ...resting, lastCriticalAt: now - 999 }, wait(30)],
    [
      'does not rest when critical work is a second old',
      { ...resting, lastCriticalAt: now - 1_000 },
      claim('bulk', 100),
    ],
    ['does not rest for normal work', { ...resting, lastUrgentAt: now }, claim('bulk', 25)],
    [
      'says when its rest ends also in a full process',
      { ...resting, lastCriticalAt: now, held: 800 },
      wait(30),
    ],
  ])('%s', (_name, change, expected) => {
    expect(nextClaim({ ...bulk, ...change }, now)).toEqual(expected);
  });

  test('rests three times as long as a batch took, and 50 ms at most', () => {
    expect([0, 5, 16, 17, 1_000].map(bulkRestMs)).toEqual([0, 15, 48, 50, 50]);
  });
});
