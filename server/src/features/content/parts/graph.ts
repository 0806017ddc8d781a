import type { Channel } from '../../../channels/contract.ts';
import { maxDepth, maxPartials } from '../../../templating/partials.ts';
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

type PartIndex = ReadonlyMap<string, readonly CurrentPart[]>;

/** The parts by the uses that lead to them. */
export function partIndex(current: readonly CurrentPart[]): PartIndex {
  const byUse = new Map<string, CurrentPart[]>();
  for (const part of current) {
    for (const use of namesOf(part)) {
      const known = byUse.get(use);
      if (known) known.push(part);
      else byUse.set(use, [part]);
    }
  }
  return byUse;
}

/** Returns the parts that uses lead to, directly or through others, and the uses that lead to none. */
export function resolveUses(
  byUse: PartIndex,
  uses: readonly string[],
): { parts: CurrentPart[]; missing: string[] } {
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
  return { parts: [...parts], missing: [...seen].filter((use) => !byUse.has(use)) };
}

/** Returns why what these uses lead to is too much for one template, or null. To be asked before it is read. */
export function excessOf(current: readonly CurrentPart[], uses: readonly string[]): string | null {
  return excessIn(resolveUses(partIndex(current), uses).parts);
}

function excessIn(parts: readonly CurrentPart[]): string | null {
  const sources = parts.filter(({ kind }) => kind !== 'translation');
  if (sources.filter(({ kind }) => kind === 'partial').length > maxPartials)
    return `it uses more than ${maxPartials} different partials`;
  if (sources.reduce((sum, { size }) => sum + size, 0) > maxCharacters)
    return `its layouts and partials have more than ${maxCharacters} characters in total`;
  return null;
}

/**
 * Returns why something with these uses cannot be compiled, or null. Sources were checked when they were saved, each with what
 * the others were then; to be asked under the lock of the environment.
 */
export function problemOf(byUse: PartIndex, uses: readonly string[]): string | null {
  const { parts, missing } = resolveUses(byUse, uses);
  const names = missing.filter((use) => /^(?:layout|partial):/.test(use));
  if (names.length > 0) return `there is no ${names.map((use) => use.replace(':', ' ')).join(', and no ')}`;
  return excessIn(parts) ?? nestingProblem(parts);
}

/** A level is one more than that of the partials within. */
function nestingProblem(parts: readonly CurrentPart[]): string | null {
  const partials = new Map(
    parts.flatMap((part) => (part.kind === 'partial' ? [[partialUse(part.key), part]] : [])),
  );
  const levels = new Map<string, number>();
  const path = new Set<string>();
  let problem: string | null = null;

  function levelOf(use: string): number {
    const part = partials.get(use);
    if (!part) return 0;
    if (path.has(use)) {
      problem ??= `the partial ${part.key} renders itself`;
      return 0;
    }
    const known = levels.get(use);
    if (known !== undefined) return known;
    path.add(use);
    const level = 1 + Math.max(0, ...part.uses.map(levelOf));
    path.delete(use);
    levels.set(use, level);
    if (level > maxDepth)
      problem ??= `the partial ${part.key} nests partials more than ${maxDepth} levels deep`;
    return level;
  }

  for (const use of partials.keys()) levelOf(use);
  return problem;
}

/** Lists the parts that need a part, themselves or through others, with itself, and the uses that lead to them. */
export function dependentsOf(
  current: readonly CurrentPart[],
  part: Pick<CurrentPart, 'kind' | 'key'>,
): { parts: CurrentPart[]; uses: string[] } {
  const parts = new Set(current.filter(({ kind, key }) => kind === part.kind && key === part.key));
  const uses = new Set([...parts].flatMap(namesOf));
  for (let before = -1; before < parts.size; ) {
    before = parts.size;
    for (const each of current) {
      if (parts.has(each) || !each.uses.some((use) => uses.has(use))) continue;
      parts.add(each);
      for (const use of namesOf(each)) uses.add(use);
    }
  }
  return { parts: [...parts], uses: [...uses] };
}
