import type { Outcome } from './contract.ts';
import type { OutboundAnswer, OutboundFailure } from './http.ts';

/** A refusal is one by its status alone, also when its body broke off. */
export function wholeRefusal(answer: OutboundAnswer | OutboundFailure): OutboundAnswer | OutboundFailure {
  if (answer.kind === 'answer' || answer.status === null || answer.status < 400) return answer;
  const { status, body, latencyMs } = answer;
  return { kind: 'answer', status, headers: {}, body, latencyMs };
}

/**
 * What it means for a message that no complete answer came. If the request never got there it is simply made again; if it may
 * have been acted upon, nobody knows.
 */
export function lostAnswer({ failure, detail, reached, status }: OutboundFailure): Outcome {
  const code = status === null ? failure : String(status);
  // Neither gets better by itself: it is the settings that name such an address, or such a key.
  if (failure === 'blocked' || failure === 'invalid') return { kind: 'broken', detail, code };
  return { kind: reached ? 'ambiguous' : 'retry', detail, code };
}
