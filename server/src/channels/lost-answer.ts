import type { Outcome } from './contract.ts';
import type { OutboundAnswer, OutboundFailure } from './http.ts';

/** The status alone makes an answer a refusal, even when its body was cut off. */
export function wholeRefusal(answer: OutboundAnswer | OutboundFailure): OutboundAnswer | OutboundFailure {
  if (answer.kind === 'answer' || answer.status === null || answer.status < 400) return answer;
  const { status, body, latencyMs } = answer;
  return { kind: 'answer', status, headers: {}, body, latencyMs };
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
