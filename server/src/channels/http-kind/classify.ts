import type { ApiAnswer } from '../api.ts';
import { outcomeOfCode } from '../code-meaning.ts';
import type { Outcome, ProviderConfig } from '../contract.ts';
import { outcomeOfStatus } from '../outcomes.ts';
import { isPresentAt, textAt } from './pointer.ts';
import { errorClassOf, statusRanges, textOf } from './settings.ts';

export function isSuccessStatus(config: ProviderConfig, status: number): boolean {
  const ranges = statusRanges(textOf(config, 'success_statuses') ?? '200-299') ?? [];
  return ranges.some(([from, to]) => status >= from && status <= to);
}

/** Reads an answer by the rules of the settings; where they say nothing, the status has its usual meaning. */
export function classify(config: ProviderConfig, answer: ApiAnswer): Outcome {
  const { status, parsed, retryAfterMs } = answer;
  const at = (field: string): string | null => textAt(parsed, textOf(config, field));
  const code = at('error_code_pointer');
  const reading = { detail: detailOf(config, answer), code: code ?? String(status), retryAfterMs };
  if (isSuccessStatus(config, status)) {
    const pointer = textOf(config, 'success_pointer');
    const wanted = textOf(config, 'success_value');
    const found = textAt(parsed, pointer);
    const isMarked = pointer === null || (wanted === null ? isPresentAt(parsed, pointer) : found === wanted);
    const id = at('message_id_pointer');
    if (isMarked && (id !== null || !config.message_id_pointer))
      return {
        kind: 'accepted',
        providerMessageId: id,
        detail: `${status} ${id ?? ''}`,
        code: String(status),
      };
    // Without what a success has, a code or another value is a refusal. Anything else may be the page of a proxy.
    if (code !== null || (found !== null && !isMarked))
      return outcomeOfCode(errorClassOf(config, status, code) ?? 'rejected', reading);
    return {
      kind: 'ambiguous',
      detail: `${reading.detail} The response is not what a success looks like.`,
      code: reading.code,
    };
  }
  const meaning = errorClassOf(config, status, code);
  return meaning ? outcomeOfCode(meaning, reading) : outcomeOfStatus(status, { ...reading, code });
}

/** Only the text at the pointer is repeated: the URL may lead anywhere, and must not reveal what is there. */
export function detailOf(config: ProviderConfig, { status, parsed }: ApiAnswer): string {
  const message = textAt(parsed, textOf(config, 'error_message_pointer'));
  return message === null ? `The service returned ${status}.` : `${status} ${message}`;
}
