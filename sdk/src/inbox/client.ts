import { readAnswer, unexpected } from '../answer.ts';
import { type InboxApi, inboxApi } from '../generated/inbox.ts';
import { bind } from '../operations.ts';
import { type Credentials, checkedSecret, createTransport, type TransportOptions } from '../transport.ts';
import { type Following, type FollowOptions, follow } from './follow.ts';

/** An end-user token; or where to get one: called at first, and whenever the service refuses the one it gave. */
export type TokenSource = string | (() => string | Promise<string>);

export interface InboxClientOptions extends TransportOptions {
  /** Where the service is. In a page, a relative one is seen from the page. */
  base_url: string;
  token: TokenSource;
}

export interface InboxClient extends InboxApi {
  /** Reports what happens in the inbox, as it happens, until it is closed. Open it first and read the feed then. */
  follow(options: FollowOptions): Following;
}

export function createInboxClient({ token, ...options }: InboxClientOptions): InboxClient {
  const credentials = typeof token === 'string' ? fixedToken(token) : renewableToken(token);
  const transport = createTransport(options, credentials);
  const api = bind<InboxApi>(inboxApi, transport);
  return {
    ...api,
    follow: (followOptions) =>
      follow(
        {
          async open(headers, signal) {
            const response = await transport.open('/inbox/v1/stream', headers, signal);
            if (!response.ok) await readAnswer(response, false);
            const kind = response.headers.get('content-type') ?? '';
            if (!kind.startsWith('text/event-stream')) throw unexpected(response, '');
            return response;
          },
          readPage: (signal) => api.feed({}, { signal, max_retries: 0 }).page(),
          async renew() {
            if (!credentials.renew) return false;
            await credentials.renew(await credentials.get());
            return true;
          },
        },
        followOptions,
      ),
  };
}

function fixedToken(token: string): Credentials {
  const checked = checkedSecret(token, 'token');
  return { get: async () => checked };
}

/** Calls that are refused at the same time ask for one new token together. */
function renewableToken(source: () => string | Promise<string>): Credentials {
  let current: Promise<string> | null = null;
  function ask(): Promise<string> {
    const asked = (async () => checkedSecret(await source(), 'token'))();
    current = asked;
    asked.catch(() => {
      if (current === asked) current = null; // ask again next time
    });
    return asked;
  }
  return {
    get: () => current ?? ask(),
    async renew(stale) {
      if (current !== null && (await current) !== stale) return;
      await ask();
    },
  };
}
