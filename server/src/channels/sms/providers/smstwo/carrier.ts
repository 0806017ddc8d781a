import type { Clock } from '../../../../kernel/clock.ts';
import { assertNever } from '../../../../kernel/errors.ts';
import { outcomeOfStatus } from '../../../by-status.ts';
import type { Outcome, ProviderCarrier, SmsMessage } from '../../../contract.ts';
import { type Outbound, type OutboundAnswer, type OutboundFailure, parseRetryAfter } from '../../../http.ts';
import { lostAnswer, wholeRefusal } from '../../../lost-answer.ts';
import { jsonOf, words } from '../../answer.ts';
import { segmentationOf } from '../../segments.ts';
import { meaningOf } from './codes.ts';
import type { SmstwoConfig } from './manifest.ts';

const sendTimeoutMs = 15_000;
const verifyTimeoutMs = 5_000;
const maxAnswerBytes = 64_000;
const maxCallbackLength = 100;

export interface SmstwoOptions {
  outbound: Outbound;
  clock: Clock;
  /** The limit for one call, from the DNS lookup to the last byte. */
  timeoutMs?: number;
}

/** The provider has no idempotency key: after a lost answer the outcome is unknown. */
export function createSmstwoCarrier(
  name: string,
  config: SmstwoConfig,
  { outbound, clock, timeoutMs = sendTimeoutMs }: SmstwoOptions,
): ProviderCarrier {
  const credentials = { api_key: config.apiKey, api_secret: config.apiSecret };
  const secrets = [config.apiKey, config.apiSecret, config.signatureSecret ?? ''];

  return {
    name,
    kind: 'smstwo',
    idempotent: false,
    async send(message: SmsMessage, signal) {
      const answer = await outbound.request({
        method: 'POST',
        url: `${config.apiUrl}/sms/json`,
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: new URLSearchParams({ ...credentials, ...fieldsOf(message, config) }).toString(),
        timeoutMs,
        maxBytes: maxAnswerBytes,
        signal,
      });
      return outcomeOf(wholeRefusal(answer), secrets, clock());
    },
    async verify() {
      const answer = await outbound.request({
        method: 'GET',
        url: `${config.apiUrl}/account/get-balance?${new URLSearchParams(credentials)}`,
        headers: { accept: 'application/json' },
        timeoutMs: Math.min(timeoutMs, verifyTimeoutMs),
        maxBytes: maxAnswerBytes,
      });
      if (answer.kind === 'failure') return { ok: false, detail: answer.detail };
      const body = jsonOf(answer);
      if (answer.status === 200 && typeof body?.value === 'number')
        return { ok: true, detail: 'The account has a balance that can be read.' };
      return { ok: false, detail: `${answer.status} ${words(body?.['error-code-label'], secrets)}`.trim() };
    },
    close: async () => {},
  };
}

function fieldsOf(
  { to, from, text, notificationId }: SmsMessage,
  config: SmstwoConfig,
): Record<string, string> {
  const { callbackUrl } = config;
  return {
    from: from.replace(/^\+/, ''),
    to: to.address.replace(/^\+/, ''),
    text,
    // As plain text the provider would drop characters outside the GSM alphabet.
    type: segmentationOf(text).encoding === 'UCS-2' ? 'unicode' : 'text',
    'client-ref': notificationId,
    'status-report-req': 'true',
    // A longer callback URL is refused together with the message; receipts then go to the account's URL.
    ...(callbackUrl && callbackUrl.length <= maxCallbackLength ? { callback: callbackUrl } : {}),
  };
}

interface Part {
  status: string;
  'message-id'?: unknown;
  'error-text'?: unknown;
}

/** The answer is 200 even when nothing was sent: each part of the message has a status of its own. */
function outcomeOf(answer: OutboundAnswer | OutboundFailure, secrets: string[], now: number): Outcome {
  if (answer.kind === 'failure') return lostAnswer(answer);
  const parts = partsOf(answer);
  const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], now);
  const [first] = parts;
  if (!first)
    return outcomeOfStatus(answer.status, {
      detail: `Answered ${answer.status} with a body that is not the provider's.`,
      code: null,
      retryAfterMs,
    });
  const refused = parts.filter(({ status }) => status !== '0');
  const [refusal] = refused;
  if (!refusal) {
    const detail = parts.length === 1 ? 'Accepted.' : `Accepted in ${parts.length} parts.`;
    return { kind: 'accepted', providerMessageId: idOf(first), detail, code: '0' };
  }
  const code = refusal.status;
  const message = `status ${code} ${words(refusal['error-text'], secrets)}`.trim();
  if (refused.length < parts.length) {
    const detail = `${parts.length - refused.length} of ${parts.length} parts were accepted; the rest: ${message}`;
    return { kind: 'ambiguous', detail, code };
  }
  return refusedOutcome(code, message, retryAfterMs);
}

function partsOf(answer: OutboundAnswer): Part[] {
  const messages = jsonOf(answer)?.messages;
  if (!Array.isArray(messages)) return [];
  return messages.filter(
    (part): part is Part => typeof part === 'object' && part !== null && typeof part.status === 'string',
  );
}

function idOf(part: Part): string | null {
  const id = part['message-id'];
  return typeof id === 'string' ? id.slice(0, 100) : null;
}

function refusedOutcome(code: string, detail: string, retryAfterMs: number | null): Outcome {
  const meaning = meaningOf(code);
  switch (meaning) {
    case 'retry':
      return { kind: 'retry', detail, code, retryAfterMs };
    case 'throttled':
      return { kind: 'throttled', detail, code, retryAfterMs };
    case 'rejected':
      return { kind: 'rejected', detail, code };
    case 'broken':
      return { kind: 'broken', detail, code };
    case 'unreachable':
      return { kind: 'suppress', detail, code, reason: 'hard_bounce' };
    default:
      return assertNever(meaning);
  }
}
