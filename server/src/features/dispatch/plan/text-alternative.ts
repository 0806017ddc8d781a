import { isTextWorthKeeping, textTask } from '../../../channels/email/text.ts';
import { type Pool, statement } from '../../../db/sql.ts';
import { type TaskRunner, TaskStopped } from '../../../kernel/threads/task.ts';
import type { DispatchFact } from '../store.ts';

const storeAlternative = statement(
  'dispatch_store_text_alternative',
  'update notification_contents set text_alternative = $2 where notification_id = $1',
);

/** The plain-text part of an email as its author wrote it; null when it is to be made from the HTML. */
export function authoredText({ html_body: html, text_body: text }: DispatchFact): string | null {
  return html === null ? (text ?? '') : text;
}

/**
 * The plain-text part made from the HTML. A slow conversion is stored, so that later rounds and viewers get it immediately;
 * storing every fast one would add a write to each send. Returns TaskStopped when the conversion takes too long.
 */
export async function textAlternative(
  { pool, tasks }: { pool: Pool; tasks: TaskRunner },
  fact: DispatchFact,
): Promise<string | TaskStopped> {
  const { id, html_body: html, text_alternative: kept } = fact;
  if (html === null) return '';
  // A template that is rendered again may give another text.
  const isSame = fact.template_version_id === null || fact.rendered_at !== null;
  if (kept !== null && isSame) return kept;
  let alternative: string;
  try {
    alternative = await tasks.run(textTask, fact.environment_id, html);
  } catch (error) {
    if (error instanceof TaskStopped) return error;
    throw error;
  }
  if (isTextWorthKeeping(html)) await storeAlternative(pool, [id, alternative]);
  return alternative;
}
