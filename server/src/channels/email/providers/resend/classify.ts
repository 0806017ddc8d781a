import type { ApiAnswer } from '../../../api.ts';
import type { Outcome } from '../../../contract.ts';
import { textIn } from '../../../json.ts';
import { messageIn, outcomeByStatus } from '../../api.ts';

const dayMs = 86_400_000;

export function classify(answer: ApiAnswer): Outcome {
  const { status, json, headers, at, retryAfterMs } = answer;
  const name = textIn(json, 'name');
  const code = name ?? String(status);
  const detail = messageIn(answer, textIn(json, 'message'));
  const id = textIn(json, 'id');
  if (status >= 200 && status < 300 && id) {
    return { kind: 'accepted', providerMessageId: id, detail: `${status} ${id}`, code: String(status) };
  }
  switch (name) {
    case 'concurrent_idempotent_requests':
      // Resend is still processing an earlier call for this notification, so no other provider may be given it meanwhile.
      return { kind: 'ambiguous', detail, code };
    case 'invalid_idempotent_request':
      // Resend already has this notification with other content: the settings were changed between two attempts.
      return { kind: 'ambiguous', detail, code, unrepeatable: true };
    case 'resource_locked':
      return { kind: 'retry', detail, code };
    case 'monthly_quota_exceeded':
      return { kind: 'broken', detail, code };
    case 'daily_quota_exceeded':
      return {
        kind: 'throttled',
        detail,
        code,
        retryAfterMs: retryAfterMs ?? dayMs - (at % dayMs),
      };
  }
  const seconds = Number(headers['ratelimit-reset'] ?? Number.NaN);
  const waitMs = seconds > 0 ? Math.min(seconds * 1000, dayMs) : null;
  return outcomeByStatus(answer, { detail, code, waitMs });
}
