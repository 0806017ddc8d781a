import type { Channel } from '../../../channels/contract.ts';
import type { BodyField } from '../../../channels/template-rule.ts';
import { lockEnvironment } from '../../../db/locks.ts';
import type { Sql } from '../../../db/sql.ts';
import type { Caller } from '../../../http/principal.ts';
import { recordAudit } from '../../platform/audit/index.ts';
import { type PartChange, partAuditViewOf, pinsKey, promoteParts, removedParts } from '../parts/index.ts';
import { type BodyFields, findBody, newBody, sortBodies } from './bodies.ts';
import { insertTemplate, lockTemplate, saveTemplate } from './save.ts';
import type { Change, TemplatePromotion } from './schema.ts';
import { findTemplate, type TemplateContent, type TemplateRow } from './store.ts';
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

/** Returns null when the caller's environment has no such template. With `now` null, only the diff is computed. */
export async function promoteTemplateWithin(
  tx: Sql,
  caller: Caller,
  key: string,
  target: { environmentId: string; now: number | null },
): Promise<{ diff: TemplatePromotion['template_diff']; channels: ReadonlySet<Channel> } | null> {
  const source = await findTemplate(tx, caller.principal.environmentId, key, null);
  if (!source) return null;
  const promoted = await promoteTemplate(tx, source, target.environmentId, target.now);
  await recordPromotion(tx, caller, target.environmentId, promoted);
  return { diff: promoted.diff, channels: new Set(source.bodies.map(({ channel }) => channel)) };
}

/** Returns the changes that a promotion of `next` makes to `before`, which is null when there is no template yet. */
function diffTemplates(
  key: string,
  before: TemplateContent | null,
  next: TemplateContent,
): Omit<TemplatePromotion['template_diff'], 'parts'> {
  const bodies = sortBodies([
    ...next.bodies,
    ...(before?.bodies ?? []).filter((body) => !findBody(next.bodies, body.channel, body.locale)),
  ]).map(({ channel, locale }) =>
    diffBodies(
      findBody(before?.bodies ?? [], channel, locale),
      findBody(next.bodies, channel, locale),
      newBody(channel, locale, {}),
    ),
  );
  const name = before ? (before.name === next.name ? 'unchanged' : 'modified') : 'added';
  const push = diffText(pushText(before), pushText(next));
  const isSame =
    name === 'unchanged' && push === 'unchanged' && bodies.every(({ status }) => status === 'unchanged');
  return { key, status: before ? (isSame ? 'unchanged' : 'modified') : 'added', name, push, bodies };
}

function diffBodies(before: BodyFields | undefined, next: BodyFields | undefined, none: BodyFields) {
  const change = (field: BodyField): Change => diffText((before ?? none)[field], (next ?? none)[field]);
  const fields = {
    subject: change('subject_template'),
    text: change('text_template'),
    html: change('html_template'),
    structured: change('structured_template'),
  };
  const layout = diffText(before?.layout ?? '', next?.layout ?? '');
  const isSame = [layout, ...Object.values(fields)].every((each) => each === 'unchanged');
  const status: Change = !before ? 'added' : !next ? 'removed' : isSame ? 'unchanged' : 'modified';
  return { channel: none.channel, locale: none.locale, status, ...fields, layout };
}

function diffText(before: string, next: string): Change {
  if (before === next) return 'unchanged';
  if (before === '') return 'added';
  return next === '' ? 'removed' : 'modified';
}

function pushText(content: TemplateContent | null): string {
  return content?.push ? `${content.push.mode} ${content.push.after_seconds}` : '';
}
