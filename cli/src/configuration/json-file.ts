import { readFileSync } from 'node:fs';
import { nearest } from '../help.ts';
import { isObject } from '../input.ts';

/** Thrown while a file is read; the reader knows its path. */
export class FileProblem extends Error {}

export function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** A JSON object; what is wrong with it is said with its line. */
export function readJsonFile(path: string): Record<string, unknown> {
  const text = readText(path).replace(/^\uFEFF/, '');
  if (hasMergeMarks(text)) throw new FileProblem('contains merge conflict markers');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new FileProblem(`is not valid JSON: ${place(text, (error as Error).message)}`);
  }
  const twice = repeatedName(text);
  if (twice) throw new FileProblem(`has the key “${twice.name}” twice (line ${twice.line})`);
  if (!isObject(value)) throw new FileProblem('must be a JSON object');
  return value;
}

export function readText(path: string): string {
  const bytes = readFileSync(path);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FileProblem('is not UTF-8 text');
  }
}

export function hasMergeMarks(text: string): boolean {
  return /^<{7} .*$[\s\S]*^={7}$[\s\S]*^>{7} .*$/m.test(text);
}

/** Node names a position in some messages and a line in others. */
function place(text: string, message: string): string {
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  if (position === undefined || message.includes('line')) return message;
  const before = text.slice(0, Number(position)).split('\n');
  return `${message} (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`;
}

/** Duplicate fields are an error, because JSON.parse silently keeps the last one. The text is valid JSON. */
function repeatedName(text: string): { name: string; line: number } | null {
  const open: (Set<string> | null)[] = [];
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g)) {
    const [token, colon] = match;
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') open.pop();
    else if (colon !== undefined) {
      const name = JSON.parse(token.slice(0, -colon.length)) as string;
      const names = open.at(-1);
      if (names?.has(name)) return { name, line: text.slice(0, match.index).split('\n').length };
      names?.add(name);
    }
  }
  return null;
}

/** What a field must be; returns the value or throws a problem that names the field. */
export function fieldsOf(value: Record<string, unknown>, known: readonly string[]) {
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue;
    const meant = nearest(name, known);
    throw new FileProblem(`has an unknown field “${name}”${meant ? `; did you mean “${meant}”?` : ''}`);
  }
  const wrong = (name: string, what: string) => new FileProblem(`: ${name} must be ${what}`);
  return {
    text(name: string, most: number): string {
      const given = value[name];
      if (typeof given !== 'string' || given === '' || [...given].length > most)
        throw wrong(name, `a string of 1 to ${most} characters`);
      return given;
    },
    optionalText(name: string, most: number): string | null {
      const given = value[name] ?? null;
      if (given !== null && (typeof given !== 'string' || [...given].length > most))
        throw wrong(name, `a string of at most ${most} characters`);
      return given;
    },
    flag(name: string, otherwise: boolean): boolean {
      const given = value[name] ?? otherwise;
      if (typeof given !== 'boolean') throw wrong(name, 'true or false');
      return given;
    },
    choice<const T extends string>(name: string, choices: readonly T[], otherwise: T): T {
      const given = value[name] ?? otherwise;
      const found = choices.find((choice) => choice === given);
      if (!found) throw wrong(name, choices.join(' or '));
      return found;
    },
    choices<const T extends string>(name: string, all: readonly T[]): T[] {
      const given = value[name];
      if (!Array.isArray(given)) throw wrong(name, `a list of ${all.join(', ')}`);
      const strange = given.find((each) => !all.includes(each));
      if (strange !== undefined) throw wrong(name, `a list of ${all.join(', ')}; “${strange}” is not one`);
      return all.filter((each) => given.includes(each)); // the order has no meaning; this is the service's
    },
    object(name: string): Record<string, unknown> {
      const given = value[name];
      if (!isObject(given)) throw wrong(name, 'an object');
      return given;
    },
  };
}
