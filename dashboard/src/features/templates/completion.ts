import type { Complete, Completion } from '../../editor/index.ts';
import { templates as text } from '../../strings/templates.ts';
import { liquidFilters, liquidTags } from './liquid-names.ts';
import type { Data } from './sample.ts';

const loopNames = ['first', 'index', 'index0', 'last', 'length', 'rindex', 'rindex0'];
const named = (names: string[], detail: string): Completion[] => names.map((label) => ({ label, detail }));
const filterEntries = named(liquidFilters, text.completionOf.filter);
const tagEntries = named(liquidTags, text.completionOf.tag);

/** Completions inside `{{ … }}` and `{% … %}`: variables of the sample data and of the template, filters and tags. */
export function liquidCompletion(getData: () => Data, getUsed: () => string[]): Complete {
  return ({ before, inLiquid }) => {
    if (!inLiquid) return [];
    // An unclosed tag can be long; the patterns below match its end.
    const inside = before.slice(Math.max(before.lastIndexOf('{{'), before.lastIndexOf('{%'))).slice(-300);
    if (/\|\s*\w*$/.test(inside)) return filterEntries;
    if (/^\{%-?\s*\w*$/.test(inside)) return tagEntries;
    const member = /([\w$-]+(?:\[\d+\])?(?:\.[\w$-]+(?:\[\d+\])?)*)\.[\w$-]*$/.exec(inside)?.[1];
    if (member !== undefined) return propertiesOf(member, before, getData());
    return variables(before, getData(), getUsed());
  };
}

function variables(before: string, data: Data, used: string[]): Completion[] {
  const own = [...before.matchAll(/\{%-?\s*(?:assign|capture|for)\s+([\w-]+)/g)].map(
    (match) => match[1] ?? '',
  );
  const entries = new Map<string, Completion>();
  const add = (names: string[], detail: string) => {
    for (const label of names) if (!entries.has(label)) entries.set(label, { label, detail });
  };
  add(Object.keys(data), text.completionOf.sample);
  add(own, text.completionOf.used);
  add(
    used.map((path) => path.split(/[.[]/)[0] ?? path),
    text.completionOf.used,
  );
  if (own.length > 0) add(['forloop'], text.completionOf.loop);
  return [...entries.values()];
}

function propertiesOf(path: string, before: string, data: Data): Completion[] {
  if (path === 'forloop') return named(loopNames, text.completionOf.loop);
  const value = valueAt(path, before, data, 5);
  if (Array.isArray(value)) return named(['first', 'last', 'size'], text.completionOf.sample);
  if (typeof value !== 'object' || value === null) return [];
  return named(Object.keys(value), text.completionOf.sample);
}

/** A loop variable stands for the first element of its list; `depth` limits nested loops. */
function valueAt(path: string, before: string, data: Data, depth: number): unknown {
  const [first = '', ...rest] = path.split(/[.[\]]+/).filter((name) => name !== '');
  const loops = [...before.matchAll(/\{%-?\s*for\s+([\w-]+)\s+in\s+([\w.[\]-]+)/g)];
  const loop = loops.findLast((match) => match[1] === first);
  let value: unknown = data[first];
  if (loop?.[2] !== undefined && depth > 0) {
    const list = valueAt(loop[2], before, data, depth - 1);
    value = Array.isArray(list) ? list[0] : undefined;
  }
  for (const name of rest) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Data)[name];
  }
  return value;
}
