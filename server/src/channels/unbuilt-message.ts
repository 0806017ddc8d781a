import { Problem } from '../kernel/errors.ts';
import type { Outcome } from './contract.ts';

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
