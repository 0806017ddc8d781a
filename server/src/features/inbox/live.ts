import { setTimeout as wait } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import type { EventStream, StreamListener } from '../../http/sse.ts';
import { Problem } from '../../kernel/errors.ts';
import { type InboxUpdate, insertInboxes, listUpdates } from './events-store.ts';
import { framesFor, type Progress } from './frames.ts';
import { inboxTopic, type Owner } from './item.ts';

/**
 * The open streams of this process. The log in the database is the only buffer: a doorbell ring marks the streams of its topic,
 * and one query at a time fetches for all marked streams the events after their own position. A stalled reader is skipped until
 * it drains; a lost ring costs a poll interval. With no stream open, nothing runs.
 */
export interface LiveInbox {
  /** `lastSeq` is the last event the reader has seen; null starts with new events. */
  open(owner: Owner, lastSeq: number | null): (stream: EventStream) => StreamListener;
}

interface Reader {
  owner: Owner;
  stream: EventStream;
  progress: Progress;
  isGone: boolean;
}

/** Every reader is polled within this time even without a ring; a fraction of them at a time, so that polling delays no one. */
const pollMs = 5_000;
const pollParts = 20;
/** The interval between two queries: a burst of arrivals then takes a few queries, and the delay is not noticeable. */
const pauseMs = 20;
const maxReaders = 200;
const retryMs = 500;
const maxStreamsOfUser = 20;

interface LiveStreams extends Pick<Deps, 'pool' | 'doorbell' | 'log'> {
  topics: Map<string, { readers: Set<Reader>; silence: () => void }>;
  /** The readers that may have events to fetch. */
  marked: Set<Reader>;
  isFetching: boolean;
  isFailing: boolean;
  poll: NodeJS.Timeout | undefined;
  /** The topics that are left in this round of polling. */
  polled: Iterator<{ readers: Set<Reader> }>;
}

export function createLiveInbox(deps: Pick<Deps, 'pool' | 'doorbell' | 'log'>): LiveInbox {
  const topics: LiveStreams['topics'] = new Map();
  const live: LiveStreams = {
    ...deps,
    topics,
    marked: new Set(),
    isFetching: false,
    isFailing: false,
    poll: undefined,
    polled: topics.values(),
  };
  return {
    open({ environmentId, externalUserId }, lastSeq) {
      const owner = { environmentId, externalUserId };
      if (streamsOf(live, owner) >= maxStreamsOfUser) {
        throw new Problem('rate_limited', `This user already has ${maxStreamsOfUser} open streams.`, {
          headers: { 'retry-after': '10' },
        });
      }
      return (stream) => {
        const reader: Reader = { owner, stream, progress: { lastSeq, unread: null }, isGone: false };
        join(live, reader);
        mark(live, [reader]);
        return { onDrain: () => mark(live, [reader]), onClose: () => leave(live, reader) };
      };
    },
  };
}

function join(live: LiveStreams, reader: Reader): void {
  const topic = inboxTopic(reader.owner);
  const known = live.topics.get(topic);
  if (known) {
    known.readers.add(reader);
  } else {
    const readers = new Set([reader]);
    live.topics.set(topic, { readers, silence: live.doorbell.on(topic, () => mark(live, readers)) });
  }
  live.poll ??= setInterval(markPart, pollMs / pollParts, live);
}

function leave(live: LiveStreams, reader: Reader): void {
  const topic = inboxTopic(reader.owner);
  const known = live.topics.get(topic);
  known?.readers.delete(reader);
  reader.isGone = true;
  if (known?.readers.size === 0) {
    known.silence();
    live.topics.delete(topic);
  }
  if (live.topics.size > 0) return;
  clearInterval(live.poll);
  live.poll = undefined;
}

function streamsOf({ topics }: LiveStreams, owner: Owner): number {
  const readers = [...(topics.get(inboxTopic(owner))?.readers ?? [])];
  return readers.filter(
    (reader) =>
      reader.owner.externalUserId === owner.externalUserId &&
      reader.owner.environmentId === owner.environmentId,
  ).length;
}

function mark(live: LiveStreams, readers: Iterable<Reader>): void {
  for (const reader of readers) live.marked.add(reader);
  if (!live.isFetching && live.marked.size > 0) void fetchMarked(live);
}

function markPart(live: LiveStreams): void {
  for (let left = Math.ceil(live.topics.size / pollParts); left > 0; left -= 1) {
    const { value: topic } = live.polled.next();
    if (topic) mark(live, topic.readers);
    else live.polled = live.topics.values();
  }
}

async function fetchMarked(live: LiveStreams): Promise<void> {
  live.isFetching = true;
  while (live.marked.size > 0) {
    const pause = wait(pauseMs);
    const batch = takeMarked(live.marked);
    try {
      if (batch.length > 0) await serve(live, batch);
      live.isFailing = false;
    } catch (error) {
      if (!live.isFailing) live.log.warn({ err: error }, 'inbox streams are waiting for the database');
      live.isFailing = true;
      for (const reader of batch) live.marked.add(reader);
      await wait(retryMs);
    }
    await pause;
  }
  live.isFetching = false;
}

/** Returns the marked readers that can be written to; stalled ones are marked again when they drain. */
function takeMarked(marked: Set<Reader>): Reader[] {
  const batch: Reader[] = [];
  for (const reader of marked) {
    marked.delete(reader);
    if (!reader.isGone && !reader.stream.stalled) batch.push(reader);
    if (batch.length === maxReaders) break;
  }
  return batch;
}

async function serve({ pool, marked }: LiveStreams, batch: Reader[]): Promise<void> {
  const updates = await listUpdates(
    pool,
    batch.map(({ owner, progress }) => ({ ...owner, lastSeq: progress.lastSeq })),
  );
  const withoutInbox = batch.filter((_reader, index) => !updates[index]).map(({ owner }) => owner);
  if (withoutInbox.length > 0) await insertInboxes(pool, withoutInbox);
  for (const [index, reader] of batch.entries()) {
    const found = updates[index];
    if (!found || pass(reader, found)) marked.add(reader);
  }
}

/** Returns true when there is more to fetch. */
function pass(reader: Reader, updates: InboxUpdate): boolean {
  const { frames, progress, hasMore } = framesFor(reader.progress, updates);
  reader.progress = progress;
  if (frames !== '') reader.stream.send(frames);
  return hasMore;
}
