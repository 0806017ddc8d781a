import { lockEnvironment } from '../../../db/lock-environment.ts';
import type { Sql } from '../../../db/sql.ts';
import type { Caller } from '../../../http/principal.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import { type PartChange, partAuditViewOf, pinsKey, promoteParts, removedParts } from '../parts/index.ts';
import { diffTemplates, type TemplateContent } from './diff.ts';
import { insertTemplate, lockTemplate, saveTemplate } from './save.ts';
import type { TemplatePromotion } from './schema.ts';
import { findTemplate, type TemplateRow } from './store.ts';
import { usesOfBodies } from './uses.ts';
import { auditViewOf } from './view.ts';

interface PromotedTemplate {
  diff: TemplatePromotion['template_diff'];
  before: TemplateRow | null;
  /** Null when nothing was written. */
  after: TemplateRow | null;
  partChanges: PartChange[];
}

/**
 * Makes the template of the target environment equal to this one, with the parts that it uses; with `now` null, only the diff is
 * computed.
 */
export async function promoteTemplate(
  tx: Sql,
  source: TemplateRow,
  environmentId: string,
  now: number | null,
): Promise<PromotedTemplate> {
  const { key } = source;
  // Always before the lock of a template, so that changes cannot deadlock.
  if (now !== null) await lockEnvironment(tx, environmentId);
  const { pins, parts, changes } = await promoteParts(tx, {
    from: source.environment_id,
    to: environmentId,
    uses: usesOfBodies(source.bodies),
    now,
  });
  const content: TemplateContent = {
    name: source.name,
    bodies: source.bodies,
    push: source.push,
    parts: pins,
  };
  const diffWith = (before: TemplateRow | null): TemplatePromotion['template_diff'] => {
    const diff = diffTemplates(key, before, content);
    const isSame =
      diff.status === 'unchanged' &&
      parts.every(({ status }) => status === 'unchanged') &&
      pinsKey(before?.parts ?? null) === pinsKey(pins);
    return {
      ...diff,
      status: diff.status === 'unchanged' && !isSame ? 'modified' : diff.status,
      parts: [...parts, ...removedParts(before?.parts ?? null, parts)],
    };
  };
  const found = await findTemplate(tx, environmentId, key, null);
  if (now === null) return { diff: diffWith(found), before: found, after: null, partChanges: changes };

  const before = found && (await lockTemplate(tx, found));
  const diff = diffWith(before);
  if (diff.status === 'unchanged') return { diff, before, after: null, partChanges: changes };
  const after = before
    ? await saveTemplate(tx, before, content, now)
    : await insertTemplate(tx, { environmentId, key }, content, now);
  if (!after) throw new Error('a template was created in a locked environment');
  return { diff, before, after, partChanges: changes };
}

export async function recordPromotion(
  tx: Sql,
  caller: Caller,
  environmentId: string,
  { before, after, partChanges }: PromotedTemplate,
): Promise<void> {
  const callerInLive = { ...caller, principal: { ...caller.principal, environmentId } };
  for (const change of partChanges) {
    const { kind, id } = change.after;
    await recordAudit(tx, callerInLive, {
      action: `${kind}.promoted`,
      target: `${kind}:${id}`,
      before: change.before && partAuditViewOf(change.before),
      after: partAuditViewOf(change.after),
    });
  }
  if (!after) return;
  await recordAudit(tx, callerInLive, {
    action: 'template.promoted',
    target: `template:${after.id}`,
    before: before && auditViewOf(before),
    after: auditViewOf(after),
  });
}
