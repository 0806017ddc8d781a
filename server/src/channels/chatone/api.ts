import { createHmac } from 'node:crypto';
import { sameBytes } from '../../kernel/crypto.ts';
import { isRecord, type JsonRecord } from '../../kernel/json.ts';
import { type Outbound, type OutboundFailure, parseRetryAfter } from '../http.ts';
import { wholeRefusal } from '../outcomes.ts';

/**
 * The service's Web API: remote calls that answer success and refusal alike with HTTP status 200, so only `ok` in the body
 * distinguishes them.
 */
export interface ChatoneApi {
  call(method: string, call: ApiCall): Promise<SlackAnswer>;
}

interface ApiCall {
  token?: string;
  /** Client credentials replace the token for the exchange of an OAuth code. */
  client?: { id: string; secret: string };
  /** Arguments are sent as JSON with a token, as a form with client credentials. */
  args?: JsonRecord;
  timeoutMs?: number;
  signal?: AbortSignal;
}

export type SlackAnswer =
  | { kind: 'ok'; body: JsonRecord; scopes: string[] }
  | { kind: 'error'; code: string; body: JsonRecord }
  | { kind: 'throttled'; retryAfterMs: number | null }
  /** A status to which the service gives no meaning. */
  | { kind: 'status'; status: number }
  /** A 200 whose body is not the expected JSON: the effect of the call is unknown. */
  | { kind: 'unreadable' }
  | OutboundFailure;

const defaultTimeoutMs = 10_000;
/** The answer repeats the posted message. */
const maxBytes = 1_048_576;

export function createChatoneApi(
  outbound: Outbound,
  baseUrl: string,
  clock: () => number,
  usualTimeoutMs = defaultTimeoutMs,
): ChatoneApi {
  return {
    async call(method, { token, client, args = {}, timeoutMs = usualTimeoutMs, signal }) {
      const received = await outbound.request({
        method: 'POST',
        url: `${baseUrl}/${method}`,
        headers: {
          'user-agent': 'Carillon/1.0',
          ...(client
            ? {
                authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`,
                'content-type': 'application/x-www-form-urlencoded',
              }
            : { 'content-type': 'application/json; charset=utf-8' }),
          ...(token ? { authorization: `Bearer ${token}` } : {}),
        },
        body: client ? new URLSearchParams(args as Record<string, string>).toString() : JSON.stringify(args),
        timeoutMs,
        maxBytes,
        ...(signal ? { signal } : {}),
      });
      const answer = wholeRefusal(received);
      if (answer.kind === 'failure') return answer;
      const { status, headers, body } = answer;
      if (status === 429)
        return { kind: 'throttled', retryAfterMs: parseRetryAfter(headers['retry-after'], clock()) };
      if (status !== 200) return { kind: 'status', status };
      const parsed = parse(body);
      if (!parsed || typeof parsed.ok !== 'boolean') return { kind: 'unreadable' };
      if (parsed.ok) return { kind: 'ok', body: parsed, scopes: scopesOf(headers['x-oauth-scopes']) };
      return { kind: 'error', code: codeOf(parsed.error), body: parsed };
    },
  };
}

function parse(body: Buffer): JsonRecord | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Codes are words; any other text from a remote server is not repeated in events and logs. */
function codeOf(error: unknown): string {
  return typeof error === 'string' && /^[a-z][a-z0-9_]{0,99}$/.test(error) ? error : 'unknown_error';
}

/** Parses `a, b` or `a,b`; headers and bodies use both. */
export function scopesOf(list: unknown): string[] {
  if (typeof list !== 'string') return [];
  return list.split(',').flatMap((scope) => (/^[\w:.-]{1,100}$/.test(scope.trim()) ? [scope.trim()] : []));
}

/** Describes the answer in a sentence for the person who set up the connection. */
export function describeAnswer(answer: Exclude<SlackAnswer, { kind: 'ok' }>): string {
  switch (answer.kind) {
    case 'error':
      return `The service rejects the call: ${answer.code}.`;
    case 'throttled':
      return 'The service asks us to slow down (429).';
    case 'status':
      return `The service returned ${answer.status}.`;
    case 'unreadable':
      return 'The service returned 200 with an unexpected body.';
    case 'failure':
      return answer.detail;
  }
}

const windowSeconds = 300;

/** Returns null when the service signed this request within the last five minutes, else a sentence with the reason. */
export function signatureProblem(
  secret: string,
  headers: { timestamp: string | undefined; signature: string | undefined },
  body: Buffer,
  nowMs: number,
): string | null {
  const { timestamp, signature } = headers;
  if (!timestamp || !signature) return 'The request is not signed.';
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowMs / 1000 - Number(timestamp)) > windowSeconds)
    return 'The signature is older than five minutes.';
  const expected = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex');
  if (!sameBytes(Buffer.from(`v0=${expected}`), Buffer.from(signature)))
    return 'The signature does not match.';
  return null;
}
