import type { PushMessage } from './contract.ts';

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
