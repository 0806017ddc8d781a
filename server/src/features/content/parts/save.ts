import type { Sql } from '../../../db/sql.ts';
import { invalidParameter, Problem } from '../../../kernel/errors.ts';
import { isLoopHeld, yieldToEventLoop } from '../../../kernel/event-loop.ts';
import { newId } from '../../../kernel/ids.ts';
import { dependentsOf, partIndex, problemOf } from './graph.ts';
import type { NextPart } from './input.ts';
import { limits } from './schema.ts';
import type { PartKind, PartRow } from './store.ts';
import * as store from './store.ts';

const most: Record<PartKind, number> = {
  layout: limits.layouts,
  partial: limits.partials,
  translation: limits.translations,
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
  if ((await store.countParts(tx, environmentId, next.kind)) >= most[next.kind])
    throw new Problem(
      'part_limit_reached',
      `The environment has the maximum of ${most[next.kind]} ${next.kind}s. Delete one first.`,
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
    while (isLoopHeld()) await yieldToEventLoop();
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

export function hasContentOf(one: Pick<PartRow, 'content'>, other: Pick<PartRow, 'content'>): boolean {
  return JSON.stringify(sourcesOf(one)) === JSON.stringify(sourcesOf(other));
}

/** The compiled HTML follows from the source. */
function sourcesOf({ content }: Pick<PartRow, 'content'>): object {
  if (!('html_template' in content)) return content;
  return { html_template: content.html_template, text_template: content.text_template };
}
