/**
 * What MJML may cost to compile, checked before it is compiled. An element takes up to 1 ms; the attributes of one element, and
 * inlined rules with the elements that they are matched against, cost the square of their number: an element of 5,000 attributes
 * takes 10 s. Newsletters have some 300 elements, at most 10 levels deep.
 */
const mjmlLimits = { elements: 1_000, levels: 30, attributes: 100, inlineRules: 100 } as const;

interface MjmlExcess {
  message: string;
  line: number;
}

/** Returns the first place at which a source exceeds a limit; null when it can be compiled. Reads the source once. */
export function mjmlExcess(source: string): MjmlExcess | null {
  let [elements, depth, rules] = [0, 0, 0];
  const excess = (message: string, at: number): MjmlExcess => ({ message, line: lineOf(source, at) });
  for (let at = source.indexOf('<'); at !== -1; at = source.indexOf('<', at + 1)) {
    if (source.startsWith('<!--', at)) {
      at = source.indexOf('-->', at);
      if (at === -1) return null;
      continue;
    }
    const [, slash, name] = /^<(\/?)(mj(?:ml|-[\w-]*))/i.exec(source.slice(at, at + 40)) ?? [];
    if (name === undefined) continue;
    if (slash) {
      depth -= 1;
      continue;
    }
    elements += 1;
    if (elements > mjmlLimits.elements)
      return excess(`MJML has more than ${mjmlLimits.elements} elements`, at);
    const tag = readTag(source, at + 1 + name.length);
    if (tag.attributes > mjmlLimits.attributes)
      return excess(`${name} has more than ${mjmlLimits.attributes} attributes`, at);
    if (!tag.isClosed) depth += 1;
    if (depth > mjmlLimits.levels)
      return excess(`MJML is nested more than ${mjmlLimits.levels} levels deep`, at);
    if (name.toLowerCase() === 'mj-style') {
      const end = source.indexOf('</', tag.end);
      // Every selector of a list is matched on its own.
      if (/\binline\b/i.test(source.slice(at, tag.end)))
        rules += source.slice(tag.end, end === -1 ? undefined : end).match(/[{,]/g)?.length ?? 0;
      if (rules > mjmlLimits.inlineRules)
        return excess(`mj-style inlines more than ${mjmlLimits.inlineRules} rules`, at);
    }
    at = tag.end - 1;
  }
  return null;
}

/** Reads a tag from behind its name: the place after it, and what it has. */
function readTag(source: string, from: number): { end: number; attributes: number; isClosed: boolean } {
  let attributes = 0;
  let isName = false;
  for (let at = from; at < source.length; at += 1) {
    const char = source[at] as string;
    if (char === '>') return { end: at + 1, attributes, isClosed: source[at - 1] === '/' };
    if (char === '"' || char === "'") {
      const end = source.indexOf(char, at + 1);
      if (end === -1) break;
      at = end;
      isName = false;
    } else if (/[\s=/]/.test(char)) isName = false;
    else if (!isName) {
      isName = true;
      attributes += 1;
    }
  }
  return { end: source.length, attributes, isClosed: false };
}

function lineOf(source: string, at: number): number {
  let line = 1;
  for (let end = source.indexOf('\n'); end !== -1 && end < at; end = source.indexOf('\n', end + 1)) line += 1;
  return line;
}
