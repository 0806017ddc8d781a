/** JSON with the positions of its parts, so that an editor can map a pointer to a line and back. */
interface Range {
  from: number;
  to: number;
}

export type ParsedText =
  | { ok: true; value: unknown; ranges: Map<string, Range> }
  | { ok: false; at: number; message: 'unexpected' | 'ended' };

interface TextPosition {
  line: number;
  column: number;
}

class Unexpected extends Error {}

/** More than the service accepts, and less than the stack of the browser. */
const maxDepth = 200;

export function parseText(text: string): ParsedText {
  const ranges = new Map<string, Range>();
  let at = 0;

  const skipSpace = () => {
    while (' \t\n\r'.includes(text[at] ?? 'x')) at++;
  };
  const fail = (): never => {
    throw new Unexpected();
  };
  const take = (character: string) => {
    skipSpace();
    if (text[at] !== character) fail();
    at++;
  };

  function takePattern(pattern: RegExp): string {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? fail();
    at += found.length;
    return found;
  }

  function readString(): string {
    return JSON.parse(takePattern(stringPattern)) as string;
  }

  function readValue(pointer: string, depth: number): unknown {
    skipSpace();
    if (depth > maxDepth) fail();
    const from = at;
    const value = readBare(pointer, depth);
    ranges.set(pointer, { from, to: at });
    return value;
  }

  function readBare(pointer: string, depth: number): unknown {
    const first = text[at];
    if (first === '{') return readObject(pointer, depth);
    if (first === '[') return readArray(pointer, depth);
    if (first === '"') return readString();
    return JSON.parse(takePattern(wordPattern));
  }

  function readObject(pointer: string, depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    at++;
    skipSpace();
    if (text[at] === '}') {
      at++;
      return {};
    }
    do {
      skipSpace();
      const name = readString();
      take(':');
      entries.push([name, readValue(`${pointer}/${escapeName(name)}`, depth + 1)]);
      skipSpace();
    } while (text[at] === ',' && ++at);
    take('}');
    return Object.fromEntries(entries);
  }

  function readArray(pointer: string, depth: number): unknown[] {
    const items: unknown[] = [];
    at++;
    skipSpace();
    if (text[at] === ']') {
      at++;
      return items;
    }
    do {
      items.push(readValue(`${pointer}/${items.length}`, depth + 1));
      skipSpace();
    } while (text[at] === ',' && ++at);
    take(']');
    return items;
  }

  try {
    const value = readValue('', 0);
    skipSpace();
    if (at < text.length) fail();
    return { ok: true, value, ranges };
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error;
    return { ok: false, at, message: at >= text.length ? 'ended' : 'unexpected' };
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them inside strings
const stringPattern = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const wordPattern = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;

function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Both count from 1. */
export function positionOf(text: string, at: number): TextPosition {
  const before = text.slice(0, at);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: at - lineStart + 1 };
}

/** The range of a pointer; for a missing part, the range of the nearest parent. */
export function rangeOf(ranges: Map<string, Range>, pointer: string): Range {
  for (let each = pointer; ; each = each.slice(0, each.lastIndexOf('/'))) {
    const range = ranges.get(each);
    if (range) return range;
    if (each === '') return { from: 0, to: 0 };
  }
}

/** The step at this offset; null outside all steps. */
export function stepAt(ranges: Map<string, Range>, at: number): number | null {
  for (let index = 0; ; index++) {
    const range = ranges.get(`/steps/${index}`);
    if (!range) return null;
    if (at >= range.from && at <= range.to) return index;
  }
}
