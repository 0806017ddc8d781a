import type { ApiAnswer } from '../../../api.ts';
import type { Outcome } from '../../../contract.ts';
import { recordsIn, textIn } from '../../../json.ts';
import { messageIn, outcomeByStatus } from '../../api.ts';

export function classify(answer: ApiAnswer): Outcome {
  const { status, headers, at, json } = answer;
  const [error = null] = recordsIn(json, 'errors');
  const detail = messageIn(answer, textIn(error, 'message'));
  const code = String(status);
  if (status === 202) {
    const id = headers['x-message-id'] ?? null;
    return { kind: 'accepted', providerMessageId: id, detail: '202 Accepted', code };
  }
  if (status < 300 && error) return { kind: 'rejected', detail, code };
  if (status === 451) return { kind: 'broken', detail, code }; // the account is in another region
  const resetAt = Number(headers['x-ratelimit-reset'] ?? Number.NaN) * 1000;
  const waitMs = resetAt > at ? resetAt - at : null;
  return outcomeByStatus(answer, { detail, code, waitMs });
}
