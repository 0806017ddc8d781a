import type { ApiAnswer } from '../../../api.ts';
import type { Outcome } from '../../../contract.ts';
import { textIn } from '../../../json.ts';
import { outcomeOfCode, outcomeOfStatus } from '../../../outcomes.ts';
import { outcomeOfForeignAnswer } from '../../api.ts';
import { knownCodes, longWaitMs } from './codes.ts';

export function classify(answer: ApiAnswer): Outcome {
  const { status, json, retryAfterMs } = answer;
  const isSuccess = status >= 200 && status < 300;
  const number = isSuccess ? json?.error_code : json?.code;
  if (isSuccess && typeof json?.sid === 'string' && typeof number !== 'number') {
    return {
      kind: 'accepted',
      providerMessageId: json.sid,
      detail: `Accepted (${textIn(json, 'status') ?? 'queued'}).`,
      code: String(status),
    };
  }
  if (typeof number !== 'number' || !Number.isInteger(number)) return outcomeOfForeignAnswer(answer);
  const code = String(number);
  const message = textIn(json, isSuccess ? 'error_message' : 'message') ?? '';
  const meaning = knownCodes.get(number);
  const waitMs = retryAfterMs ?? longWaitMs[number] ?? null;
  if (meaning) return outcomeOfCode(meaning, { detail: `${number} ${message}`, code, retryAfterMs: waitMs });
  const detail = `${status}, code ${number} ${message}`;
  if (isSuccess) return { kind: 'rejected', detail, code };
  return outcomeOfStatus(status, { detail, code, retryAfterMs });
}
