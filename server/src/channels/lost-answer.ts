import type { Outcome } from './contract.ts';
import type { OutboundAnswer, OutboundFailure } from './http.ts';

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
