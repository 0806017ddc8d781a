import {
  AuthenticationError,
  CarillonError,
  ConnectionError,
  PermissionError,
  TimeoutError,
} from '../errors.ts';
import type { GetInboxFeedResult } from '../generated/types.ts';
import { checkedNumber, pause } from '../transport.ts';
import { eventsBetween, type InboxEvent } from './events.ts';
import { createFrameReader, type Frame } from './sse.ts';

export type FollowState = 'connecting' | 'streaming' | 'polling' | 'closed';

export interface FollowOptions {
  on_event(event: InboxEvent): void;
  on_state?: ((state: FollowState) => void) | undefined;
  /** What went wrong; following goes on by itself unless the state becomes `closed`. */
  on_error?: ((error: unknown) => void) | undefined;
  /** How often to look while the stream does not get through. Default: 15,000. */
  poll_interval_ms?: number | undefined;
  /** The first wait before coming back after a break; it doubles up to 30 s. Default: 1,000. */
  reconnect_delay_ms?: number | undefined;
  /** The `id` of the last event seen, to go on from there; after an hour it gives `reset`. */
  last_event_id?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface Following {
  readonly state: FollowState;
  /** Comes back at once instead of when it is due; over a new link if there is one. Nothing is lost by it. */
  reconnect(): void;
  close(): void;
}

/** What following needs of the inbox client. */
export interface Source {
  open(headers: Record<string, string>, signal: AbortSignal): Promise<Response>;
  readPage(signal: AbortSignal): Promise<GetInboxFeedResult>;
  /** The token was refused. False when no other one can be had. */
  renew(): Promise<boolean>;
}

/** The service speaks at once, and then at least every 15 s. A link that stays silent for longer is held up or dead. */
const silenceMs = { first: 10_000, later: 40_000 };
const failuresBeforePolling = 3;
const longestDelayMs = 30_000;

/**
 * Reports what happens in an inbox until it is closed: over the stream, coming back after every break with the last event seen,
 * so that nothing is lost or told twice; and by looking at the feed now and then where the stream does not get through.
 */
export function follow(source: Source, options: FollowOptions): Following {
  const pollMs = checkedNumber(options.poll_interval_ms ?? 15_000, 'poll_interval_ms', 1);
  const reconnectMs = checkedNumber(options.reconnect_delay_ms ?? 1000, 'reconnect_delay_ms', 1);
  const end = new AbortController();
  let state: FollowState = 'connecting';
  /** Of the last event seen; null when there is nothing to go on from. */
  let lastId = options.last_event_id ?? null;
  /** The page last looked at, while polling. */
  let seen: GetInboxFeedResult | null = null;
  /** In a row, without an event in between. */
  let failures = 0;
  let hurry: () => void = () => {};

  function setState(next: FollowState): void {
    if (state === next) return;
    state = next;
    options.on_state?.(next);
  }

  function emit(event: InboxEvent): void {
    if (end.signal.aborted) return;
    try {
      options.on_event(event);
    } catch (error) {
      options.on_error?.(error); // the listener's own mistake is no reason to read the event again
    }
  }

  function take({ id, event, data }: Frame): void {
    const told = { type: event, data: JSON.parse(data), ...(id === null ? {} : { id }) } as InboxEvent;
    lastId = id ?? lastId;
    failures = 0;
    // The first event after looking only now and then: something may have passed unseen.
    const anew = seen !== null && told.type === 'unread_count.changed';
    seen = null;
    setState('streaming');
    emit(anew ? { ...told, type: 'reset' } : told);
  }

  /** Returns when the stream ends by itself or on request, which is nothing unusual: tokens expire, services restart. */
  async function stream(): Promise<void> {
    const link = new AbortController();
    let silent = false;
    let spoke = false;
    const cut = (): void => link.abort();
    const watch = (ms: number) =>
      setTimeout(() => {
        silent = true;
        cut();
      }, ms);
    let watchdog = watch(silenceMs.first);
    end.signal.addEventListener('abort', cut, { once: true });
    hurry = cut;
    try {
      const headers: Record<string, string> = { accept: 'text/event-stream' };
      if (lastId !== null) headers['last-event-id'] = lastId;
      const { body } = await source.open(headers, link.signal);
      if (!body) throw new ConnectionError('This runtime cannot read streams.', true);
      const reader = body.getReader();
      const decoder = new TextDecoder();
      const frames = createFrameReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        clearTimeout(watchdog);
        watchdog = watch(silenceMs.later);
        for (const frame of frames.push(decoder.decode(value, { stream: true }))) {
          spoke = true;
          take(frame);
        }
      }
      if (!spoke) throw new ConnectionError('The stream ended before its first event.', true);
    } catch (error) {
      if (silent) throw new TimeoutError('The stream timed out.');
      if (!link.signal.aborted) throw error;
    } finally {
      clearTimeout(watchdog);
      end.signal.removeEventListener('abort', cut);
      link.abort();
    }
  }

  async function poll(): Promise<void> {
    const page = await source.readPage(end.signal);
    const before = seen;
    seen = page;
    lastId = null;
    setState('polling');
    for (const event of eventsBetween(before, page)) emit(event);
  }

  /** Whether to go on. */
  async function outlives(error: unknown): Promise<boolean> {
    if (end.signal.aborted) return false;
    options.on_error?.(error);
    if (error instanceof PermissionError) return false;
    if (!(error instanceof AuthenticationError)) return true;
    return source.renew().catch((reason) => {
      options.on_error?.(reason); // the page's own server is down, perhaps: ask again later
      return true;
    });
  }

  function wait(ms: number): Promise<void> {
    const nap = new AbortController();
    const wake = (): void => nap.abort();
    hurry = wake;
    end.signal.addEventListener('abort', wake, { once: true });
    return pause(ms, nap.signal)
      .catch(() => {})
      .finally(() => end.signal.removeEventListener('abort', wake));
  }

  /** One stream for as long as it lasts, and when there is none a look at the feed; then how long to wait. */
  async function turn(): Promise<number | null> {
    let askedMs = 0;
    try {
      await stream();
    } catch (error) {
      failures += 1;
      if (!(await outlives(error))) return null;
      if (error instanceof AuthenticationError && failures === 1) return 0; // with the new token
      if (error instanceof CarillonError) askedMs = error.retry_after_ms ?? 0;
      // Held up by something in between, which will not change soon.
      if (error instanceof TimeoutError) failures = Math.max(failures, failuresBeforePolling);
    }
    if (state === 'streaming') setState('connecting');
    if (failures >= failuresBeforePolling) {
      try {
        await poll();
        return Math.max(askedMs, pollMs);
      } catch (error) {
        if (!(await outlives(error))) return null;
        setState('connecting');
      }
    }
    const step = reconnectMs * 2 ** Math.min(failures, 10);
    return Math.max(askedMs, Math.min(longestDelayMs, step) * (0.5 + Math.random() / 2));
  }

  async function run(): Promise<void> {
    while (!end.signal.aborted) {
      const waitMs = await turn();
      if (waitMs === null) return;
      if (waitMs > 0 && !end.signal.aborted) await wait(waitMs);
    }
  }

  const reconnect = (): void => hurry();
  const page = globalThis as Page;
  function close(): void {
    end.abort();
    page.removeEventListener?.('online', reconnect);
    options.signal?.removeEventListener('abort', close);
    setState('closed');
  }
  page.addEventListener?.('online', reconnect);
  options.signal?.addEventListener('abort', close, { once: true });
  options.on_state?.(state);
  if (options.signal?.aborted) close();
  run()
    .catch((error) => options.on_error?.(error))
    .finally(close);
  return {
    get state() {
      return state;
    },
    reconnect,
    close,
  };
}

/** What a browser has and other runtimes may not. */
interface Page {
  addEventListener?(type: 'online', listener: () => void): void;
  removeEventListener?(type: 'online', listener: () => void): void;
}
