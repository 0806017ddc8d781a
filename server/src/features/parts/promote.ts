import type { Sql } from '../../db/sql.ts';
import { Problem } from '../../kernel/errors.ts';
import { lackingParts } from './graph.ts';
import { type PartPins, pinsFor } from './pins.ts';
import { hasContentOf, savePart } from './save.ts';
import type { PartKind, PartRow } from './store.ts';
import * as store from './store.ts';

export interface PromotedPart {
  kind: PartKind;
  key: string;
  status: 'added' | 'modified' | 'unchanged';
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
  const current = await store.listCurrent(tx, from);
  const lacking = lackingParts(current, uses);
  // In Live, such a template would fail with every send.
  if (lacking.length > 0 && now !== null)
    throw new Problem('parameter_invalid', `Test has no ${lacking.join(', no ')}, which the template needs.`);
  const needed = pinsFor(current, uses);
  const parts: PromotedPart[] = [];
  const changes: PartChange[] = [];
  if (needed && now !== null) await store.lockParts(tx, to);
  const names: [PartKind, string[]][] = needed
    ? [
        ['layout', Object.keys(needed.layouts)],
        ['partial', Object.keys(needed.partials)],
        ['translation', Object.keys(needed.translations)],
      ]
    : [];
  for (const [kind, keys] of names) {
    for (const key of keys.sort()) {
      const source = await store.findPart(tx, from, kind, key);
      if (!source) continue;
      const before = await store.findPart(tx, to, kind, key);
      if (before && before.channel !== source.channel)
        throw new Problem('parameter_invalid', `The layout ${key} of Live belongs to another channel.`);
      const isSame =
        before !== null && hasContentOf(before, source) && before.is_default === source.is_default;
      parts.push({ kind, key, status: before ? (isSame ? 'unchanged' : 'modified') : 'added' });
      if (isSame || now === null) continue;
      const { channel, content, keys: translationKeys, uses: used, is_default } = source;
      const next = { kind, key, channel, content, keys: translationKeys, uses: used, is_default };
      changes.push({ before, after: await savePart(tx, to, before, next, now) });
    }
  }
  return { pins: pinsFor(await store.listCurrent(tx, to), uses), parts, changes };
}
