import type { Notification } from '@carillon/sdk';
import { expect, test } from 'vitest';
import { createFollower } from './follower.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
/** What a follower reads of one. */
const notification = (id: string, second: number, types: string[], status = 'queued') =>
  ({
    id,
    status,
    created_at: at(second),
    events: types.map((type, index) => ({
      type,
      occurred_at: at(second + index),
      detail: null,
      suppression_reason: null,
    })),
  }) as unknown as Notification;
const namesOf = (activityEvents: { notification: Notification; event: { type: string } }[]) =>
  activityEvents.map(({ notification: { id }, event }) => `${id} ${event.type}`);

test('each event is shown once, in the order in which they happened', () => {
  const follower = createFollower(notification('a', 0, []));
  const first = [notification('b', 1, ['Queued', 'Sent']), notification('a', 0, ['Queued'])];
  expect(namesOf(follower.see(first))).toEqual(['a Queued', 'b Queued', 'b Sent']);
  expect(follower.see(first)).toEqual([]);
  expect(namesOf(follower.see([notification('a', 0, ['Queued', 'Sending'])]))).toEqual(['a Sending']);
});

test('what is older than the beginning is not new, and what becomes visible late is not missed', () => {
  const follower = createFollower(notification('m', 10, []));
  follower.see([notification('p', 12, ['Queued'])]);
  expect(follower.since() < at(10)).toBe(true);
  expect(
    namesOf(follower.see([notification('a', 9, ['Queued']), notification('n', 11, ['Queued'])])),
  ).toEqual(['n Queued']);
});

test('unsettled ones are looked at in turn, settled ones no more', () => {
  const follower = createFollower(notification('a', 0, []));
  follower.see([
    notification('a', 0, []),
    notification('b', 1, []),
    notification('c', 2, [], 'delivered'),
    notification('z', 60, []),
  ]);
  expect(follower.unsettled(1)).toEqual(['a']);
  follower.see([notification('a', 0, [])]);
  expect(follower.unsettled(1)).toEqual(['b']);
  follower.forget('b');
  expect(follower.unsettled(9)).toEqual(['a']);
});
