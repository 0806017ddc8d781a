import type { Outcome } from '../contract.ts';
import type { Answer, Failure } from '../http.ts';
import { lostAnswer } from '../lost-answer.ts';
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
export function jsonOf({ body }: Pick<Answer, 'body'>): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? (parsed as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** No answer, or no whole one. A refusal is one by its status alone. */
export function failureOutcome(failure: Failure): Outcome {
  const { status, detail } = failure;
  return status !== null && status >= 400 ? statusOutcome(status, detail, null) : lostAnswer(failure);
}

/** An answer of which only the status can be understood. */
export function statusOutcome(status: number, detail: string, retryAfterMs: number | null): Outcome {
  const code = String(status);
  if (status === 401 || status === 403) return { kind: 'broken', detail, code };
  if (status === 429) return { kind: 'throttled', detail, code, retryAfterMs };
  // A gateway that gave up waiting cannot know whether the service behind it did the work.
  if (status === 504) return { kind: 'ambiguous', detail, code };
  if (status >= 500) return { kind: 'retry', detail, code, retryAfterMs };
  if (status >= 400) return { kind: 'rejected', detail, code };
  if (status >= 300) return { kind: 'broken', detail: `${detail} Redirects are not followed.`, code };
  // A success that cannot be read: somebody took it, and nobody can say who.
  return { kind: 'ambiguous', detail, code };
}
