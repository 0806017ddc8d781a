import type { ApiAnswer } from '../../../api.ts';
import type { Outcome } from '../../../contract.ts';
import { textIn } from '../../../json.ts';
import { messageIn, outcomeByStatus } from '../../api.ts';

/** Codes whose meaning differs from that of their status (422 for nearly all of them). */
const broken = new Set([10, 400, 401, 405, 412, 413]);
const later = new Set([100]);

export function classify(answer: ApiAnswer): Outcome {
  const { status, json } = answer;
  const errorCode = typeof json?.ErrorCode === 'number' ? json.ErrorCode : null;
  const code = errorCode === null ? String(status) : `${status} ${errorCode}`;
  const detail = messageIn(answer, textIn(json, 'Message'));
  if (status === 200 && errorCode === 0) {
    return { kind: 'accepted', providerMessageId: textIn(json, 'MessageID'), detail, code };
  }
  // A 403 without a Postmark code comes from an intermediary, such as a network filter.
  if (status === 403 && errorCode === null) return { kind: 'retry', detail, code };
  if (errorCode === null || status === 429 || status >= 500) {
    return outcomeByStatus(answer, { detail, code });
  }
  if (errorCode === 429) return { kind: 'throttled', detail, code, retryAfterMs: null };
  if (errorCode === 406) return { kind: 'suppress', detail, code, reason: 'hard_bounce' };
  if (broken.has(errorCode) || status === 401) return { kind: 'broken', detail, code };
  if (later.has(errorCode)) return { kind: 'retry', detail, code };
  return { kind: 'rejected', detail, code };
}
