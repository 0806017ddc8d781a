import { Problem } from '../kernel/errors.ts';
import type { Outcome } from './contract.ts';

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
