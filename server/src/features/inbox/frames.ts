import { eventFrame } from '../../http/sse.ts';
import type { InboxUpdate, LoggedEvent } from './events-store.ts';
import { actionTaken, type ItemRow, itemView } from './item.ts';

/** The state of a stream: the events and the count its reader has got. */
export interface Progress {
  /** The number of the last event; null before the first query, when the reader wants only new events. */
  lastSeq: number | null;
  /** The last unread count that was sent; null when none was sent yet. */
  unread: number | null;
}

interface StreamFrames {
  frames: string;
  progress: Progress;
  /** More events are in the log. */
  hasMore: boolean;
}

/** A reader that is further behind than this reads its feed again. */
const maxReplay = 1_000;

/**
 * Returns the position that the id of a frame names. Frames that are no events of the log have the position of the last event,
 * with a word that makes their id their own. An id that is not ours counts as 0, before every event: its reader gets a `reset`.
 */
export function positionOf(frameId: string): number {
  return Number(/^(\d{1,15})(?:-count|-reset)?$/.exec(frameId)?.[1] ?? 0);
}

/**
 * The frames to send to a reader, and its progress afterwards. Each event is sent once and in order; when one is missing (it
 * was deleted, or the position belongs to another inbox) the reader gets a `reset`. The count is a state, not an event: it is
 * sent after the events that led to it, and again after a reconnect.
 */
export function framesFor({ lastSeq, unread }: Progress, update: InboxUpdate): StreamFrames {
  const frames: string[] = [];
  let at = lastSeq ?? update.lastSeq;
  const missed = at > update.lastSeq || update.lastSeq - at > maxReplay || isGap(at, update);
  if (missed) {
    at = update.lastSeq;
    frames.push(eventFrame(`${at}-reset`, 'reset', { unread_count: update.unread }));
    return { frames: frames.join(''), progress: { lastSeq: at, unread: update.unread }, hasMore: false };
  }
  for (const event of update.events) {
    if (event.seq !== at + 1) break; // a gap further on: the next query begins at it and finds it
    at = event.seq;
    frames.push(frameOf(event, update));
  }
  const hasMore = at < update.lastSeq;
  if (hasMore || unread === update.unread) {
    return { frames: frames.join(''), progress: { lastSeq: at, unread }, hasMore };
  }
  frames.push(eventFrame(`${at}-count`, 'unread_count.changed', { unread_count: update.unread }));
  return { frames: frames.join(''), progress: { lastSeq: at, unread: update.unread }, hasMore };
}

function isGap(at: number, update: InboxUpdate): boolean {
  return at < update.lastSeq && update.events[0]?.seq !== at + 1;
}

function frameOf({ seq, type, itemId, occurredAt, item }: LoggedEvent, update: InboxUpdate): string {
  switch (type) {
    case 'arrived':
    case 'returned':
      // An item erased since has nothing to show, and its `deleted` event follows.
      return item ? eventFrame(seq, `notification.${type}`, itemView(item)) : '';
    case 'acted':
      return item ? eventFrame(seq, 'notification.acted', actedData(item, occurredAt)) : '';
    case 'read':
      return eventFrame(seq, 'notification.read', { id: itemId, read_at: occurredAt.toISOString() });
    case 'unread':
    case 'archived':
    case 'snoozed':
    case 'deleted':
      return eventFrame(seq, `notification.${type}`, { id: itemId });
    case 'reset':
      return eventFrame(seq, 'reset', { unread_count: update.unread });
  }
}

/** An action marks its item as read. */
function actedData(item: ItemRow, at: Date) {
  return { id: item.id, action_taken: actionTaken(item), read_at: (item.read_at ?? at).toISOString() };
}
