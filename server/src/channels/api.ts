import { sha256 } from '../kernel/crypto.ts';
import { isRecord, type JsonRecord } from '../kernel/json.ts';
import type { Message, Outcome, ProviderCarrier, VerificationResult } from './contract.ts';
import { shownText } from './exchange.ts';
import { type OutboundAnswer, type OutboundCall, type OutboundFailure, parseRetryAfter } from './http.ts';
import { jsonIn } from './json.ts';
import { cutSuccess, lostAnswer, unbuiltMessage, wholeRefusal } from './outcomes.ts';
import type { ProviderContext } from './provider.ts';

/** The common part of providers with an HTTP API: the call, and an outcome that is fit to be shown. */
export type ApiContext = Pick<ProviderContext, 'outbound' | 'clock' | 'tasks' | 'timeoutMs'>;

export type ApiRequest = Pick<OutboundCall, 'method' | 'url' | 'headers' | 'body'>;

export interface ApiAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string | undefined>;
  /** The body, when it is a JSON object. */
  json: JsonRecord | null;
  /** The body, when it is JSON of any type; otherwise undefined. */
  parsed: unknown;
  /** The beginning of the body, in one line. */
  text: string;
  /** The time at which the answer arrived. */
  at: number;
  /** The delay in Retry-After; null when there is none. */
  retryAfterMs: number | null;
}

export interface ProviderApi<Sent extends Message> {
  name: string;
  kind: string;
  /** The settings that identify an account of this kind; carriers that share all of them share the provider's limits. */
  account: readonly string[];
  /** Secrets are never shown, even if the provider repeats them. */
  secrets: readonly string[];
  /** The provider recognizes a message that it was given before. */
  idempotent: boolean;
  /** The limit for handing over a message, from the DNS lookup to the last byte. */
  timeoutMs: number;
  /** Throws a Problem when the message or the settings are the reason that no request can be made. */
  request(message: Sent): ApiRequest | Promise<ApiRequest>;
  classify(answer: ApiAnswer): Outcome;
  /** The body of a successful answer says whether the message was accepted: without the whole of it, that is unknown. */
  bodyDecides?: boolean;
  /** A call that checks the credentials and sends nothing, and the judgement of its answer. */
  check: { request(): ApiRequest; judge(answer: ApiAnswer): VerificationResult };
}

const verifyTimeoutMs = 5_000;
const maxAnswerBytes = 65_536;
const maxCode = 100;

export function createApiCarrier<Sent extends Message>(
  api: ProviderApi<Sent>,
  { outbound, clock, timeoutMs = api.timeoutMs }: ApiContext,
): ProviderCarrier {
  const { secrets } = api;
  const call = async (request: ApiRequest, limitMs: number, signal?: AbortSignal) => {
    const headers = { accept: 'application/json', ...request.headers };
    const limits = { timeoutMs: limitMs, maxBytes: maxAnswerBytes, ...(signal ? { signal } : {}) };
    return wholeRefusal(await outbound.request({ ...request, headers, secrets, ...limits }));
  };
  const read = (answer: OutboundAnswer): ApiAnswer => readAnswer(answer, clock(), secrets);

  function outcomeOfCut(failure: OutboundFailure): Outcome {
    const cut = api.bodyDecides ? null : cutSuccess(failure);
    if (!cut) return lostAnswer(failure);
    // What came may be enough for the id of the message.
    const outcome = api.classify(read(cut));
    if (outcome.kind !== 'ambiguous') return outcome;
    const detail = `The service returned ${cut.status}, and the connection closed within the response.`;
    return { kind: 'accepted', providerMessageId: null, detail, code: String(cut.status) };
  }

  return {
    name: api.name,
    kind: api.kind,
    idempotent: api.idempotent,
    rateLimitKey: `${api.kind}:${sha256(JSON.stringify(api.account)).toString('hex').slice(0, 24)}`,
    async send(message: Sent, signal) {
      let request: ApiRequest;
      try {
        request = await api.request(message);
      } catch (error) {
        return shownOutcome(unbuiltMessage(error, 'message'), secrets);
      }
      const answer = await call(request, timeoutMs, signal);
      const outcome = answer.kind === 'answer' ? api.classify(read(answer)) : outcomeOfCut(answer);
      return shownOutcome(outcome, secrets);
    },
    async verify() {
      const answer = await call(api.check.request(), Math.min(timeoutMs, verifyTimeoutMs));
      const { ok, detail } =
        answer.kind === 'answer' ? api.check.judge(read(answer)) : { ok: false, detail: answer.detail };
      return { ok, detail: shownText(detail, secrets) };
    },
    close: async () => {},
  };
}

function readAnswer(answer: OutboundAnswer, at: number, secrets: readonly string[]): ApiAnswer {
  const body = answer.body.toString('utf8');
  const parsed = jsonIn(body);
  const headers = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
  return {
    status: answer.status,
    headers,
    json: isRecord(parsed) ? parsed : null,
    parsed,
    text: shownText(body, secrets),
    at,
    retryAfterMs: parseRetryAfter(headers['retry-after'], at),
  };
}

function shownOutcome(outcome: Outcome, secrets: readonly string[]): Outcome {
  const shown = {
    ...outcome,
    detail: shownText(outcome.detail, secrets),
    code: outcome.code ? shownText(outcome.code, secrets).slice(0, maxCode) : null,
  };
  if (shown.kind !== 'accepted' || shown.providerMessageId === null) return shown;
  return { ...shown, providerMessageId: shownText(shown.providerMessageId, secrets) };
}
