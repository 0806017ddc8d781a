import type { Sql } from '../../db/sql.ts';
import type { Principal } from '../../http/principal.ts';
import { invalidParameter } from '../../kernel/errors.ts';
import { lackingParts, listCurrent, pinsFor } from '../parts/index.ts';
import type { TemplateContent } from './diff.ts';
import { noLayout, usesOfBodies } from './uses.ts';

export type Unpinned = Omit<TemplateContent, 'parts'>;

/**
 * Pins content to the current parts of a Live environment; in Test it follows them. Throws a Problem when a body names a layout
 * that its channel does not have, or a partial that does not exist. The caller holds the lock of the environment, so no part is
 * deleted in the meantime.
 */
export async function pinned(tx: Sql, principal: Principal, content: Unpinned): Promise<TemplateContent> {
  const { environmentId, environmentKind } = principal;
  const uses = usesOfBodies(content.bodies);
  const isTest = environmentKind === 'test';
  const named = content.bodies.filter(({ layout }) => layout !== undefined && layout !== noLayout);
  if (uses.length === 0) return { ...content, parts: null };
  const current = await listCurrent(tx, environmentId);
  for (const { layout, channel } of named) {
    const found = current.find(({ kind, key }) => kind === 'layout' && key === layout);
    if (found?.channel !== channel)
      throw invalidParameter('layout', `There is no layout ${layout} for the channel of the body.`);
  }
  const lacking = lackingParts(current, uses);
  if (lacking.length > 0) throw invalidParameter('bodies', `There is no ${lacking.join(', and no ')}.`);
  return { ...content, parts: isTest ? null : pinsFor(current, uses) };
}
