import { isRecord, type JsonRecord } from '../../kernel/json.ts';
import type { ChatTargets, EndpointCarriers } from '../chat-endpoint-plan.ts';
import type { Carrier, Outcome } from '../contract.ts';
import { type Outbound, type OutboundAnswer, type OutboundFailure, parseRetryAfter } from '../http.ts';
import type { ChatthreeMessage } from '../message.ts';
import { cutSuccess, lostAnswer, wholeRefusal } from '../outcomes.ts';
import { createRateGuard, withRateGuard } from '../rate-guard.ts';
import { contentProblem, embedsProblem, executionOf } from './payload.ts';

interface ChatthreeCarrierOptions {
  outbound: Outbound;
  clock: () => number;
  name: string;
  rateLimitKey: string;
  url: string;
  /** The public URL of this installation: the service requires callers to identify themselves. */
  publicUrl: () => string;
  timeoutMs?: number;
  /** Called with the number of milliseconds for which the service accepts no more calls. */
  onQuotaExhausted?: (ms: number) => void;
}

const defaultTimeoutMs = 15_000;
/** With `wait` the answer is the whole message. */
const maxBytes = 1_048_576;

/** The Discord webhooks behind endpoints. */
export function chatthreeCarriers({
  clock,
  outbound,
  publicUrl,
  chatTargets,
}: Pick<ChatthreeCarrierOptions, 'clock' | 'outbound' | 'publicUrl'> & {
  chatTargets: ChatTargets;
}): EndpointCarriers {
  const rateGuard = createRateGuard(null);
  return (endpoint) => {
    const { id: rateLimitKey, key, url } = endpoint;
    if (url === null) return null;
    const carrier = createChatthreeCarrier({
      clock,
      outbound,
      publicUrl,
      name: `chatthree:${key}`,
      rateLimitKey,
      url,
      onQuotaExhausted: (ms) => rateGuard.pauseUntil(rateLimitKey, clock() + ms),
    });
    return withRateGuard(chatTargets.health.observe(carrier, endpoint), rateGuard, clock);
  };
}

/** Executes one webhook. The service has no idempotency key for that. */
export function createChatthreeCarrier(options: ChatthreeCarrierOptions): Carrier {
  const { outbound, clock, name, rateLimitKey, timeoutMs = defaultTimeoutMs } = options;
  const url = executeUrl(options.url);
  const { host, pathname } = new URL(url);
  const token = pathname.split('/').at(-1) || url;
  return {
    name,
    kind: 'chatthree',
    idempotent: false,
    rateLimitKey,
    host,
    async send(message: ChatthreeMessage, signal) {
      const problem = messageProblem(message);
      if (problem)
        return { kind: 'rejected', detail: `The message cannot be sent: ${problem}.`, code: 'message' };
      const answer = await outbound.request({
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          // The gateway in front of the service may refuse any other form of user agent.
          'user-agent': `DiscordBot (${options.publicUrl()}, 1.0)`,
        },
        body: JSON.stringify(executionOf(message)),
        timeoutMs,
        maxBytes,
        signal,
      });
      const restMs = answer.kind === 'answer' ? restOf(answer.headers) : null;
      if (restMs !== null) options.onQuotaExhausted?.(restMs);
      const outcome = outcomeOf(wholeRefusal(answer), clock());
      // The service's text is shown to people and must not show the token, even if the service repeats it.
      return { ...outcome, detail: outcome.detail.replaceAll(token, '…') };
    },
  };
}

function messageProblem({ content, embeds }: ChatthreeMessage): string | null {
  if (!content && embeds === null) return 'it is empty';
  return (content && contentProblem(content)) || (embeds === null ? null : embedsProblem(embeds));
}

/** The webhook was deleted, or its token is wrong: further calls only bring a block of our address nearer. */
const gone: ReadonlySet<string> = new Set(['10015', '50027']);

export function isGone(code: string | null): boolean {
  return code !== null && gone.has(code);
}

/** The headers of every answer contain the number of calls left and the time at which more are allowed. */
function restOf(headers: OutboundAnswer['headers']): number | null {
  const seconds = Number(headers['x-ratelimit-reset-after']);
  if (headers['x-ratelimit-remaining'] !== '0' || !(seconds > 0)) return null;
  return Math.min(Math.ceil(seconds * 1000), longestPauseMs);
}

function outcomeOf(answer: OutboundAnswer | OutboundFailure, now: number): Outcome {
  const cut = cutSuccess(answer);
  if (cut) return accepted(cut.status, null);
  if (answer.kind === 'failure') return lostAnswer(answer);
  const { status } = answer;
  const body = parse(answer.body);
  const own = typeof body?.code === 'number' && body.code !== 0 ? String(body.code) : null;
  const code = own ?? String(status);
  const detail = `The service returned ${status}${own ? ` (${own})` : ''}${sentenceOf(body)}.`;
  if (status === 200 || status === 204) return posted(status, body);
  if (status === 429) {
    const isForAll = body?.global === true || answer.headers['x-ratelimit-global'] === 'true';
    const retryAfterMs = pauseOf(answer, body, now);
    return { kind: 'throttled', detail, code, retryAfterMs, ...(isForAll ? { isForAll: true } : {}) };
  }
  if (status === 408 || status === 425 || status >= 500) return { kind: 'retry', detail, code };
  if (status < 400 || status === 401 || status === 403 || status === 404)
    return { kind: 'broken', detail, code };
  return { kind: 'rejected', detail, code };
}

function posted(status: number, body: JsonRecord | null): Outcome {
  const id = typeof body?.id === 'string' && /^\d{1,25}$/.test(body.id) ? body.id : null;
  if (status === 200 && id === null)
    return { kind: 'ambiguous', detail: 'The response was 200, but not a message.', code: '200' };
  return accepted(status, id);
}

function accepted(status: number, providerMessageId: string | null): Outcome {
  const detail = 'Posted.';
  return {
    kind: 'accepted',
    providerMessageId,
    detail,
    code: String(status),
    receipts: [{ type: 'Delivered', detail }],
  };
}

const longestPauseMs = 24 * 3_600_000;

/** The body has the delay in milliseconds, the header in whole seconds. */
function pauseOf({ headers }: OutboundAnswer, body: JsonRecord | null, now: number): number | null {
  const seconds = body?.retry_after;
  if (typeof seconds === 'number' && seconds >= 0) return Math.min(Math.ceil(seconds * 1000), longestPauseMs);
  return parseRetryAfter(headers['retry-after'], now);
}

const maxSentence = 240;

/** The message of the answer, and the first field that the message complains about. */
function sentenceOf(body: JsonRecord | null): string {
  if (typeof body?.message !== 'string') return '';
  const [field] = complaints(body.errors, '');
  const text = field ? `${body.message}: ${field}` : body.message;
  return `: ${text.replace(/\p{Cc}+/gu, ' ').slice(0, maxSentence)}`.replace(/\.$/, '');
}

/** `{embeds: {0: {title: {_errors: [{message}]}}}}` → `embeds.0.title must be …`. */
function* complaints(errors: unknown, at: string): Generator<string> {
  if (!isRecord(errors)) return;
  if (Array.isArray(errors._errors)) {
    const first: unknown = errors._errors[0];
    if (isRecord(first)) yield `${at} ${String(first.message)}`;
  }
  for (const [name, inner] of Object.entries(errors))
    if (name !== '_errors') yield* complaints(inner, at ? `${at}.${name}` : name);
}

function parse(body: Buffer): JsonRecord | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

const hosts = /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/;
const path = /^\/api\/(?:v\d{1,2}\/)?webhooks\/\d{1,25}\/[\w-]{1,200}\/?$/;

/** Checks that the text is the URL of a webhook of the service, or matches a pattern that the operator added. */
export function isAcceptedUrl(text: string, further: readonly RegExp[]): boolean {
  if (!URL.canParse(text)) return false;
  return isOfService(new URL(text)) || further.some((pattern) => pattern.test(text));
}

function isOfService(url: URL): boolean {
  return (
    url.protocol === 'https:' &&
    url.port === '' &&
    !url.username &&
    !url.password &&
    hosts.test(url.hostname) &&
    path.test(url.pathname)
  );
}

/**
 * The URL that messages are posted to. Without `wait` the service reports no error in saving them; without a version it uses an
 * old one.
 */
export function executeUrl(webhookUrl: string): string {
  const url = new URL(webhookUrl);
  if (isOfService(url)) url.pathname = url.pathname.replace(/^\/api\/(?:v\d+\/)?/, '/api/v10/');
  url.searchParams.set('wait', 'true');
  return url.href;
}
