import type { Clock } from '../../../../kernel/clock.ts';
import { assertNever } from '../../../../kernel/errors.ts';
import { outcomeOfStatus } from '../../../by-status.ts';
import type { Outcome, ProviderCarrier, SmsMessage } from '../../../contract.ts';
import { type Outbound, type OutboundAnswer, type OutboundFailure, parseRetryAfter } from '../../../http.ts';
import { lostAnswer, wholeRefusal } from '../../../lost-answer.ts';
import { jsonOf, words } from '../../answer.ts';
import { knownCodes, longWaitMs, type SmsoneCodeMeaning } from './codes.ts';
import type { SmsoneConfig } from './manifest.ts';

const sendTimeoutMs = 15_000;
const verifyTimeoutMs = 5_000;
const maxAnswerBytes = 64_000;

export interface SmsoneOptions {
  outbound: Outbound;
  clock: Clock;
  /** The limit for one call, from the DNS lookup to the last byte. */
  timeoutMs?: number;
}

/** The provider has no idempotency key: after a lost answer the outcome is unknown. */
export function createSmsoneCarrier(
  name: string,
  config: SmsoneConfig,
  { outbound, clock, timeoutMs = sendTimeoutMs }: SmsoneOptions,
): ProviderCarrier {
  const account = `${config.apiUrl}/2010-04-01/Accounts/${config.accountSid}`;
  const credentials = Buffer.from(`${config.accountSid}:${config.authToken}`).toString('base64');
  const secrets = [config.accountSid, config.authToken, credentials];
  const headers = {
    authorization: `Basic ${credentials}`,
    accept: 'application/json',
  };

  return {
    name,
    kind: 'smsone',
    idempotent: false,
    async send(message: SmsMessage, signal) {
      const answer = await outbound.request({
        method: 'POST',
        url: `${account}/Messages.json`,
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        body: formOf(message, config),
        timeoutMs,
        maxBytes: maxAnswerBytes,
        signal,
      });
      return outcomeOf(wholeRefusal(answer), secrets, clock());
    },
    async verify() {
      const answer = await outbound.request({
        method: 'GET',
        url: `${account}.json`,
        headers,
        timeoutMs: Math.min(timeoutMs, verifyTimeoutMs),
        maxBytes: maxAnswerBytes,
      });
      if (answer.kind === 'failure') return { ok: false, detail: answer.detail };
      const body = jsonOf(answer);
      if (answer.status === 200 && body?.status === 'active')
        return { ok: true, detail: 'The account is active.' };
      if (answer.status === 200 && typeof body?.status === 'string')
        return { ok: false, detail: `The account is ${words(body.status, secrets)}.` };
      return { ok: false, detail: `${answer.status} ${words(body?.message, secrets)}`.trim() };
    },
    close: async () => {},
  };
}

function formOf({ to, from, text, notificationId }: SmsMessage, config: SmsoneConfig): string {
  const form = new URLSearchParams({ To: to.address, From: from, Body: text });
  const callback = callbackFor(config, notificationId);
  if (callback) form.set('StatusCallback', callback);
  return form.toString();
}

/**
 * The provider echoes nothing of ours, so the URL names the notification. It calls public https URLs only, and refuses the
 * whole message for any other: losing receipts is better than losing the message. A simulator accepts any URL.
 */
function callbackFor({ callbackUrl, apiUrl }: SmsoneConfig, notificationId: string): string | null {
  if (!callbackUrl) return null;
  if (!callbackUrl.startsWith('https:') && !apiUrl.startsWith('http:')) return null;
  return `${callbackUrl}?n=${notificationId}`;
}

function outcomeOf(answer: OutboundAnswer | OutboundFailure, secrets: string[], now: number): Outcome {
  if (answer.kind === 'failure') return lostAnswer(answer);
  const body = jsonOf(answer);
  const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], now);
  const isSuccess = answer.status >= 200 && answer.status < 300;
  if (isSuccess && typeof body?.sid === 'string' && typeof body.error_code !== 'number') {
    return {
      kind: 'accepted',
      providerMessageId: body.sid.slice(0, 100),
      detail: `Accepted (${words(body.status, secrets) || 'queued'}).`,
      code: String(answer.status),
    };
  }
  const given = isSuccess ? body?.error_code : body?.code;
  const number = typeof given === 'number' ? given : Number.NaN;
  const message = words(isSuccess ? body?.error_message : body?.message, secrets);
  const meaning = knownCodes.get(number);
  if (meaning) return meaningOutcome(meaning, number, `${number} ${message}`.trim(), retryAfterMs);
  const detail = Number.isInteger(number)
    ? `${answer.status}, code ${number} ${message}`.trim()
    : `Answered ${answer.status} with a body that is not the provider's.`;
  if (isSuccess && Number.isInteger(number)) return { kind: 'rejected', detail, code: String(number) };
  const code = Number.isInteger(number) ? String(number) : null;
  return outcomeOfStatus(answer.status, { detail, code, retryAfterMs });
}

function meaningOutcome(
  meaning: SmsoneCodeMeaning,
  number: number,
  detail: string,
  retryAfterMs: number | null,
): Outcome {
  const code = String(number);
  switch (meaning) {
    case 'retry':
      return { kind: 'retry', detail, code, retryAfterMs };
    case 'throttled':
      return { kind: 'throttled', detail, code, retryAfterMs: retryAfterMs ?? longWaitMs[number] ?? null };
    case 'rejected':
      return { kind: 'rejected', detail, code };
    case 'broken':
      return { kind: 'broken', detail, code };
    case 'unreachable':
      return { kind: 'suppress', detail, code, reason: 'hard_bounce' };
    case 'unsubscribed':
      return { kind: 'suppress', detail, code, reason: 'unsubscribed' };
    default:
      return assertNever(meaning);
  }
}
