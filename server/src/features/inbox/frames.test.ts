import { describe, expect, test } from 'vitest';
import { newId } from '../../kernel/ids.ts';
import type { InboxUpdate, LoggedEvent } from './events-store.ts';
import { framesFor, type Progress, positionOf } from './frames.ts';

const id = newId();
const read = (seq: number): LoggedEvent => ({
  seq,
  type: 'read',
  itemId: id,
  occurredAt: new Date(0),
  item: null,
});
const news = (lastSeq: number, events: LoggedEvent[] = [], unread = 3): InboxUpdate => ({
  lastSeq,
  unread,
  events,
});

/** Tells and answers with `id type`, and where the reader stands then. */
function outcome(progress: Progress, found: InboxUpdate): [string[], number | null, boolean] {
  const told = framesFor(progress, found);
  const frames = [...told.frames.matchAll(/^id: (.+)\nevent: (.*)$/gm)].map(
    ([, seq, type]) => `${seq} ${type}`,
  );
  return [frames, told.progress.lastSeq, told.hasMore];
}

describe('a reader is told', () => {
  test.each<[string, Progress, InboxUpdate, [string[], number | null, boolean]]>([
    [
      'the count first',
      { lastSeq: null, unread: null },
      news(7),
      [['7-count unread_count.changed'], 7, false],
    ],
    ['nothing when nothing happened', { lastSeq: 7, unread: 3 }, news(7), [[], 7, false]],
    [
      'the count when it comes back',
      { lastSeq: 7, unread: null },
      news(7),
      [['7-count unread_count.changed'], 7, false],
    ],
    [
      'what happened, then the count',
      { lastSeq: 5, unread: 9 },
      news(7, [read(6), read(7)]),
      [['6 notification.read', '7 notification.read', '7-count unread_count.changed'], 7, false],
    ],
    [
      'no count that it knows',
      { lastSeq: 6, unread: 3 },
      news(7, [read(7)]),
      [['7 notification.read'], 7, false],
    ],
    [
      'no count before it has caught up',
      { lastSeq: 5, unread: 9 },
      news(7, [read(6)]),
      [['6 notification.read'], 6, true],
    ],
    [
      'to start over when the log begins later',
      { lastSeq: 5, unread: 3 },
      news(9, [read(8), read(9)]),
      [['9-reset reset'], 9, false],
    ],
    [
      'to start over when the log is empty',
      { lastSeq: 5, unread: 3 },
      news(9),
      [['9-reset reset'], 9, false],
    ],
    ['to start over when it is ahead', { lastSeq: 99, unread: 3 }, news(9), [['9-reset reset'], 9, false]],
    [
      'to start over when it is far behind',
      { lastSeq: 1, unread: 3 },
      news(1_002, [read(2)]),
      [['1002-reset reset'], 1_002, false],
    ],
    [
      'what comes before a hole, and at the hole to start over',
      { lastSeq: 5, unread: 3 },
      news(9, [read(6), read(9)]),
      [['6 notification.read'], 6, true],
    ],
  ])('%s', (_name, progress, found, expected) => {
    expect(outcome(progress, found)).toEqual(expected);
  });

  test('nothing of an arrival that has been erased, and stands behind it all the same', () => {
    const arrived: LoggedEvent = { ...read(6), type: 'arrived' };
    expect(outcome({ lastSeq: 5, unread: 3 }, news(6, [arrived]))).toEqual([[], 6, false]);
  });
});

test('every frame has an id of its own, and each is a position to resume from', () => {
  const { frames } = framesFor({ lastSeq: 5, unread: 9 }, news(7, [read(6), read(7)]));
  const ids = [...frames.matchAll(/^id: (.+)$/gm)].map(([, frameId = '']) => frameId);
  expect(new Set(ids).size).toBe(3);
  expect(ids.map(positionOf)).toEqual([6, 7, 7]);
  expect(['7', '9-reset', '', 'abc', '-1', '7-', '7-count-count', '1e3'].map(positionOf)).toEqual([
    7, 9, 0, 0, 0, 0, 0, 0,
  ]);
});
