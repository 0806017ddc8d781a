import type { Clock } from '../../../kernel/clock.ts';
import { shouldYield, yieldToEventLoop } from '../../../kernel/event-loop.ts';
import { shownText } from '../../exchange.ts';
import { type Outbound, type OutboundAnswer, parseRetryAfter } from '../../http.ts';
import {
  callTimeoutMs,
  type DeviceAddress,
  failedCall,
  maxAnswerBytes,
  type PushMessage,
  type PushOutcome,
  type PushSender,
} from './contract.ts';
import { encryptMessage, maxPlaintextBytes } from './encrypt.ts';
import { fitRing, payloadOf, webPushHeaders } from './payload.ts';
import { createVapid, type VapidKeys } from './vapid.ts';

interface WebPushSettings extends VapidKeys {
  /** How push services reach the sender: a `mailto:` or `https:` URL. */
  subject: string;
}

/** Web Push: RFC 8030 with encrypted messages (RFC 8291) and VAPID (RFC 8292). */
export function createWebPushSender(
  settings: WebPushSettings,
  { outbound, clock }: { outbound: Outbound; clock: Clock },
): PushSender {
  const authorization = createVapid(settings, settings.subject, clock);

  return {
    async send(address, message, signal) {
      if (address.kind !== 'web_push') throw new Error(`a ${address.kind} device has no subscription`);
      const { origin, hostname } = new URL(address.endpoint);
      if (message.type === 'withdraw' && showsEveryPush(hostname))
        return { kind: 'skipped', detail: 'Safari shows every push, so nothing is withdrawn.', code: null };
      const credential = await authorization(origin);
      while (shouldYield()) await yieldToEventLoop(); // encrypting takes most of a millisecond
      const answer = await outbound.request({
        method: 'POST',
        url: address.endpoint,
        headers: {
          ...webPushHeaders(message),
          authorization: credential,
          'content-encoding': 'aes128gcm',
          'content-type': 'application/octet-stream',
        },
        body: bodyOf(message, address),
        timeoutMs: callTimeoutMs,
        maxBytes: maxAnswerBytes,
        signal,
      });
      return answer.kind === 'failure' ? failedCall(answer) : classify(answer, address, clock());
    },
    // There is no account to ask: the key pair is ours, and a subscription accepts no other.
    verify: async () => ({ ok: true, detail: 'The key pair is ready.' }),
  };
}

function bodyOf(message: PushMessage, keys: Extract<DeviceAddress, { kind: 'web_push' }>): Buffer {
  const encode = (shown: PushMessage): string => JSON.stringify(payloadOf(shown));
  const text = message.type === 'ring' ? fitRing(message, maxPlaintextBytes, encode) : encode(message);
  return encryptMessage(Buffer.from(text), keys);
}

function classify(
  { status, headers, body }: OutboundAnswer,
  { endpoint }: Extract<DeviceAddress, { kind: 'web_push' }>,
  now: number,
): PushOutcome {
  const code = String(status);
  if (status >= 200 && status < 300) return { kind: 'accepted', detail: 'Accepted.', code };
  const { pathname, searchParams } = new URL(endpoint);
  const secrets = [endpoint, pathname.split('/').at(-1) ?? '', ...searchParams.values()];
  const reason = shownText(body.toString('utf8'), secrets);
  const detail = `The push service answered ${status}${reason ? `: ${reason}` : ''}`;
  if (status === 404 || status === 410) return { kind: 'gone', detail: 'The subscription has ended.', code };
  if (status === 429 || status >= 500)
    return { kind: 'retry', detail, code, retryAfterMs: parseRetryAfter(headers['retry-after'], now) };
  return { kind: status === 413 ? 'rejected' : 'broken', detail, code };
}

/** The push services of the browsers: Chrome, Edge and others, Firefox, Safari, and Edge on Windows. */
export const knownPushHosts = [
  'fcm.googleapis.com',
  'updates.push.services.mozilla.com',
  '*.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
] as const;

/** Whether a subscription may name this host: one of the list, or below one that begins with `*.`. */
export function isPushHost(host: string, allowed: readonly string[]): boolean {
  return allowed.some((entry) => (entry.startsWith('*.') ? host.endsWith(entry.slice(1)) : host === entry));
}

/** Safari ends the permission of a site whose pushes show nothing, so it is never sent a withdrawal. */
function showsEveryPush(host: string): boolean {
  return host.endsWith('.push.apple.com');
}
