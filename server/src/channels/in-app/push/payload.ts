import type { PushMessage, RingMessage } from './contract.ts';

/** What an app or a service worker gets besides the texts; the names are part of the guide. */
export function payloadOf(message: PushMessage): Record<string, unknown> {
  if (message.type === 'withdraw') return { type: 'withdraw', ids: message.ids };
  const { id, title, body, url } = message;
  return { type: 'ring', id, title, body, url };
}

const ellipsis = '…';

/**
 * The largest version of the message whose encoding has at most `maxBytes`: the body is cut first, then the title. `encode` is called
 * about twelve times for each text that is too long.
 */
export function fitRing(
  message: RingMessage,
  maxBytes: number,
  encode: (message: RingMessage) => string,
): string {
  const fits = (candidate: RingMessage): boolean => Buffer.byteLength(encode(candidate)) <= maxBytes;
  // No encoding is shorter than its text: this bounds the search.
  const bounded = {
    ...message,
    title: message.title.slice(0, maxBytes),
    body: message.body.slice(0, maxBytes),
  };
  if (fits(bounded) && bounded.body === message.body && bounded.title === message.title)
    return encode(message);
  const withBody = (body: string) => ({ ...bounded, body });
  if (fits(withBody('')))
    return encode(withBody(longest(message.body, maxBytes, (body) => fits(withBody(body)))));
  const withTitle = (title: string) => ({ ...bounded, title, body: '' });
  if (fits(withTitle('')))
    return encode(withTitle(longest(message.title, maxBytes, (title) => fits(withTitle(title)))));
  // Only a very long link is left to drop.
  return fitRing({ ...message, url: null }, maxBytes, encode);
}

/** The longest beginning of the text that fits, by bisection. */
function longest(text: string, maxLength: number, fits: (text: string) => boolean): string {
  let low = 0;
  let high = Math.min(text.length, maxLength);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(cutText(text, middle))) low = middle;
    else high = middle - 1;
  }
  return cutText(text, low);
}

/** Cuts at the last space before the limit, if there is one nearby, and never within a character. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  if (maxLength <= ellipsis.length) return '';
  const head = text.slice(0, maxLength - ellipsis.length).replace(/[\uD800-\uDBFF]$/, '');
  const space = head.search(/\s\S{0,30}$/);
  return (space > 0 ? head.slice(0, space) : head).trimEnd() + ellipsis;
}

/** A withdrawal is of no use for long: the person sees the notification when the device is next online. */
const withdrawTtlSeconds = 3_600;

/** The headers of RFC 8030 about a message, which FCM passes on to browsers, too. */
export function webPushHeaders(message: PushMessage): Record<string, string> {
  if (message.type === 'ring') {
    const { ttlSeconds, urgency, id } = message;
    return { TTL: String(ttlSeconds), Urgency: urgency, Topic: topicOf(id) };
  }
  // A single withdrawal takes the place of its notification while the push service still keeps it.
  const [first, second] = message.ids;
  const topic = first !== undefined && second === undefined ? { Topic: topicOf(first) } : {};
  return { TTL: String(withdrawTtlSeconds), Urgency: 'low', ...topic };
}

/** A topic has at most 32 characters of base64url: exactly a UUID without its hyphens. */
function topicOf(id: string): string {
  return id.replaceAll('-', '');
}
