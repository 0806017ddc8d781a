import type { Sql } from '../../../db/sql.ts';
import type { Principal } from '../../../http/principal.ts';
import { invalidParameter } from '../../../kernel/errors.ts';
import { type CurrentPart, listCurrent, partIndex, pinsFor, problemOf } from '../parts/index.ts';
import type { BodyFields } from './bodies.ts';
import type { TemplateContent } from './diff.ts';
import { noLayout, usesOfBodies } from './uses.ts';

export type Unpinned = Omit<TemplateContent, 'parts'>;

/**
 * Pins content to the current parts of a Live environment; in Test it follows them. Throws a Problem when a body names a layout
 * that its channel does not have, or when it could not be compiled with the parts that there are. The caller holds the lock of the
 * environment, so no part changes in the meantime.
 */
export async function pinned(tx: Sql, principal: Principal, content: Unpinned): Promise<TemplateContent> {
  const { environmentId, environmentKind } = principal;
  const uses = usesOfBodies(content.bodies);
  const isTest = environmentKind === 'test';
  if (uses.length === 0) return { ...content, parts: null };
  const current = await listCurrent(tx, environmentId);
  requireLayouts(current, content.bodies);
  const problem = problemOf(partIndex(current), uses);
  if (problem) throw invalidParameter('bodies', `The template cannot be rendered: ${problem}.`);
  return { ...content, parts: isTest ? null : pinsFor(current, uses) };
}

/** Throws a Problem when a body names a layout that its channel does not have. */
export function requireLayouts(current: readonly CurrentPart[], bodies: readonly BodyFields[]): void {
  for (const { layout, channel } of bodies) {
    if (layout === undefined || layout === noLayout) continue;
    const found = current.find(({ kind, key }) => kind === 'layout' && key === layout);
    if (found?.channel !== channel)
      throw invalidParameter('layout', `There is no layout ${layout} for the channel of the body.`);
  }
}
