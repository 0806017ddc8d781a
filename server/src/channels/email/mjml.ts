import { Problem } from '../../kernel/errors.ts';
import { type Task, type TaskRunner, TaskStopped } from '../../threads/task.ts';
import { mjmlExcess } from './mjml-bounds.ts';

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

/** Replaces every tag and output of Liquid by a placeholder, because `<` and quotes within them are not XML. */
function hideLiquid(source: string) {
  const tags: { tag: string; line: number }[] = [];
  let [line, at] = [1, 0];
  const hidden = source.replace(/\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g, (tag, offset: number) => {
    for (; at < offset; at += 1) if (source[at] === '\n') line += 1;
    tags.push({ tag, line });
    return `liquid${tags.length - 1}x`;
  });
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
