/** A call as it was made. */
export interface ShownMessage {
  method: string;
  url: string;
  body?: string | Buffer;
}

/**
 * What went over the wire in one call, fit to be shown. The bodies are not part of it: an answer may repeat any secret in any
 * spelling, and what can be told of it is in the outcome, in the words of the one who read it.
 */
export interface Exchange {
  method: string;
  /** Without the query and without whatever in the path is not a plain word: some paths are as good as a password. */
  url: string;
  request_bytes: number;
  /** Null: no answer came. */
  status: number | null;
  /** As far as it was read. */
  response_bytes: number;
}

export function exchangeOf(
  { method, url, body = '' }: ShownMessage,
  answer: { status: number | null; body: Buffer },
): Exchange {
  return {
    method,
    url: shownUrl(url),
    request_bytes: Buffer.byteLength(body),
    status: answer.status,
    response_bytes: answer.body.length,
  };
}

/** Keys that happen to have no digit are longer than the words of an API. */
const word = /^(?:[a-z._-]{1,20}|v\d{1,2}|\d{4}-\d{2}-\d{2})$/i;

function shownUrl(text: string): string {
  const { origin, pathname } = new URL(text);
  const segments = pathname
    .split('/')
    .map((segment) => (segment === '' || word.test(segment) ? segment : '…'));
  return origin + segments.join('/');
}
