import type { Outcome } from '../../../contract.ts';
import { type EmailApiAnswer, messageIn, outcomeByStatus } from '../../api.ts';

/** `{"errors": [{"message", "field", "help"}]}`; null when there are none. */
function firstError({ json }: EmailApiAnswer): { message: string | null; field: string | null } | null {
  const errors = json?.errors;
  const [first] = Array.isArray(errors) ? (errors as unknown[]) : [];
  if (typeof first !== 'object' || first === null) return null;
  const { message, field } = first as { message?: unknown; field?: unknown };
  return {
    message: typeof message === 'string' ? message : null,
    field: typeof field === 'string' ? field : null,
  };
}

export function classify(answer: EmailApiAnswer): Outcome {
  const { status, headers, at } = answer;
  const error = firstError(answer);
  const detail = messageIn(answer, error?.message ?? null);
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
