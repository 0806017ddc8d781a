import { AuthenticationError, type InboxEvent, PermissionError } from '@carillon/sdk/inbox';
import type { Client } from './client.ts';
import type { Connection } from './public.ts';
import { subjectOf, type Tokens } from './tokens.ts';

export interface Follower {
  onEvent(event: InboxEvent): void;
  onConnection(connection: Connection): void;
  /** Called when a stream starts: later events arrive by stream, earlier ones must be read. */
  onReady(): void;
}

type Word = { event: InboxEvent } | { connection: Connection } | { ready: true };
type Tell = (word: Word) => void;

/**
 * Shares one stream between all tabs and elements of a user in a browser: browsers allow six connections to a host over
 * HTTP/1.1, and seven tabs with a stream each would block all other requests. The tab that holds the lock reads the
 * stream and broadcasts it; when it closes, the next one starts a stream and every tab reads what it may have missed.
 * Without the Web Locks API (insecure pages) every tab has its own stream.
 */
export async function followTogether(
  url: string,
  client: Client,
  tokens: Tokens,
  follower: Follower,
  signal: AbortSignal,
): Promise<void> {
  const hear = (word: Word): void => {
    if (signal.aborted) return;
    if ('event' in word) follower.onEvent(word.event);
    else if ('connection' in word) follower.onConnection(word.connection);
    else follower.onReady();
  };
  while (!signal.aborted) {
    try {
      const subject = subjectOf(await tokens.peek());
      if (signal.aborted) return;
      if (subject && navigator.locks) {
        await takeTurns(
          `carillon ${url} ${subject}`,
          hear,
          (tell) => lead(client, tokens, tell, signal),
          signal,
        );
      } else {
        await lead(client, tokens, hear, signal);
      }
      // Only a rejected token ends the stream: nothing changes until the page sets another token.
      if (!signal.aborted) await tokens.changed();
    } catch {
      if (signal.aborted) return;
      hear({ connection: tokens.isStuck ? 'unauthorized' : 'offline' });
      await (tokens.isStuck ? tokens.changed() : new Promise((resolve) => setTimeout(resolve, 5_000)));
    }
  }
}

/** Reads the stream until it is aborted or the token is rejected. */
function lead(client: Client, tokens: Tokens, tell: Tell, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let begins = true;
    let refusals = 0;
    const following = client.follow({
      signal,
      on_event(event) {
        tell({ event });
        if (begins) tell({ ready: true });
        begins = false;
        refusals = 0;
      },
      on_state(state) {
        if (state === 'streaming') tell({ connection: 'live' });
        else if (state === 'polling') tell({ connection: 'polling' });
        else if (state === 'closed') resolve();
      },
      on_error(error) {
        const isRefused = tokens.isStuck || error instanceof PermissionError;
        if (isRefused) tell({ connection: 'unauthorized' });
        else if (!(error instanceof AuthenticationError)) tell({ connection: 'offline' });
        // The first rejection is not reported while a new token can be fetched.
        else if (++refusals > 1) tell({ connection: 'unauthorized' });
        if (isRefused) following.close();
      },
    });
  });
}

async function takeTurns(
  name: string,
  hear: Tell,
  leading: (tell: Tell) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: MessageEvent<Word>) => hear(data);
  const leadTurn = () =>
    leading((word) => {
      // A rejection concerns the token of this tab only.
      if (!('connection' in word && word.connection === 'unauthorized')) channel.postMessage(word);
      hear(word);
    });
  try {
    const isFirst = await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock) await leadTurn();
      return lock !== null;
    });
    if (isFirst) return;
    hear({ connection: 'live' });
    hear({ ready: true });
    await navigator.locks.request(name, { signal }, leadTurn);
  } finally {
    channel.close();
  }
}
