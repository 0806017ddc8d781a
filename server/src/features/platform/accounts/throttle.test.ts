import { expect, test } from 'vitest';
import { isNoteworthy } from './member-log.ts';
import { networkOf } from './throttle.ts';

test.each([
  ['192.0.2.7', '192.0.2.0/24'],
  ['::ffff:192.0.2.7', '192.0.2.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  [null, 'unknown'],
])('attempts from %s are counted for %s', (ipAddress, network) => {
  expect(networkOf({ ipAddress })).toBe(network);
});

test('ten failures of an hour are written down, then ever fewer', () => {
  const all = Array.from({ length: 1000 }, (_, index) => index + 1);
  expect(all.filter(isNoteworthy)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 64, 128, 256, 512]);
});
