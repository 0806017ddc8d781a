import { isRecord } from '../../kernel/record.ts';
import type { OutboundAnswer } from '../http.ts';
import { withoutSecrets } from '../secrets.ts';

/** What providers of text messages answer, as far as it is the same for all of them. */

const maxWords = 300;

/** A provider's own words: one line of bounded length, and without the credentials that it may repeat. */
export function words(text: unknown, secrets: readonly string[]): string {
  if (typeof text !== 'string') return '';
  return withoutSecrets(text, secrets)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, maxWords);
}

/** The object that the body holds; null when it is anything else: an error page, nothing, half of it. */
export function jsonOf({ body }: Pick<OutboundAnswer, 'body'>): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return isRecord(parsed) ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
