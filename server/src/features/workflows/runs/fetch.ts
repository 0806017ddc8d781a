import { withoutSecrets } from '../../../channels/exchange.ts';
import {
  type Outbound,
  type OutboundAnswer,
  type OutboundFailure,
  parseRetryAfter,
} from '../../../channels/http.ts';
import { parseTarget } from '../../../channels/net.ts';
import type { FetchEffect, Json } from '../../../engine/index.ts';
import { chainHeader } from '../../../kernel/header-name.ts';
import { storable } from '../../../kernel/json.ts';
import { hour, type RetrySchedule, retryDelayMs, second } from '../../../kernel/retry-schedule.ts';
import { credentialsIn } from '../workflows/index.ts';

const timeoutMs = 10_000;
const maxBytes = 65_536;
/** A shorter credential may be part of any word, so an answer that repeats it is not redacted. */
const shortestSecret = 8;

const fetchSchedule: RetrySchedule = {
  delaysMs: [second, 5 * second, 30 * second],
  jitter: 0,
  longestAskedMs: hour,
};

type FetchResult =
  | { kind: 'fetched'; body: Json }
  /** The call failed for good. */
  | { kind: 'failed'; reason: string }
  /** The call may succeed later. `answered` is true when the server responded. */
  | { kind: 'again'; reason: string; afterMs: number; answered: boolean };

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;
type Method = (typeof methods)[number];

/**
 * The concurrency key of the call; null when the URL is invalid. Each environment has its own key for a host: many environments
 * call the same host, and the slow calls of one must not delay the others.
 */
export function concurrencyKeyOf(environmentId: string, { request }: FetchEffect): string | null {
  return URL.canParse(request.url) ? `${environmentId} ${new URL(request.url).origin}` : null;
}

/**
 * One attempt at the call of a fetch step. The intent to call is written before; every attempt carries the same
 * Idempotency-Key, so the server can distinguish a repetition after a crash or a lost answer from a second call.
 */
export async function attemptFetch(
  outbound: Outbound,
  effect: FetchEffect,
  call: { idempotencyKey: string; chain: string; attempt: number; retryScale: number; now: number },
): Promise<FetchResult> {
  const { url, headers, body } = effect.request;
  const target = parseTarget(url, 'all');
  if ('problem' in target) return { kind: 'failed', reason: `The url ${target.problem}.` };
  const method = effect.request.method.toUpperCase() as Method;
  if (!methods.includes(method)) return { kind: 'failed', reason: `The method ${method} is not supported.` };

  const hasBody = body !== null && method !== 'GET' && method !== 'HEAD';
  const answer = await outbound.request({
    method,
    url,
    headers: {
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...lowerCased(headers),
      'idempotency-key': call.idempotencyKey,
      [chainHeader]: call.chain,
    },
    ...(hasBody ? { body } : {}),
    timeoutMs,
    maxBytes: maxBytes + 1,
  });
  const secrets = credentialsIn({ url, headers })
    .map(({ credential }) => credential)
    .filter((credential) => credential.length >= shortestSecret);
  const verdict = judge(answer, secrets);
  if (verdict.kind !== 'again') return verdict;
  const asked = answer.kind === 'answer' ? parseRetryAfter(answer.headers['retry-after'], call.now) : null;
  const { attempt, retryScale } = call;
  const afterMs = retryDelayMs(fetchSchedule, attempt, { retryScale, chance: 0 }, asked);
  if (afterMs === null)
    return { kind: 'failed', reason: `${verdict.reason} Gave up after ${attempt} attempts.` };
  return { ...verdict, afterMs, answered: answer.kind === 'answer' };
}

type Verdict = Exclude<FetchResult, { kind: 'again' }> | { kind: 'again'; reason: string };

function judge(answer: OutboundAnswer | OutboundFailure, secrets: string[]): Verdict {
  if (answer.kind === 'failure') {
    const isFinal = ['blocked', 'protocol', 'invalid'].includes(answer.failure);
    return { kind: isFinal ? 'failed' : 'again', reason: answer.detail };
  }
  const { status } = answer;
  if (status >= 200 && status < 300) return read(answer, secrets);
  const reason = `The server returned ${status}.`;
  if (status === 408 || status === 425 || status === 429 || status >= 500) return { kind: 'again', reason };
  if (status < 400) return { kind: 'failed', reason: `${reason} Redirects are not followed.` };
  return { kind: 'failed', reason };
}

/**
 * Credentials that an answer repeats are redacted, because the output of a step is shown. An answer that is not JSON has no
 * output; one that is declared as JSON and is not was damaged in transit, and fails.
 */
function read({ headers, body }: OutboundAnswer, secrets: string[]): Verdict {
  if (body.length > maxBytes)
    return { kind: 'failed', reason: `The response is larger than ${maxBytes / 1024} KiB.` };
  if (body.length === 0) return { kind: 'fetched', body: null };
  try {
    const hide = (_name: string, part: unknown) =>
      typeof part === 'string' ? withoutSecrets(part, secrets) : part;
    const value = JSON.parse(body.toString('utf8'), secrets.length > 0 ? hide : undefined);
    return { kind: 'fetched', body: storable(value as Json) };
  } catch {
    return /[/+]json\b/i.test(String(headers['content-type'] ?? ''))
      ? { kind: 'failed', reason: 'The response has a JSON content type but is not valid JSON.' }
      : { kind: 'fetched', body: null };
  }
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
