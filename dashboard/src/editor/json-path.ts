/** A position in a JSON text. The text may be incomplete and may contain Liquid. */
export interface JsonCursor {
  /** Property names and array indices from the root: `['steps', 2, 'channel']`. */
  path: (string | number)[];
  /** The token expected here: a property name or a value. */
  kind: 'key' | 'value';
  /** The offset of the opening quote of the surrounding string; null outside a string. */
  quoteAt: number | null;
}

interface Level {
  isList: boolean;
  index: number;
  key: string | null;
  /** True after the colon: a value follows. */
  hasColon: boolean;
}

const liquidEnds: Record<string, string> = { '{{': '}}', '{%': '%}' };

export function jsonCursor(text: string, position: number): JsonCursor {
  const levels: Level[] = [];
  let at = 0;
  let quoteAt: number | null = null;
  while (at < position) {
    const end = liquidEnds[text.slice(at, at + 2)];
    if (end !== undefined) {
      at = endOf(text, end, at + 2);
      continue;
    }
    const char = text.charAt(at);
    if (char === '"') {
      const close = closingQuote(text, at);
      if (close >= position) {
        quoteAt = at;
        break;
      }
      const level = levels.at(-1);
      if (level && !level.isList && !level.hasColon) level.key = text.slice(at + 1, close);
      at = close + 1;
      continue;
    }
    step(levels, char);
    at += 1;
  }
  return { ...placeIn(levels), quoteAt };
}

function step(levels: Level[], char: string): void {
  const level = levels.at(-1);
  if (char === '{' || char === '[')
    levels.push({ isList: char === '[', index: 0, key: null, hasColon: false });
  else if (char === '}' || char === ']') levels.pop();
  else if (level && char === ':') level.hasColon = true;
  else if (level && char === ',') {
    level.index += 1;
    level.key = null;
    level.hasColon = false;
  }
}

function placeIn(levels: Level[]): Pick<JsonCursor, 'path' | 'kind'> {
  const path: (string | number)[] = [];
  for (const [depth, level] of levels.entries()) {
    if (level.isList) path.push(level.index);
    else if (level.hasColon || depth < levels.length - 1) path.push(level.key ?? '');
  }
  const last = levels.at(-1);
  return { path, kind: last && !last.isList && !last.hasColon ? 'key' : 'value' };
}

function endOf(text: string, end: string, from: number): number {
  const found = text.indexOf(end, from);
  return found === -1 ? text.length : found + end.length;
}

function closingQuote(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    const end = liquidEnds[text.slice(at, at + 2)];
    if (char === '\\') at += 1;
    else if (end !== undefined) at = endOf(text, end, at + 2) - 1;
    else if (char === '"' || char === '\n') return at;
  }
  return text.length;
}
