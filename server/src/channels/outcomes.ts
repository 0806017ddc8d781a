import { assertNever, Problem } from '../kernel/errors.ts';
import type { Outcome } from './contract.ts';
import type { OutboundAnswer, OutboundFailure } from './http.ts';

interface StatusReading {
  detail: string;
  /** The provider's own code. Null when the status is all there is. */
  code: string | null;
  retryAfterMs: number | null;
}

/** Maps a status to an outcome where the provider gives the status no meaning of its own. */
export function outcomeOfStatus(status: number, { detail, code, retryAfterMs }: StatusReading): Outcome {
  const message = { detail, code: code ?? String(status) };
  if (status === 429) return { kind: 'throttled', ...message, retryAfterMs };
  // An unreadable success: a server accepted the request, but it may not be the provider.
  if (status < 300) return { kind: 'ambiguous', ...message };
  if (status < 400) return { kind: 'broken', ...message, detail: `${detail} Redirects are not followed.` };
  if (status === 401 || status === 402 || status === 403) return { kind: 'broken', ...message };
  if (status === 408 || status === 425) return { kind: 'retry', ...message };
  // A gateway that timed out waiting for the provider does not know whether the message was accepted.
  if (status === 504) return { kind: 'ambiguous', ...message };
  if (status >= 500) return { kind: 'retry', ...message, retryAfterMs };
  return { kind: 'rejected', ...message };
}

/**
 * The outcome of a message that could not be built for the provider. A Problem of the message or of the settings (a header, a
 * template) is final; anything else is ours, such as a thread that ended or a service that stops, and passes.
 */
export function unbuiltMessage(error: unknown, code: string): Outcome {
  const reason = error instanceof Error ? error.message : String(error);
  const detail = `The message cannot be built: ${reason}`;
  if (error instanceof Problem && error.status === 400) return { kind: 'rejected', detail, code };
  return { kind: 'retry', detail, code: 'internal', internal: true };
}

/** The status alone makes an answer a refusal, even when its body was cut off. */
export function wholeRefusal(answer: OutboundAnswer | OutboundFailure): OutboundAnswer | OutboundFailure {
  if (answer.kind === 'answer' || answer.status === null || answer.status < 400) return answer;
  return answerSoFar(answer, answer.status);
}

/**
 * The answer as far as it came, when its status says that the request was accepted: a connection that closes within the body does
 * not take that back. A web page may come from anybody. Null for every other answer.
 */
export function cutSuccess(answer: OutboundAnswer | OutboundFailure): OutboundAnswer | null {
  if (answer.kind === 'answer' || answer.failure !== 'closed') return null;
  if (answer.status === null || answer.status < 200 || answer.status > 299) return null;
  return String(answer.headers['content-type']).includes('html') ? null : answerSoFar(answer, answer.status);
}

function answerSoFar({ headers, body, latencyMs }: OutboundFailure, status: number): OutboundAnswer {
  return { kind: 'answer', status, headers, body, latencyMs };
}

/**
 * The outcome of a message without a complete answer. If the request never arrived it is simply made again; if it may have
 * taken effect, the outcome is ambiguous.
 */
export function lostAnswer({ failure, detail, reached, status }: OutboundFailure): Outcome {
  const code = status === null ? failure : String(status);
  // Neither error is transient: the settings name such an address, or such a key.
  if (failure === 'blocked' || failure === 'invalid') return { kind: 'broken', detail, code };
  return { kind: reached ? 'ambiguous' : 'retry', detail, code };
}

/** The meaning of a provider's error code, whether the code is in an answer or in a receipt. */
export type CodeMeaning =
  | 'retry'
  | 'throttled'
  | 'rejected'
  | 'broken'
  | 'unreachable' // this address receives nothing: suppress it
  | 'unsubscribed';

export function outcomeOfCode(
  meaning: CodeMeaning,
  { detail, code, retryAfterMs }: { detail: string; code: string; retryAfterMs: number | null },
): Outcome {
  switch (meaning) {
    case 'retry':
    case 'throttled':
      return { kind: meaning, detail, code, retryAfterMs };
    case 'rejected':
    case 'broken':
      return { kind: meaning, detail, code };
    case 'unreachable':
      return { kind: 'suppress', detail, code, reason: 'hard_bounce' };
    case 'unsubscribed':
      return { kind: 'suppress', detail, code, reason: 'unsubscribed' };
    default:
      return assertNever(meaning);
  }
}
