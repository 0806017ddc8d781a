import type { Outcome } from './contract.ts';

export interface StatusReading {
  detail: string;
  /** The provider's own; null: the status is all that there is. */
  code: string | null;
  retryAfterMs: number | null;
}

/** The meaning of a status where the provider gives it no meaning of its own. */
export function outcomeOfStatus(status: number, { detail, code, retryAfterMs }: StatusReading): Outcome {
  const message = { detail, code: code ?? String(status) };
  if (status === 429) return { kind: 'throttled', ...message, retryAfterMs };
  // A success that cannot be read: somebody took it, and nobody can say who.
  if (status < 300) return { kind: 'ambiguous', ...message };
  if (status < 400) return { kind: 'broken', ...message, detail: `${detail} Redirects are not followed.` };
  if (status === 401 || status === 402 || status === 403) return { kind: 'broken', ...message };
  if (status === 408 || status === 425) return { kind: 'retry', ...message };
  // A gateway that waited for the provider in vain does not know what became of the message.
  if (status === 504) return { kind: 'ambiguous', ...message };
  if (status >= 500) return { kind: 'retry', ...message, retryAfterMs };
  return { kind: 'rejected', ...message };
}
