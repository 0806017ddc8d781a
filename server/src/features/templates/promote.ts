import type { Sql } from '../../db/sql.ts';
import { diffTemplates } from './diff.ts';
import { insertTemplate, lockTemplate, saveTemplate } from './save.ts';
import type { TemplatePromotion } from './schema.ts';
import { findTemplate, type TemplateRow } from './store.ts';

export interface PromotedTemplate {
  diff: TemplatePromotion['template_diff'];
  before: TemplateRow | null;
  /** Null when nothing was written. */
  after: TemplateRow | null;
}

/** Makes the template of the target environment equal to this one; with `now` null, only the diff is computed. */
export async function promoteTemplate(
  tx: Sql,
  source: TemplateRow,
  environmentId: string,
  now: number | null,
): Promise<PromotedTemplate> {
  const { key } = source;
  const content = { name: source.name, bodies: source.bodies };
  const found = await findTemplate(tx, environmentId, key, null);
  if (now === null) return { diff: diffTemplates(key, found, content), before: found, after: null };

  const before = found && (await lockTemplate(tx, found));
  const diff = diffTemplates(key, before, content);
  if (diff.status === 'unchanged') return { diff, before, after: null };
  const after = before
    ? await saveTemplate(tx, before, content, now)
    : await insertTemplate(tx, { environmentId, key }, content, now);
  // A template was created concurrently: the second call compares with it.
  return after ? { diff, before, after } : promoteTemplate(tx, source, environmentId, now);
}
