import type { Clock } from '../../kernel/clock.ts';
import { sha256 } from '../../kernel/crypto.ts';
import { isRecord } from '../../kernel/record.ts';
import type { TaskRunner } from '../../kernel/threads/task.ts';
import { outcomeOfStatus } from '../by-status.ts';
import type { EmailMessage, Outcome, ProviderCarrier, VerificationResult } from '../contract.ts';
import { type Outbound, type OutboundAnswer, type OutboundCall, parseRetryAfter } from '../http.ts';
import { lostAnswer, wholeRefusal } from '../lost-answer.ts';
import { withoutSecrets } from '../secrets.ts';
import { utf8Addresses } from './address.ts';
import { oneLine } from './mime.ts';

/** The common part of email providers with an HTTP API: one call, and its outcome where the provider does not define one. */
export interface ApiContext {
  outbound: Outbound;
  clock: Clock;
  /** Runs the composition of large messages; on the calling thread when absent. */
  tasks?: TaskRunner | undefined;
  /** The limit for one call, from the DNS lookup to the last byte. */
  timeoutMs?: number;
}

export type ApiRequest = Pick<OutboundCall, 'method' | 'url' | 'headers' | 'body'>;

export interface EmailApiAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string | undefined>;
  /** The body, when it is a JSON object. */
  json: JsonBody | null;
  /** The beginning of the body, in one line. */
  text: string;
  /** The time at which the answer arrived. */
  at: number;
}

export interface Api {
  name: string;
  kind: string;
  /** The settings that identify an account of this kind; carriers that share all of them share the provider's limits. */
  account: readonly string[];
  /** Secrets are never shown, even if the provider repeats them. */
  secrets: readonly string[];
  /** The provider recognizes a message that it was given before. */
  idempotent: boolean;
  /** The provider delivers to addresses outside ASCII (SMTPUTF8); as From or Reply-To no service accepts one. */
  takesUtf8Recipients?: true;
  /** Throws when the message cannot be composed. */
  request(message: EmailMessage): ApiRequest | Promise<ApiRequest>;
  classify(answer: EmailApiAnswer): Outcome;
  /** A call that checks the credentials and sends nothing, and the judgement of its answer. */
  check: { request(): ApiRequest; judge(answer: EmailApiAnswer): VerificationResult };
}

const sendTimeoutMs = 30_000;
const verifyTimeoutMs = 5_000;
const maxAnswerBytes = 65_536;
const maxDetail = 300;

export function createApiCarrier(api: Api, context: ApiContext): ProviderCarrier {
  const { outbound, clock } = context;
  const call = async (request: ApiRequest, timeoutMs: number, signal?: AbortSignal) => {
    const headers = { 'user-agent': 'Carillon/1.0', accept: 'application/json', ...request.headers };
    const limits = { timeoutMs, maxBytes: maxAnswerBytes, ...(signal ? { signal } : {}) };
    return wholeRefusal(await outbound.request({ ...request, headers, ...limits }));
  };
  const read = (answer: OutboundAnswer): EmailApiAnswer => readAnswer(answer, clock(), api.secrets);
  const clean = (text: string): string => withoutSecrets(oneLine(text), api.secrets).slice(0, maxDetail);

  return {
    name: api.name,
    kind: api.kind,
    idempotent: api.idempotent,
    rateLimitKey: `${api.kind}:${sha256(JSON.stringify(api.account)).toString('hex').slice(0, 24)}`,
    async send(message: EmailMessage, signal) {
      const [refused] = utf8Addresses(message).filter(
        (field) => !(field === 'to' && api.takesUtf8Recipients),
      );
      if (refused !== undefined) {
        const detail = `The service takes no ${refused} address with characters outside ASCII before the @.`;
        return { kind: 'rejected', detail, code: 'smtputf8' };
      }
      let request: ApiRequest;
      try {
        request = await api.request(message);
      } catch (error) {
        const detail = clean(`The message cannot be put together: ${String(error)}`);
        return { kind: 'rejected', detail, code: 'message' };
      }
      const answer = await call(request, context.timeoutMs ?? sendTimeoutMs, signal);
      const outcome = answer.kind === 'answer' ? api.classify(read(answer)) : lostAnswer(answer);
      return {
        ...outcome,
        detail: clean(outcome.detail),
        code: outcome.code ? clean(outcome.code).slice(0, 100) : null,
      };
    },
    async verify() {
      const answer = await call(
        api.check.request(),
        Math.min(context.timeoutMs ?? verifyTimeoutMs, verifyTimeoutMs),
      );
      const { ok, detail } =
        answer.kind === 'answer' ? api.check.judge(read(answer)) : { ok: false, detail: answer.detail };
      return { ok, detail: clean(detail) };
    },
    close: async () => {},
  };
}

function readAnswer(answer: OutboundAnswer, at: number, secrets: readonly string[]): EmailApiAnswer {
  // Secrets are removed before the text is cut: half a secret would not be recognized.
  const text = withoutSecrets(answer.body.toString('utf8'), secrets);
  return {
    status: answer.status,
    headers: Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
    ),
    json: jsonObject(text),
    text: oneLine(text).slice(0, maxDetail),
    at,
  };
}

export type JsonBody = Record<string, unknown>;

/** Returns the JSON object in a text; null when there is none. */
export function jsonObject(text: string): JsonBody | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

export function recordIn(json: JsonBody | null, name: string): JsonBody | null {
  const value = json?.[name];
  return isRecord(value) ? value : null;
}

export function textIn(json: JsonBody | null, name: string): string | null {
  const value = json?.[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/**
 * The provider's message, for people. Only an error in the provider's own form is repeated: a tenant chooses `base_url`, and
 * must not read the answers of another server there.
 */
export function messageIn(answer: EmailApiAnswer, message: string | null): string {
  return message === null ? `It answered ${answer.status}.` : `${answer.status} ${message}`;
}

export interface Reading {
  detail: string;
  code: string | null;
  /** The delay, when it is not in Retry-After. */
  waitMs?: number | null;
}

/** Maps a status to an outcome where the provider gives the status no meaning of its own. */
export function outcomeByStatus(answer: EmailApiAnswer, { detail, code, waitMs }: Reading): Outcome {
  const message = answer.status < 300 ? `${detail} It is not the answer that was to be expected.` : detail;
  const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], answer.at) ?? waitMs ?? null;
  return outcomeOfStatus(answer.status, { detail: message, code, retryAfterMs });
}

/** Checks a `base_url`; returns null when it can be used. */
export function baseUrlProblem(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text = String(value);
  const url = /\s/.test(text) || !URL.canParse(text) ? null : new URL(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) return 'must be an http or https URL';
  if (url.username || url.password) return 'must not carry a user name or password';
  return url.search || url.hash ? 'must not have a query or a fragment' : null;
}

/** The URL of an operation, on the provider's own host or on the host of `base_url`. */
export function urlUnder(base: string, path: string): string {
  return base.replace(/\/+$/, '') + path;
}

export const baseUrlField = {
  name: 'base_url',
  type: 'text',
  meaning: 'Another host than the usual one: that of a region, or a simulator.',
  required: false,
  max: 500,
} as const;
