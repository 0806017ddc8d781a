import { isTextWorthKeeping, textTask } from '../../channels/email/text.ts';
import { type Pool, statement } from '../../db/sql.ts';
import type { TaskRunner } from '../../kernel/threads/task.ts';
import type { DispatchFact } from './store.ts';

const storeAlternative = statement(
  'dispatch_store_text_alternative',
  'update notification_contents set text_alternative = $2 where notification_id = $1',
);

/**
 * The plain-text part of an email: what its author wrote, or else what the HTML says. What takes long to work out is kept, so that
 * further rounds, and people who look at it, have it at once; of the rest it would be a write more for every send.
 */
export async function textOfEmail(
  { pool, tasks }: { pool: Pool; tasks: TaskRunner },
  fact: DispatchFact,
): Promise<string> {
  const { id, html_body: html, text_body: text, text_alternative: kept } = fact;
  if (text !== null || html === null) return text ?? '';
  // A template that is rendered anew may say something else.
  const isSame = fact.template_version_id === null || fact.rendered_at !== null;
  if (kept !== null && isSame) return kept;
  const alternative = await tasks.run(textTask, fact.environment_id, html);
  if (isTextWorthKeeping(html)) await storeAlternative(pool, [id, alternative]);
  return alternative;
}
