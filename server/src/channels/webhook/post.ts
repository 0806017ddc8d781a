import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { chainHeader } from '../../kernel/header-name.ts';
import type { Carrier, Outcome } from '../contract.ts';
import { type Outbound, type OutboundAnswer, type OutboundFailure, parseRetryAfter } from '../http.ts';
import type { WebhookMessage } from '../message.ts';

/** One signed call and its outcome, shared by events and the webhook channel. */
interface Post {
  url: string;
  /** The id is the same on every attempt, so that the receiver recognizes a repeat. */
  id: string;
  body: string;
  secrets: readonly string[];
  /** The chain of workflow runs that led to the call, for the receiver to pass on. */
  chain?: string | null | undefined;
  timeoutMs: number;
  signal?: AbortSignal;
}

export interface PostResult {
  /** gone: the receiver wants no more calls. blocked: the call can never be made. */
  verdict: 'succeeded' | 'failed' | 'gone' | 'blocked';
  /** Null when it succeeded; else a class, a colon and a sentence. */
  error: string | null;
  status: number | null;
  /** The beginning of the answer; null when there was none. */
  snippet: string | null;
  latencyMs: number;
  /** The delay that the receiver asked for. */
  retryAfterMs: number | null;
  /** True when a complete answer came in time. */
  answered: boolean;
}

const snippetBytes = 1_024;

export function postHeaders(post: Pick<Post, 'id' | 'body' | 'secrets' | 'chain'>, nowMs: number) {
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Carillon-Webhooks/1.0',
    ...(post.chain && { [chainHeader]: post.chain }),
    ...signedHeaders(post.secrets, post.id, nowMs, post.body),
  };
}

export async function sendPost(outbound: Outbound, post: Post, clock: () => number): Promise<PostResult> {
  const answer = await outbound.request({
    method: 'POST',
    url: post.url,
    headers: postHeaders(post, clock()),
    body: post.body,
    timeoutMs: post.timeoutMs,
    maxBytes: snippetBytes,
    ...(post.signal ? { signal: post.signal } : {}),
  });
  return {
    ...judge(answer, clock()),
    latencyMs: answer.latencyMs,
    answered: answer.kind === 'answer',
  };
}

function judge(
  answer: OutboundAnswer | OutboundFailure,
  now: number,
): Omit<PostResult, 'latencyMs' | 'answered'> {
  const { status } = answer;
  const answered = { status, snippet: status === null ? null : snippetOf(answer.body), retryAfterMs: null };
  if (status === 410) return { ...answered, verdict: 'gone', error: 'gone: The receiver returned 410 Gone.' };
  const isComplete = answer.kind === 'answer' || answer.failure === 'closed';
  // The status counts, also when the connection closed within the body.
  if (isComplete && status !== null && status >= 200 && status < 300)
    return { ...answered, verdict: 'succeeded', error: null };
  if (answer.kind === 'failure') {
    return {
      ...answered,
      verdict: answer.failure === 'blocked' ? 'blocked' : 'failed',
      error: `${answer.failure}: ${answer.detail}`,
    };
  }
  if (answer.status < 400)
    return {
      ...answered,
      verdict: 'failed',
      error: `redirect: The receiver returned ${answer.status}; redirects are not followed.`,
    };
  const mayAskToWait = answer.status === 429 || answer.status === 503;
  return {
    ...answered,
    verdict: 'failed',
    error: `status: The receiver returned ${answer.status}.`,
    retryAfterMs: mayAskToWait ? parseRetryAfter(answer.headers['retry-after'], now) : null,
  };
}

/** Any bytes become valid text that can be stored (PostgreSQL accepts no NUL); a character that was cut is left out. */
function snippetOf(body: Buffer): string {
  if (body.length === 0) return '';
  return new TextDecoder()
    .decode(body.subarray(0, snippetBytes), { stream: true })
    .replaceAll('\0', '\ufffd');
}

/**
 * Posts notifications of the webhook channel. The notification's id is the `webhook-id` of every attempt, by which a receiver
 * recognizes a repeat: an attempt whose outcome is open is simply made again.
 */
export function createWebhookCarrier(outbound: Outbound, clock: Clock): Carrier {
  return {
    name: 'webhook',
    kind: 'webhook',
    idempotent: true,
    async send(message: WebhookMessage, signal) {
      const { to, notificationId: id, body, secrets, chain, timeoutMs } = message;
      const post = { url: to.address, id, body, secrets, chain, timeoutMs, signal };
      return outcomeOf(await sendPost(outbound, post, clock));
    },
  };
}

function outcomeOf({ verdict, error, status, retryAfterMs }: PostResult): Outcome {
  const code = status === null ? null : String(status);
  if (verdict === 'succeeded') {
    const detail = `The receiver returned ${status}.`;
    return {
      kind: 'accepted',
      providerMessageId: null,
      detail,
      code,
      receipts: [{ type: 'Delivered', detail }],
    };
  }
  const detail = error ?? verdict;
  return verdict === 'failed'
    ? { kind: 'retry', detail, code, retryAfterMs }
    : { kind: 'rejected', detail, code };
}

/** Standard Webhooks 1.0.0 (standardwebhooks.com), symmetric signatures. Any of its libraries verifies these signatures. */
const prefix = 'whsec_';

export function newSigningSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

interface SignedHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/** One signature for each secret, newest first: during a rotation the receiver may know either. */
export function signedHeaders(
  secrets: readonly string[],
  id: string,
  nowMs: number,
  body: string,
): SignedHeaders {
  const timestamp = String(Math.floor(nowMs / 1000));
  const content = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${signature(secret, content)}`).join(' '),
  };
}

function signature(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  return createHmac('sha256', key).update(content).digest('base64');
}
