import { eventFrame } from '../../http/sse.ts';
import type { InboxUpdate, LoggedEvent } from './events-store.ts';
import { itemView } from './item.ts';

/** What a stream knows of what its reader has been given. */
export interface Progress {
  /** The number of the last event; null before the first look, when the reader wants what comes from then on. */
  lastSeq: number | null;
  /** The last count; null: none yet. */
  unread: number | null;
}

export interface StreamFrames {
  frames: string;
  progress: Progress;
  /** More is waiting in the log. */
  hasMore: boolean;
}

/** A reader that is further behind than this reads its feed anew. */
const maxReplay = 1_000;

/**
 * What to tell a reader, and where it stands afterwards. Events are told once each and in order; if one is missing (it was
 * removed, or the place is not of this inbox) the reader is told to start over. The count is a state, not an event: it
 * is told after the events that led to it, and again to whoever comes back.
 */
export function framesFor({ lastSeq, unread }: Progress, update: InboxUpdate): StreamFrames {
  const frames: string[] = [];
  let at = lastSeq ?? update.lastSeq;
  const missed = at > update.lastSeq || update.lastSeq - at > maxReplay || isGap(at, update);
  if (missed) {
    at = update.lastSeq;
    frames.push(eventFrame(at, 'reset', { unread_count: update.unread }));
    return { frames: frames.join(''), progress: { lastSeq: at, unread: update.unread }, hasMore: false };
  }
  for (const event of update.events) {
    if (event.seq !== at + 1) break; // a hole further on: the next look begins at it and finds the gap
    at = event.seq;
    frames.push(frameOf(event, update));
  }
  const hasMore = at < update.lastSeq;
  if (hasMore || unread === update.unread) {
    return { frames: frames.join(''), progress: { lastSeq: at, unread }, hasMore };
  }
  frames.push(eventFrame(at, 'unread_count.changed', { unread_count: update.unread }));
  return { frames: frames.join(''), progress: { lastSeq: at, unread: update.unread }, hasMore };
}

function isGap(at: number, update: InboxUpdate): boolean {
  return at < update.lastSeq && update.events[0]?.seq !== at + 1;
}

function frameOf({ seq, type, itemId, occurredAt, item }: LoggedEvent, update: InboxUpdate): string {
  switch (type) {
    case 'arrived':
      // Erased since: there is nothing left to show, and its `deleted` follows.
      return item ? eventFrame(seq, 'notification.arrived', itemView(item)) : '';
    case 'read':
      return eventFrame(seq, 'notification.read', { id: itemId, read_at: occurredAt.toISOString() });
    case 'unread':
    case 'archived':
    case 'deleted':
      return eventFrame(seq, `notification.${type}`, { id: itemId });
    case 'reset':
      return eventFrame(seq, 'reset', { unread_count: update.unread });
  }
}
