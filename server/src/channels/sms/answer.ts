import { isRecord } from '../../kernel/record.ts';
import type { OutboundAnswer } from '../http.ts';
import { withoutSecrets } from '../secrets.ts';

/** The common part of the answers of text message providers. */

const maxWords = 300;

/** A provider's own text: one line of bounded length, without the credentials that it may repeat. */
export function words(text: unknown, secrets: readonly string[]): string {
  if (typeof text !== 'string') return '';
  return withoutSecrets(text, secrets)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, maxWords);
}

/** Returns the JSON object in the body; null when the body is anything else: an error page, empty, cut off. */
export function jsonOf({ body }: Pick<OutboundAnswer, 'body'>): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return isRecord(parsed) ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
