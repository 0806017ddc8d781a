import type { TemplatePreview } from '@carillon/sdk';
import { type Body, bodyFields } from './content.ts';
import { type Data, isData } from './sample.ts';

/** Returns the data with an example for every variable that the body uses and the data lacks. */
export function exampleFor(body: Body, preview: TemplatePreview | null, data: Data): Data {
  if (!preview) return data;
  const { undefined_variables: missing, variables } = preview;
  const next = structuredClone(data);
  const source = bodyFields.map((field) => body[field]).join('\n');
  // The preview names the first missing part (`order`), the body every path below it (`order.total`).
  const wanted = variables.filter((path) => missing.some((name) => isWithin(path, name)));
  for (const path of wanted) add(next, namesOf(path), listExample(source, path) ?? wordsOf(path));
  return next;
}

const isWithin = (path: string, name: string) =>
  path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`);

const namesOf = (path: string) =>
  path.split(/[.[\]"']+/).filter((name) => name !== '' && !/^\d+$/.test(name));

const wordsOf = (path: string) => (namesOf(path).at(-1) ?? path).replaceAll('_', ' ');

/** An example for `{% for line in order.lines %}`: a list of one element with the fields that the loop reads. */
function listExample(source: string, path: string): Data[] | null {
  for (const [, item, list] of source.matchAll(/\{%-?\s*for\s+([\w-]+)\s+in\s+([\w.[\]-]+)/g)) {
    if (list !== path || item === undefined) continue;
    const properties = [...source.matchAll(/([\w-]+)\.([\w-]+)/g)].filter((match) => match[1] === item);
    return [Object.fromEntries(properties.map(([, , name = '']) => [name, wordsOf(name)]))];
  }
  return null;
}

/** Existing values stay, even those that block the path. */
function add(data: Data, names: string[], example: unknown): void {
  const [first, ...rest] = names;
  if (first === undefined || first === '__proto__') return;
  const value = Object.hasOwn(data, first) ? (data[first] ?? undefined) : undefined;
  if (rest.length === 0) {
    data[first] = value ?? example;
    return;
  }
  const inner = value === undefined ? {} : value;
  if (!isData(inner)) return;
  data[first] = inner;
  add(inner, rest, example);
}
