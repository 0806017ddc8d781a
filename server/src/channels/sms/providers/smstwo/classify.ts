import type { ApiAnswer } from '../../../api.ts';
import type { Outcome } from '../../../contract.ts';
import { recordsIn, textIn } from '../../../json.ts';
import { outcomeOfCode } from '../../../outcomes.ts';
import { outcomeOfForeignAnswer } from '../../api.ts';
import { meaningOf } from './codes.ts';

/** The answer is 200 even when nothing was sent: each part of the message has a status of its own. */
export function classify(answer: ApiAnswer): Outcome {
  const { json, retryAfterMs } = answer;
  const parts = recordsIn(json, 'messages').filter(({ status }) => typeof status === 'string');
  const [first] = parts;
  if (!first) return outcomeOfForeignAnswer(answer);
  const refused = parts.filter(({ status }) => status !== '0');
  const [refusal] = refused;
  if (!refusal) {
    const providerMessageId = textIn(first, 'message-id');
    const detail = parts.length === 1 ? 'Accepted.' : `Accepted in ${parts.length} parts.`;
    return { kind: 'accepted', providerMessageId, detail, code: '0' };
  }
  const code = String(refusal.status);
  const detail = `status ${code} ${textIn(refusal, 'error-text') ?? ''}`;
  if (refused.length === parts.length) return outcomeOfCode(meaningOf(code), { detail, code, retryAfterMs });
  return {
    kind: 'ambiguous',
    detail: `${parts.length - refused.length} of ${parts.length} parts were accepted; the rest: ${detail}`,
    code,
  };
}
