import type { Sql } from '../../../db/sql.ts';
import { invalidParameter, Problem } from '../../../kernel/errors.ts';
import { shouldYield, yieldToEventLoop } from '../../../kernel/event-loop.ts';
import { newId } from '../../../kernel/ids.ts';
import { dependentsOf, partIndex, problemOf, resolveUses } from './graph.ts';
import type { NextPart } from './input.ts';
import { type PartPins, pinsFor } from './pins.ts';
import { partLimits } from './schema.ts';
import type { CurrentPart, PartKind, PartRow } from './store.ts';
import * as store from './store.ts';

const maxOfKind: Record<PartKind, number> = {
  layout: partLimits.layouts,
  partial: partLimits.partials,
  translation: partLimits.translations,
};

/** Writes a part as asked for: a new version only when its content differs. The caller holds the lock of the environment. */
export async function savePart(
  tx: Sql,
  environmentId: string,
  before: PartRow | null,
  next: NextPart,
  now: number,
): Promise<PartRow> {
  const wantsDefault =
    (await isOnlyLocale(tx, environmentId, before, next)) || (next.is_default ?? before?.is_default ?? false);
  if (wantsDefault && !before?.is_default)
    await store.clearDefault(tx, { environment_id: environmentId, kind: next.kind, channel: next.channel });
  if (before) {
    const isSame = hasContentOf(before, next);
    if (isSame && before.is_default === wantsDefault) return before;
    const after: PartRow = {
      ...before,
      ...next,
      is_default: wantsDefault,
      ...(isSame ? {} : { version: before.version + 1, current_version_id: newId(now) }),
    };
    if (!isSame) await store.insertVersion(tx, after);
    await store.updatePart(tx, after);
    return after;
  }
  if ((await store.countParts(tx, environmentId, next.kind)) >= maxOfKind[next.kind])
    throw new Problem(
      'part_limit_reached',
      `The environment has the maximum of ${maxOfKind[next.kind]} ${next.kind}s. Delete one first.`,
    );
  const made: PartRow = {
    ...next,
    id: newId(now),
    environment_id: environmentId,
    is_default: wantsDefault,
    current_version_id: newId(now),
    version: 1,
  };
  await store.insertPart(tx, made);
  await store.insertVersion(tx, made);
  return made;
}

/**
 * Throws a Problem when a part that was just saved, or what uses it, cannot be compiled any more. Templates of Live stay pinned to
 * what they have. The caller holds the lock of the environment.
 */
export async function checkDependents(
  tx: Sql,
  { environment_id, kind, key }: PartRow,
  { isLive, param }: { isLive: boolean; param: string },
): Promise<void> {
  if (kind === 'translation') return;
  const current = await store.listCurrent(tx, environment_id);
  const byUse = partIndex(current);
  const { parts, uses } = dependentsOf(current, { kind, key });
  const templates = isLive ? [] : await store.listTemplatesUsing(tx, environment_id, uses);
  const dependents = [
    ...parts.map((part) => ({ name: `${part.kind} ${part.key}`, uses: [`${part.kind}:${part.key}`] })),
    ...templates.map((template) => ({ name: `template ${template.key}`, uses: template.uses })),
  ];
  for (const dependent of dependents) {
    while (shouldYield()) await yieldToEventLoop();
    const problem = problemOf(byUse, dependent.uses);
    if (problem)
      throw invalidParameter(
        param,
        `With this change, the ${dependent.name} cannot be rendered: ${problem}.`,
      );
  }
}

/** The only locale is the one that others will be translated from. */
async function isOnlyLocale(
  tx: Sql,
  environmentId: string,
  before: PartRow | null,
  { kind }: NextPart,
): Promise<boolean> {
  if (kind !== 'translation') return false;
  return (await store.countParts(tx, environmentId, kind)) === (before ? 1 : 0);
}

function hasContentOf(one: Pick<PartRow, 'content'>, other: Pick<PartRow, 'content'>): boolean {
  return JSON.stringify(sourcesOf(one)) === JSON.stringify(sourcesOf(other));
}

/** The compiled HTML follows from the source. */
function sourcesOf({ content }: Pick<PartRow, 'content'>): object {
  if (!('html_template' in content)) return content;
  return { html_template: content.html_template, text_template: content.text_template };
}

interface PromotedPart {
  kind: PartKind;
  key: string;
  status: 'added' | 'modified' | 'unchanged' | 'removed';
}

/** A part that was written, for the audit log. */
export interface PartChange {
  before: PartRow | null;
  after: PartRow;
}

/**
 * Copies the parts that a template of Test uses to Live, and returns the versions to pin there. Other templates of Live keep the
 * versions that they are pinned to. With `now` null nothing is written, and the pins are those of Live as it is.
 */
export async function promoteParts(
  tx: Sql,
  { from, to, uses, now }: { from: string; to: string; uses: string[]; now: number | null },
): Promise<{ pins: PartPins | null; parts: PromotedPart[]; changes: PartChange[] }> {
  // One query for all of them: parts that are saved meanwhile must not meet their former users.
  const current = await store.listCurrent(tx, from);
  const needed = resolveUses(partIndex(current), uses).parts.sort(byName);
  const parts: PromotedPart[] = [];
  const changes: PartChange[] = [];
  if (now !== null) await store.lockParts(tx, to);
  for (const { kind, key, channel, is_default, uses: used, version_id } of needed) {
    const { content, keys } = await store.findContent(tx, version_id);
    const before = await store.findPart(tx, to, kind, key);
    if (before && before.channel !== channel)
      throw new Problem('parameter_invalid', `The layout ${key} of Live belongs to another channel.`);
    const isSame = before !== null && hasContentOf(before, { content }) && before.is_default === is_default;
    parts.push({ kind, key, status: before ? (isSame ? 'unchanged' : 'modified') : 'added' });
    if (isSame || now === null) continue;
    const next = { kind, key, channel, content, keys, uses: used, is_default };
    changes.push({ before, after: await savePart(tx, to, before, next, now) });
  }
  // What Test no longer has, such as a default layout or a locale, stays in Live for other templates.
  const names = new Set(needed.map(nameOf));
  const promoted = (await store.listCurrent(tx, to)).filter((part) => names.has(nameOf(part)));
  const problem = now === null ? null : problemOf(partIndex(promoted), uses);
  // In Live, such a template would fail with every send.
  if (problem) throw new Problem('parameter_invalid', `The template cannot be rendered in Live: ${problem}.`);
  return { pins: pinsFor(promoted, uses), parts, changes };
}

/** Lists what a template of Live was pinned to, and is not any more. */
export function removedParts(before: PartPins | null, parts: readonly PromotedPart[]): PromotedPart[] {
  if (before === null) return [];
  const names = new Set(parts.map(nameOf));
  const { layouts, partials, translations } = before;
  const pinned = Object.entries({ layout: layouts, partial: partials, translation: translations });
  return pinned
    .flatMap(([kind, versions]) =>
      Object.keys(versions).map((key) => ({ kind: kind as PartKind, key, status: 'removed' as const })),
    )
    .filter((part) => !names.has(nameOf(part)))
    .sort(byName);
}

const nameOf = ({ kind, key }: Pick<CurrentPart, 'kind' | 'key'>): string => `${kind} ${key}`;
const byName = (one: Pick<CurrentPart, 'kind' | 'key'>, other: Pick<CurrentPart, 'kind' | 'key'>): number =>
  nameOf(one) < nameOf(other) ? -1 : 1;
