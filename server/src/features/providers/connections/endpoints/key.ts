import { isUuid } from '../../../../kernel/ids.ts';
import { pattern } from '../../../../kernel/patterns.ts';

export const keyPattern = pattern(
  '^[a-z0-9][a-z0-9_-]{0,99}$',
  '1 to 100 of a–z, 0–9, “_” and “-”, the first a letter or a digit',
);
const maxSlug = 60;

/** A label as a key: `Ops & Alerts` becomes `ops-alerts`. A label without usable letters becomes `otherwise`. */
export function slugOf(label: string, otherwise: string): string {
  const slug = label
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxSlug)
    .replace(/^-+|-+$/g, '');
  return slug === '' || isUuid(slug) ? otherwise : slug;
}

/** Returns the slug when it is free, else the slug with `-2`, `-3` … */
export function freeKey(slug: string, taken: ReadonlySet<string>): string {
  let key = slug;
  for (let number = 2; taken.has(key); number += 1) key = `${slug}-${number}`;
  return key;
}
