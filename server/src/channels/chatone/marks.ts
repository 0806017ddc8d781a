import { isRecord } from '../../kernel/record.ts';
import { unmarkText } from '../../templating/marks.ts';
import { escaped } from './payload.ts';

/**
 * Resolves the marks around data in a rendered template. Where the service reads markup they become entities, so `<!channel>`
 * or a link in the data stays text; everywhere else (addresses, plain text) they become the original characters.
 */
export function settledMarks(value: unknown): unknown {
  if (typeof value === 'string') return unmarkText(value, (character) => character);
  if (Array.isArray(value)) return value.map(settledMarks);
  if (!isRecord(value)) return value;
  const isMarkup = value.type === 'mrkdwn' || value.type === 'markdown';
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isMarkup && name === 'text' && typeof inner === 'string'
        ? unmarkText(inner, escaped)
        : settledMarks(inner),
    ]),
  );
}
