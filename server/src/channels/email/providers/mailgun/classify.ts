import type { ApiAnswer } from '../../../api.ts';
import type { Outcome } from '../../../contract.ts';
import { textIn } from '../../../json.ts';
import { messageIn, outcomeByStatus } from '../../api.ts';

const unitMs: Partial<Record<string, number>> = { second: 1_000, minute: 60_000, hour: 3_600_000 };

/** Mailgun puts the delay into the sentence, not into a header. */
function waitIn(message: string): number | null {
  const [, count, unit = ''] = /\b(\d{1,5}) ?(second|minute|hour)s?\b/i.exec(message) ?? [];
  const ms = unitMs[unit.toLowerCase()];
  return count && ms ? Math.min(Number(count) * ms, 86_400_000) : null;
}

export function classify(answer: ApiAnswer): Outcome {
  const { status, json } = answer;
  const code = String(status);
  const message = textIn(json, 'message');
  // The answer to a wrong key is not in Mailgun's usual form.
  const detail = messageIn(answer, message ?? (status === 401 ? 'Forbidden' : null));
  const id = textIn(json, 'id');
  if (status === 200 && id) return { kind: 'accepted', providerMessageId: id, detail, code };
  // The account or the domain is at fault, not the message: unverified, a sandbox, not activated, or no such domain.
  if (
    status === 404 ||
    (status === 400 && /not allowed to send|domain .*(unverified|disabled)/i.test(detail))
  )
    return { kind: 'broken', detail, code };
  return outcomeByStatus(answer, { detail, code, waitMs: waitIn(message ?? answer.text) });
}
