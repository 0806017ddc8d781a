import type { Channel } from '../../channels/contract.ts';
import { maxPartials } from '../../templating/partials.ts';
import type { CurrentPart } from './store.ts';

/**
 * What a source uses, as texts that are stored with it: `layout:main`, `default:email` (the default layout of a channel),
 * `partial:footer` and `translations`.
 */
export const layoutUse = (key: string): string => `layout:${key}`;
export const defaultLayoutUse = (channel: Channel): string => `default:${channel}`;
export const partialUse = (key: string): string => `partial:${key}`;
export const translationsUse = 'translations';

export function usesOf({ partials, translates }: { partials: string[]; translates: boolean }): string[] {
  return [...partials.map(partialUse), ...(translates ? [translationsUse] : [])];
}

/** Characters of the layouts and partials that one template may use: they are in memory together. */
const maxCharacters = 2_000_000;

/** Lists the uses that lead to a part. */
function namesOf({ kind, key, channel, is_default }: CurrentPart): string[] {
  if (kind === 'partial') return [partialUse(key)];
  if (kind === 'translation') return [translationsUse];
  return [layoutUse(key), ...(is_default && channel ? [defaultLayoutUse(channel)] : [])];
}

/** Returns the parts that uses lead to, directly or through others, and the uses that lead to none. */
export function resolveUses(
  current: readonly CurrentPart[],
  uses: readonly string[],
): { parts: CurrentPart[]; lacking: string[] } {
  const byUse = new Map<string, CurrentPart[]>();
  for (const part of current) {
    for (const use of namesOf(part)) {
      const known = byUse.get(use);
      if (known) known.push(part);
      else byUse.set(use, [part]);
    }
  }
  const waiting = [...uses];
  const seen = new Set<string>();
  const parts = new Set<CurrentPart>();
  for (let use = waiting.pop(); use !== undefined; use = waiting.pop()) {
    if (seen.has(use)) continue;
    seen.add(use);
    for (const part of byUse.get(use) ?? []) {
      waiting.push(...part.uses);
      parts.add(part);
    }
  }
  return { parts: [...parts], lacking: [...seen].filter((use) => !byUse.has(use)) };
}

/** The layouts and partials that these uses need, themselves or through others, and that do not exist: `layout main`. */
export function lackingParts(current: readonly CurrentPart[], uses: readonly string[]): string[] {
  return resolveUses(current, uses)
    .lacking.filter((use) => /^(?:layout|partial):/.test(use))
    .map((use) => use.replace(':', ' '));
}

/** Returns why what these uses lead to is too much for one template, or null. To be asked before it is read. */
export function excessOf(current: readonly CurrentPart[], uses: readonly string[]): string | null {
  const sources = resolveUses(current, uses).parts.filter(({ kind }) => kind !== 'translation');
  if (sources.filter(({ kind }) => kind === 'partial').length > maxPartials)
    return `it uses more than ${maxPartials} different partials`;
  if (sources.reduce((sum, { size }) => sum + size, 0) > maxCharacters)
    return `its layouts and partials have more than ${maxCharacters} characters in total`;
  return null;
}
