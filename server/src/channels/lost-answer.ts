import type { Outcome } from './contract.ts';
import type { Failure } from './http.ts';

/**
 * What it means for a message that no complete answer came. If the request never got there it is simply made again; if it may
 * have been acted upon, nobody knows. An answer that had begun with a refusal is one.
 */
export function lostAnswer({ failure, detail, reached, status }: Failure): Outcome {
  const code = status === null ? failure : String(status);
  if (failure === 'blocked') return { kind: 'broken', detail, code };
  if (!reached || (status !== null && status >= 500)) return { kind: 'retry', detail, code };
  return { kind: 'ambiguous', detail, code };
}
