interface ShownMessage {
  method: string;
  url: string;
  body?: string | Buffer;
  secrets?: readonly string[];
}

/**
 * One HTTP call without its secrets, fit to be shown. The bodies are left out: an answer may repeat any secret in any spelling,
 * and its meaning is in the outcome, in the words of the carrier that read it.
 */
export interface Exchange {
  method: string;
  /** The URL without the query and without any path segment that is not a plain word or contains a secret: some paths are as good as a password. */
  url: string;
  request_bytes: number;
  /** Null when no answer came. */
  status: number | null;
  /** The number of bytes that were read. */
  response_bytes: number;
}

export function exchangeOf(
  { method, url, body = '', secrets = [] }: ShownMessage,
  answer: { status: number | null; body: Buffer },
): Exchange {
  return {
    method,
    url: shownUrl(url, secrets),
    request_bytes: Buffer.byteLength(body),
    status: answer.status,
    response_bytes: answer.body.length,
  };
}

/** Keys that happen to have no digit are longer than the words of an API. */
const word = /^(?:[a-z._-]{1,20}|v\d{1,2}|\d{4}-\d{2}-\d{2})$/i;

function shownUrl(text: string, secrets: readonly string[]): string {
  const { origin, pathname } = new URL(text);
  const isSecret = (segment: string): boolean =>
    secrets.some((secret) => secret !== '' && segment.includes(secret));
  const segments = pathname
    .split('/')
    .map((segment) => (segment === '' || (word.test(segment) && !isSecret(segment)) ? segment : '…'));
  return origin + segments.join('/');
}

/**
 * Remote answers may repeat what was sent, credentials included. Apply this before a text is cut: half a secret is not
 * recognized any more.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => (secret.length < 4 ? left : left.replaceAll(secret, '••••')), text);
}

const maxShown = 300;

/** A remote text that is fit to be shown: one line of bounded length, without secrets. */
export function shownText(text: string, secrets: readonly string[]): string {
  return withoutSecrets(text, secrets)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, maxShown);
}
