import { setTimeout as wait } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import type { EventStream, StreamListener } from '../../http/sse.ts';
import { Problem } from '../../kernel/errors.ts';
import { type InboxUpdate, insertInboxes, listUpdates } from './events-store.ts';
import { framesFor, type Progress } from './frames.ts';
import type { Owner } from './item.ts';
import { inboxTopic } from './topic.ts';

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

export function createLiveInbox({ pool, doorbell, log }: Pick<Deps, 'pool' | 'doorbell' | 'log'>): LiveInbox {
  const topics = new Map<string, { readers: Set<Reader>; silence: () => void }>();
  const marked = new Set<Reader>();
  let readers = 0;
  let looking = false;
  let failing = false;
  let poll: NodeJS.Timeout | undefined;
  let polled = topics.values();

  function mark(some: Iterable<Reader>): void {
    for (const reader of some) marked.add(reader);
    if (!looking && marked.size > 0) void look();
  }

  function markPart(): void {
    for (let left = Math.ceil(topics.size / pollParts); left > 0; left -= 1) {
      const { value: topic } = polled.next();
      if (topic) mark(topic.readers);
      else polled = topics.values();
    }
  }

  async function look(): Promise<void> {
    looking = true;
    while (marked.size > 0) {
      const pause = wait(pauseMs);
      const batch = takeMarked();
      try {
        if (batch.length > 0) await serve(batch);
        failing = false;
      } catch (error) {
        if (!failing) log.warn({ err: error }, 'inbox streams are waiting for the database');
        failing = true;
        for (const reader of batch) marked.add(reader);
        await wait(retryMs);
      }
      await pause;
    }
    looking = false;
  }

  /** Returns the marked readers that can be written to; stalled ones are marked again when they drain. */
  function takeMarked(): Reader[] {
    const batch: Reader[] = [];
    for (const reader of marked) {
      marked.delete(reader);
      if (!reader.isGone && !reader.stream.stalled) batch.push(reader);
      if (batch.length === maxReaders) break;
    }
    return batch;
  }

  async function serve(batch: Reader[]): Promise<void> {
    const updates = await listUpdates(
      pool,
      batch.map(({ owner, progress }) => ({ ...owner, lastSeq: progress.lastSeq })),
    );
    const homeless = batch.filter((_reader, index) => !updates[index]);
    if (homeless.length > 0) {
      await insertInboxes(
        pool,
        homeless.map(({ owner }) => owner),
      );
    }
    for (const [index, reader] of batch.entries()) {
      const found = updates[index];
      if (!found || pass(reader, found)) marked.add(reader);
    }
  }

  /** Returns true when there is more to fetch. */
  function pass(reader: Reader, updates: InboxUpdate): boolean {
    const frames = framesFor(reader.progress, updates);
    reader.progress = frames.progress;
    if (frames.frames !== '') reader.stream.send(frames.frames);
    return frames.hasMore;
  }

  function join(reader: Reader): void {
    const topic = inboxTopic(reader.owner);
    const known = topics.get(topic);
    if (known) {
      known.readers.add(reader);
    } else {
      const members = new Set([reader]);
      topics.set(topic, { readers: members, silence: doorbell.on(topic, () => mark(members)) });
    }
    readers += 1;
    poll ??= setInterval(markPart, pollMs / pollParts);
  }

  function leave(reader: Reader): void {
    const topic = inboxTopic(reader.owner);
    const known = topics.get(topic);
    known?.readers.delete(reader);
    reader.isGone = true;
    if (known?.readers.size === 0) {
      known.silence();
      topics.delete(topic);
    }
    readers -= 1;
    if (readers > 0) return;
    clearInterval(poll);
    poll = undefined;
  }

  function streamsOf(owner: Owner): number {
    let count = 0;
    for (const reader of topics.get(inboxTopic(owner))?.readers ?? []) {
      if (
        reader.owner.externalUserId === owner.externalUserId &&
        reader.owner.environmentId === owner.environmentId
      )
        count += 1;
    }
    return count;
  }

  return {
    open({ environmentId, externalUserId }, lastSeq) {
      const owner = { environmentId, externalUserId };
      if (streamsOf(owner) >= maxStreamsOfUser) {
        throw new Problem('rate_limited', `This user already has ${maxStreamsOfUser} open streams.`, {
          headers: { 'retry-after': '10' },
        });
      }
      return (stream) => {
        const reader: Reader = { owner, stream, progress: { lastSeq, unread: null }, isGone: false };
        join(reader);
        mark([reader]);
        return { onDrain: () => mark([reader]), onClose: () => leave(reader) };
      };
    },
  };
}
