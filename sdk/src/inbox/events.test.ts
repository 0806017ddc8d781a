import { describe, expect, test } from 'vitest';
import type { GetInboxFeedResult, InboxItem } from '../generated/types.ts';
import { eventsBetween } from './events.ts';

const item = (id: string, is_read = false): InboxItem => ({
  id,
  subject: null,
  html_body: null,
  text_body: 'x',
  action_url: null,
  is_read,
  created_at: '2026-03-01T12:00:00.000Z',
  read_at: is_read ? '2026-03-01T13:00:00.000Z' : null,
  data: {},
  category: null,
  tags: [],
  actions: [],
  action_taken: null,
  snoozed_until: null,
});
const page = (ids: string, unread_count = 0, more = false): GetInboxFeedResult => ({
  data: [...ids].map((id) => item(id.toLowerCase(), id !== id.toLowerCase())),
  next_cursor: more ? 'next' : null,
  unread_count,
});
const told = (...looks: [GetInboxFeedResult | null, GetInboxFeedResult]): string[] =>
  eventsBetween(...looks).map(({ type, data }) => ('id' in data ? `${type} ${data.id}` : type));

describe('between two looks at the feed', () => {
  test('nothing happened when they are the same', () => {
    expect(told(page('cba', 3), page('cba', 3))).toEqual([]);
    expect(told(page(''), page(''))).toEqual([]);
  });

  test('the first look says: read anew', () => {
    expect(told(null, page('cba'))).toEqual(['reset']);
  });

  test('items arrived, oldest first', () => {
    expect(told(page('ba', 2), page('dcba', 4))).toEqual([
      'notification.arrived c',
      'notification.arrived d',
      'unread_count.changed',
    ]);
    expect(told(page(''), page('a'))).toEqual(['notification.arrived a']);
    expect(told(page('cba', 0, true), page('dcb', 0, true))).toEqual(['notification.arrived d']);
  });

  test('items were read and unread', () => {
    expect(told(page('cbA', 2), page('cBa', 2))).toEqual(['notification.read b', 'notification.unread a']);
  });

  test('an action was chosen, which also reads the item', () => {
    const [before, after] = [page('ba', 2), page('bA', 1)];
    Object.assign(after.data[1] ?? {}, { action_taken: { key: 'approve', at: '2026-03-01T13:00:00.000Z' } });
    expect(told(before, after)).toEqual(['notification.acted a', 'unread_count.changed']);
  });

  test('an item that returned from a snooze is: read anew', () => {
    expect(told(page('cBa', 2), page('bca', 3))).toEqual(['reset']);
  });

  test('whatever cannot be told one by one is: read anew', () => {
    expect(told(page('cba'), page('ca'))).toEqual(['reset']);
    expect(told(page('cba'), page('cb'))).toEqual(['reset']);
    expect(told(page('cba', 0, true), page('ca9', 0, true))).toEqual(['reset']);
    expect(told(page('cba', 0, true), page('fed', 0, true))).toEqual(['reset']);
    expect(told(page(''), page('cba', 0, true))).toEqual(['reset']);
    expect(told(page('ba'), page(''))).toEqual(['reset']);
  });
});
