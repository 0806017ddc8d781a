import { importPKCS8, SignJWT } from 'jose';
import type { Clock } from '../../../kernel/clock.ts';
import { shownText } from '../../exchange.ts';
import { type OutboundAnswer, parseRetryAfter } from '../../http.ts';
import type { Http2Client } from '../../http2.ts';
import { jsonObject, textIn } from '../../json.ts';
import {
  callTimeoutMs,
  failedCall,
  maxAnswerBytes,
  type PushMessage,
  type PushOutcome,
  type PushSender,
} from './contract.ts';
import { fitRing, payloadOf } from './payload.ts';

interface ApnsSettings {
  teamId: string;
  keyId: string;
  /** The .p8 file: a PKCS #8 key of the curve P-256 in PEM. */
  privateKey: string;
  /** The topic: the bundle id of the app. */
  bundleId: string;
  origin: string;
  /** Sessions are never shared with another account. */
  account: string;
}

const maxPayloadBytes = 4_096;
/**
 * Apple accepts a provider token for an hour, and wants no new one within 20 minutes. The time of issue is rounded down to this step,
 * so that the processes of a service, and a restart, use tokens of the same age.
 */
const tokenStepMs = 30 * 60_000;
const withdrawTtlSeconds = 3_600;

/** The Apple Push Notification service: HTTP/2 with a provider token (ES256). */
export function createApnsSender(
  settings: ApnsSettings,
  { http2, clock }: { http2: Http2Client; clock: Clock },
): PushSender {
  const key = importPKCS8(settings.privateKey, 'ES256');
  key.catch(() => {}); // every call that needs the key reports the failure
  let token = { issuedAt: 0, text: Promise.resolve('') };

  function tokenIssuedAt(issuedAt: number): typeof token {
    const text = key.then((signer) =>
      new SignJWT()
        .setProtectedHeader({ alg: 'ES256', kid: settings.keyId })
        .setIssuer(settings.teamId)
        .setIssuedAt(Math.floor(issuedAt / 1000))
        .sign(signer),
    );
    token = { issuedAt, text };
    return token;
  }

  function currentToken(): typeof token {
    const now = clock();
    return now - token.issuedAt < tokenStepMs ? token : tokenIssuedAt(now - (now % tokenStepMs));
  }

  /** Calls of a burst that fail together renew the token once. */
  const renewedToken = (expired: typeof token): typeof token =>
    token === expired ? tokenIssuedAt(clock()) : token;

  async function post(
    deviceToken: string,
    headers: Record<string, string>,
    body: string,
    signal?: AbortSignal,
  ): Promise<PushOutcome> {
    const call = async (used: typeof token) => {
      const answer = await http2.post({
        origin: settings.origin,
        path: `/3/device/${deviceToken}`,
        headers: {
          ...headers,
          authorization: `bearer ${await used.text}`,
          'apns-topic': settings.bundleId,
          'content-type': 'application/json',
        },
        body,
        account: settings.account,
        timeoutMs: callTimeoutMs,
        maxBytes: maxAnswerBytes,
        ...(signal ? { signal } : {}),
      });
      return answer.kind === 'failure' ? failedCall(answer) : classify(answer, deviceToken, clock());
    };
    const used = currentToken();
    try {
      const outcome = await call(used);
      return outcome.code === 'ExpiredProviderToken' ? await call(renewedToken(used)) : outcome;
    } catch {
      return { kind: 'broken', detail: 'The private key cannot sign.', code: 'private_key' };
    }
  }

  return {
    send(address, message, signal) {
      if (address.kind !== 'apns') throw new Error(`a ${address.kind} device has no APNs token`);
      return post(address.token, headersOf(message, clock()), bodyOf(message), signal);
    },
    async verify() {
      // A token that no device has: Apple checks ours first.
      const { kind, code, detail } = await post('0'.repeat(64), headersOf(probe, clock()), bodyOf(probe));
      if (kind === 'accepted' || kind === 'gone' || code === 'BadDeviceToken')
        return { ok: true, detail: 'Apple accepts the key.' };
      return { ok: false, detail };
    },
  };
}

const probe: PushMessage = { type: 'withdraw', ids: [] };

function headersOf(message: PushMessage, now: number): Record<string, string> {
  const until = (seconds: number): string => String(Math.floor(now / 1000) + seconds);
  if (message.type === 'withdraw')
    return {
      'apns-push-type': 'background',
      'apns-priority': '5', // the only one that Apple accepts for background pushes
      'apns-expiration': until(withdrawTtlSeconds),
    };
  return {
    'apns-push-type': 'alert',
    'apns-priority': message.urgency === 'low' ? '5' : '10',
    'apns-expiration': until(message.ttlSeconds),
    'apns-collapse-id': message.id,
  };
}

function bodyOf(message: PushMessage): string {
  if (message.type === 'withdraw')
    return JSON.stringify({ aps: { 'content-available': 1 }, carillon: payloadOf(message) });
  return fitRing(message, maxPayloadBytes, ({ title, body, id, url, urgency }) =>
    JSON.stringify({
      aps: {
        alert: { title, body },
        ...(urgency === 'low' ? {} : { sound: 'default' }),
      },
      carillon: { type: 'ring', id, url },
    }),
  );
}

const broken = new Set([
  'BadTopic',
  'TopicDisallowed',
  'MissingTopic',
  'InvalidProviderToken',
  'ExpiredProviderToken',
  'MissingProviderToken',
  'UnrelatedKeyIdInToken',
  'BadEnvironmentKeyIdInToken',
  'Forbidden',
]);

function classify({ status, headers, body }: OutboundAnswer, deviceToken: string, now: number): PushOutcome {
  if (status === 200) return { kind: 'accepted', detail: 'Accepted.', code: '200' };
  const reason = textIn(jsonObject(body.toString('utf8')), 'reason');
  const code = shownText(reason ?? String(status), [deviceToken]);
  const detail = `APNs answered ${status}${reason ? ` ${code}` : ''}.`;
  const retryAfterMs = parseRetryAfter(headers['retry-after'], now);
  if (status === 410) return { kind: 'gone', detail: `The app was removed from the device (${code}).`, code };
  // Apple counts new provider tokens for the whole team, and requests for one device.
  if (code === 'TooManyProviderTokenUpdates') return { kind: 'throttled', detail, code, retryAfterMs };
  if (status === 429 || status >= 500) return { kind: 'retry', detail, code, retryAfterMs };
  return { kind: status === 403 || broken.has(code) ? 'broken' : 'rejected', detail, code };
}
