import type { Sql } from '../../../db/sql.ts';
import { Problem } from '../../../kernel/errors.ts';
import { partIndex, problemOf, resolveUses } from './graph.ts';
import { type PartPins, pinsFor } from './pins.ts';
import { hasContentOf, savePart } from './save.ts';
import type { CurrentPart, PartKind, PartRow } from './store.ts';
import * as store from './store.ts';

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
