import type { Clock } from '../../../kernel/clock.ts';
import type { JsonRecord } from '../../../kernel/json.ts';
import { shownText } from '../../exchange.ts';
import { type Outbound, type OutboundAnswer, parseRetryAfter } from '../../http.ts';
import type { Http2Client } from '../../http2.ts';
import { jsonObject, recordIn, recordsIn, textIn } from '../../json.ts';
import {
  callTimeoutMs,
  failedCall,
  maxAnswerBytes,
  type PushMessage,
  type PushOutcome,
  type PushSender,
  type RingMessage,
  type WithdrawMessage,
} from './contract.ts';
import { type AccessToken, createAccessTokens, type ServiceAccount, TokenRefused } from './google-token.ts';
import { fitRing, webPushHeaders } from './payload.ts';

interface FcmSettings {
  serviceAccount: ServiceAccount;
  origin: string;
  /** Sessions are never shared with another account. */
  account: string;
}

/** Of what reaches the device: Apple and browsers have the same limit as Google. */
const maxPayloadBytes = 4_096;
/** Room for the names and values that are not the texts, and for those that Google adds. */
const reservedBytes = 512;
const withdrawTtlSeconds = 3_600;

/** Firebase Cloud Messaging: the HTTP v1 API with the access token of a service account. */
export function createFcmSender(
  { serviceAccount, origin, account }: FcmSettings,
  deps: { http2: Http2Client; outbound: Outbound; clock: Clock },
): PushSender {
  const { clock } = deps;
  const tokens = createAccessTokens(serviceAccount, deps);
  /** The quota is that of the project: until then, calls would only be refused. */
  let throttledUntil = 0;

  async function post(request: object, deviceToken: string, signal?: AbortSignal): Promise<PushOutcome> {
    const waitMs = throttledUntil - clock();
    if (waitMs > 0)
      return {
        kind: 'throttled',
        detail: 'The quota of the project is used up.',
        code: 'throttled',
        retryAfterMs: waitMs,
      };
    const call = async (token: AccessToken) => {
      const answer = await deps.http2.post({
        origin,
        path: `/v1/projects/${encodeURIComponent(serviceAccount.projectId)}/messages:send`,
        headers: { authorization: `Bearer ${token.text}`, 'content-type': 'application/json' },
        body: JSON.stringify(request),
        account,
        timeoutMs: callTimeoutMs,
        maxBytes: maxAnswerBytes,
        ...(signal ? { signal } : {}),
      });
      return answer.kind === 'failure' ? failedCall(answer) : classify(answer, deviceToken, clock());
    };
    try {
      const token = await tokens.current();
      const outcome = await call(token);
      const final = outcome.code === 'UNAUTHENTICATED' ? await call(await tokens.renewed(token)) : outcome;
      if (final.kind === 'throttled') throttledUntil = clock() + (final.retryAfterMs ?? defaultPauseMs);
      return final;
    } catch (error) {
      if (error instanceof TokenRefused) return error.outcome;
      throw error;
    }
  }

  return {
    send(address, message, signal) {
      if (address.kind !== 'fcm') throw new Error(`a ${address.kind} device has no FCM token`);
      return post({ message: messageOf(address.token, message, clock()) }, address.token, signal);
    },
    async verify() {
      const { kind, code, detail } = await post(
        { validate_only: true, message: messageOf('carillon-check', { type: 'withdraw', ids: [] }, clock()) },
        'carillon-check',
      );
      // The made-up token is refused only once the account was accepted.
      if (kind === 'accepted' || kind === 'gone' || code === 'INVALID_ARGUMENT')
        return { ok: true, detail: 'Google accepts the service account.' };
      return { ok: false, detail };
    },
  };
}

/** Google asks for at least a minute after QUOTA_EXCEEDED. */
const defaultPauseMs = 60_000;

function messageOf(token: string, message: PushMessage, now: number): object {
  const apnsExpiration = (seconds: number): string => String(Math.floor(now / 1000) + seconds);
  return message.type === 'ring'
    ? ringOf(token, message, apnsExpiration(message.ttlSeconds))
    : withdrawalOf(token, message, apnsExpiration(withdrawTtlSeconds));
}

/** One token may be that of an app for Android, of an app for Apple's devices, or of a page: each takes its own part. */
function ringOf(token: string, message: RingMessage, apnsExpiration: string): object {
  const { id, urgency, ttlSeconds } = message;
  const { title, body, url } = JSON.parse(
    fitRing(message, maxPayloadBytes - reservedBytes, (shown) =>
      JSON.stringify({ title: shown.title, body: shown.body, url: shown.url }),
    ),
  ) as Pick<RingMessage, 'title' | 'body' | 'url'>;
  return {
    token,
    notification: { title, body },
    data: { carillon_type: 'ring', carillon_id: id, ...(url === null ? {} : { carillon_url: url }) },
    android: {
      priority: urgency === 'low' ? 'NORMAL' : 'HIGH',
      ttl: `${ttlSeconds}s`,
      notification: { tag: id }, // messages with a notification ignore `collapse_key`
    },
    apns: {
      headers: {
        'apns-collapse-id': id,
        'apns-expiration': apnsExpiration,
        'apns-priority': urgency === 'low' ? '5' : '10',
      },
      // FCM adds the alert.
      ...(urgency === 'low' ? {} : { payload: { aps: { sound: 'default' } } }),
    },
    webpush: { headers: webPushHeaders(message), notification: { tag: id } },
  };
}

function withdrawalOf(token: string, message: WithdrawMessage, apnsExpiration: string): object {
  return {
    token,
    data: { carillon_type: 'withdraw', carillon_ids: message.ids.join(',') },
    android: { priority: 'NORMAL', ttl: `${withdrawTtlSeconds}s` },
    apns: {
      headers: {
        'apns-push-type': 'background',
        'apns-expiration': apnsExpiration,
        'apns-priority': '5',
      },
      payload: { aps: { 'content-available': 1 } },
    },
    webpush: { headers: webPushHeaders(message) },
  };
}

function classify({ status, headers, body }: OutboundAnswer, deviceToken: string, now: number): PushOutcome {
  if (status === 200) return { kind: 'accepted', detail: 'Accepted.', code: '200' };
  const error = recordIn(jsonObject(body.toString('utf8')), 'error');
  const special = recordsIn(error, 'details').map((each) => textIn(each, 'errorCode'));
  const code = shownText(
    special.find((each) => each !== null) ?? textIn(error, 'status') ?? String(status),
    [],
  );
  const message = shownText(textIn(error, 'message') ?? '', [deviceToken]);
  const detail = `FCM answered ${status} ${code}${message ? `: ${message}` : ''}`;
  const retryAfterMs = parseRetryAfter(headers['retry-after'], now);
  if (code === 'UNREGISTERED') return { kind: 'gone', detail: 'The app was removed from the device.', code };
  if (status === 429 && isQuotaOfDevice(error, deviceToken))
    return { kind: 'retry', detail, code, retryAfterMs: Math.max(retryAfterMs ?? 0, defaultPauseMs) };
  if (status === 429) return { kind: 'throttled', detail, code, retryAfterMs };
  if (status >= 500) return { kind: 'retry', detail, code, retryAfterMs };
  if (status === 401)
    return { kind: 'broken', detail, code: code === 'THIRD_PARTY_AUTH_ERROR' ? code : 'UNAUTHENTICATED' };
  return { kind: status === 403 || status === 404 ? 'broken' : 'rejected', detail, code };
}

/**
 * QUOTA_EXCEEDED is also the answer when one device gets too many messages: no reason to leave the others alone. QuotaFailure says
 * which quota it is, in words that are not documented.
 */
function isQuotaOfDevice(error: JsonRecord | null, deviceToken: string): boolean {
  const violations = recordsIn(error, 'details').flatMap((each) => recordsIn(each, 'violations'));
  const texts = violations.flatMap((each) => [textIn(each, 'subject'), textIn(each, 'description')]);
  return [textIn(error, 'message'), ...texts].some(
    (text) => text !== null && (/device|registration token/i.test(text) || text.includes(deviceToken)),
  );
}
