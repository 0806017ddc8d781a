import { assertNever } from '../kernel/errors.ts';
import type { Outcome } from './contract.ts';

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
