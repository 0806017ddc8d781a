import { Problem } from '../../kernel/errors.ts';
import { type Task, type TaskRunner, TaskStopped } from '../../threads/task.ts';

/** A source is MJML when its first element is `<mjml>`. */
export function isMjml(source: string): boolean {
  return /^<mjml[\s>]/i.test(firstTag(source));
}

/** Whether a source is a whole HTML document. */
export function isHtmlDocument(source: string): boolean {
  return /^<(?:!doctype|html)[\s>]/i.test(firstTag(source));
}

/** The beginning of the first tag, after spaces and comments. A loop: as one regular expression it would backtrack without end. */
function firstTag(source: string): string {
  let at = 0;
  for (;;) {
    const spaces = /\s*/y;
    spaces.lastIndex = at;
    at += spaces.exec(source)?.[0].length ?? 0;
    if (!source.startsWith('<!--', at)) return source.slice(at, at + 20);
    const end = source.indexOf('-->', at + 4);
    if (end === -1) return '';
    at = end + 3;
  }
}

/** Defaults repeat in every element, and a long output of Liquid wherever it stands: the result may be far larger than its source. */
const maxHtml = 1_048_576;

interface MjmlInput {
  source: string;
  /** How the request names the source. */
  param: string;
}

/**
 * Compiles MJML to HTML, always in a thread. Liquid passes through unchanged: what MJML would drop, because it stands where only
 * components are, is a fault.
 */
export const mjmlTask: Task<MjmlInput, string> = {
  name: 'compile_mjml',
  isLight: () => false,
  limitMs: 5_000, // a thread that loads the library needs up to a second
  async work({ source, param }) {
    if (/<mj-include[\s/>]/i.test(source))
      throw fault(param, 'mj-include is not supported: put {% render %} of a partial into mj-raw');
    const hidden = hideLiquid(source);
    const excess = mjmlExcess(source);
    if (excess) throw fault(param, `${excess.message} (line ${excess.line})`);
    if (hidden.defaultCharacters() > maxHtml * 16)
      throw fault(param, 'mj-attributes are too long for so many elements');
    const { compileMjml } = await import('./mjml-library.ts');
    const { html, errors } = await compile(compileMjml, hidden.source, param);
    const [error] = errors.filter(({ message }) => !isAboutLiquid(message));
    if (error)
      throw fault(param, `${error.tagName}: ${hidden.show(error.message.trim())} (line ${error.line})`);
    const lost = hidden.lost(html);
    if (lost !== null)
      throw fault(param, `MJML drops ${lost.tag} here: put it into mj-raw (line ${lost.line})`);
    if (html.length > maxHtml || hidden.shownLength(html) > maxHtml)
      throw fault(param, `it compiles to more than ${maxHtml} characters`);
    return hidden.show(html);
  },
};

/** Throws a Problem that names the source. */
export async function compileBounded(tasks: TaskRunner, owner: string, input: MjmlInput): Promise<string> {
  try {
    return await tasks.run(mjmlTask, owner, input);
  } catch (error) {
    throw error instanceof TaskStopped ? fault(input.param, error.message) : error;
  }
}

type Compile = typeof import('./mjml-library.ts').compileMjml;

async function compile(compileMjml: Compile, source: string, param: string) {
  try {
    return await compileMjml(source, { validationLevel: 'soft', keepComments: false });
  } catch (error) {
    throw fault(param, (error as Error).message);
  }
}

const fault = (param: string, message: string): Problem =>
  new Problem('template_syntax_error', `${param}: ${message}.`, { param });

/** Letters and digits only, so that a placeholder is valid in a text, an attribute and CSS alike. */
const placeholder = /liquid(\d+)x/g;
const isAboutLiquid = (message: string): boolean =>
  /liquid\d+x/.test(message) && /invalid value/.test(message);

/** The tags and outputs of Liquid. A loop: as one regular expression it would read on to the end for each opening without a close. */
function* liquidTags(source: string): Generator<{ from: number; end: number }> {
  let at = 0;
  for (;;) {
    const open = /\{[{%]/g;
    open.lastIndex = at;
    const from = open.exec(source)?.index;
    if (from === undefined) return;
    const close = source.indexOf(source[from + 1] === '{' ? '}}' : '%}', from + 2);
    if (close === -1) return; // the engine refuses a source with a tag that never ends
    at = close + 2;
    yield { from, end: at };
  }
}

/** Replaces every tag and output of Liquid by a placeholder, because `<` and quotes within them are not XML. */
function hideLiquid(source: string) {
  const tags: { tag: string; line: number }[] = [];
  let [line, at, copied, hidden] = [1, 0, 0, ''];
  for (const { from, end } of liquidTags(source)) {
    for (; at < from; at += 1) if (source[at] === '\n') line += 1;
    hidden += `${source.slice(copied, from)}liquid${tags.length}x`;
    tags.push({ tag: source.slice(from, end), line });
    copied = end;
  }
  hidden += source.slice(copied);
  return {
    source: hidden,
    show: (text: string): string => text.replace(placeholder, (_whole, index) => tags[index]?.tag ?? ''),
    /** The length of `show` of a text. */
    shownLength(text: string): number {
      let length = text.length;
      for (const [, index] of text.matchAll(placeholder)) length += tags[Number(index)]?.tag.length ?? 0;
      return length;
    },
    /** An upper bound of what the defaults of `mj-attributes` add to all elements. */
    defaultCharacters(): number {
      const from = hidden.search(/<mj-attributes/i);
      const defaults = from === -1 ? 0 : hidden.toLowerCase().lastIndexOf('</mj-attributes') - from;
      return Math.max(defaults, 0) * (hidden.match(/<mj-/gi)?.length ?? 0);
    },
    /** The first tag that is not in the result. */
    lost(html: string): { tag: string; line: number } | null {
      const kept = new Set([...html.matchAll(placeholder)].map(([, index]) => Number(index)));
      const index = tags.findIndex((_tag, each) => !kept.has(each));
      return tags[index] ?? null;
    },
  };
}

/**
 * Splits an MJML document that goes into a layout: its styles belong to the head of the layout, the rest takes the place of
 * `{{ content }}`.
 */
export function splitDocument(html: string): { styles: string; content: string } {
  const head = html.slice(html.indexOf('<head>') + 6, html.indexOf('</head>'));
  const body = html.indexOf('>', html.indexOf('<body')) + 1;
  return {
    styles: head.replace(/<title>[^<]*<\/title>|<meta [^<>]*>/g, ''),
    content: html.slice(body, html.lastIndexOf('</body>')),
  };
}

/**
 * What MJML may cost to compile, checked before it is compiled. An element takes up to 1 ms; the attributes of one element, and
 * inlined rules with the elements that they are matched against, cost the square of their number: an element of 5,000 attributes
 * takes 10 s. HTML within texts counts as well: `<` alone cost the square of their number, and each character of inlined CSS takes
 * 0.2 µs for each element of the result. Newsletters have some 300 elements, at most 10 levels deep, and 3,000 characters of such CSS.
 */
const mjmlLimits = {
  elements: 1_000,
  levels: 30,
  attributes: 100,
  inlineRules: 100,
  tags: 20_000,
  inlineWork: 10_000_000,
} as const;

/** A component becomes up to this many elements of HTML. */
const elementsOfComponent = 6;

interface MjmlExcess {
  message: string;
  line: number;
}

/** Returns the first place at which a source exceeds a limit; null when it can be compiled. Reads the source once. */
export function mjmlExcess(source: string): MjmlExcess | null {
  let [elements, depth, rules, tags, opened, inlined] = [0, 0, 0, 0, 0, 0];
  let inlinedAt = 0;
  const excess = (message: string, at: number): MjmlExcess => ({ message, line: lineOf(source, at) });
  for (let at = source.indexOf('<'); at !== -1; at = source.indexOf('<', at + 1)) {
    if (source.startsWith('<!--', at)) {
      at = source.indexOf('-->', at);
      if (at === -1) return null;
      continue;
    }
    tags += 1;
    if (tags > mjmlLimits.tags) return excess(`MJML has more than ${mjmlLimits.tags} tags`, at);
    if (source[at + 1] !== '/') opened += 1;
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
      if (/\binline\b/i.test(source.slice(at, tag.end))) {
        const css = source.slice(tag.end, end === -1 ? undefined : end);
        // Every selector of a list is matched on its own.
        rules += css.match(/[{,]/g)?.length ?? 0;
        inlined += css.length;
        inlinedAt = at;
      }
      if (rules > mjmlLimits.inlineRules)
        return excess(`mj-style inlines more than ${mjmlLimits.inlineRules} rules`, at);
    }
    // The path of a selector is matched against the result like the selector of an inlined rule.
    if (name.toLowerCase() === 'mj-selector') {
      inlined += tag.end - at;
      inlinedAt = at;
    }
    at = tag.end - 1;
  }
  if (inlined * (opened + elements * elementsOfComponent) > mjmlLimits.inlineWork)
    return excess('mj-style and mj-selector are too long for so many elements', inlinedAt);
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
