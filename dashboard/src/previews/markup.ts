import { shortTime } from '../ui/time-format.ts';
import { safeHref } from './json.ts';

/**
 * The markup of chat services as a tree, for display only: unknown markup stays text, and a message can contain no
 * other kinds than these.
 */
export type Inline =
  | { kind: 'text' | 'code' | 'mention'; text: string }
  | { kind: 'bold' | 'italic' | 'strike' | 'underline'; children: Inline[] }
  | { kind: 'link'; href: string; children: Inline[] };

export type Block =
  | { kind: 'paragraph' | 'quote'; lines: Inline[][] }
  | { kind: 'list'; isOrdered: boolean; items: Inline[][] }
  | { kind: 'heading'; children: Inline[] }
  | { kind: 'pre'; text: string };

/** `chatone` has its own notation; `card` is the subset of cards; `full` is common Markdown. */
export type Dialect = 'chatone' | 'card' | 'full';

interface Rule {
  /** Sticky: matched at the current position. */
  pattern: RegExp;
  make(match: RegExpExecArray, read: (text: string) => Inline[]): Inline;
}

const maxDepth = 6;

const text = (value: string): Inline => ({ kind: 'text', text: value });
const code: Rule = {
  pattern: /`([^`\n]+)`/y,
  make: ([, inner = '']) => ({ kind: 'code', text: inner }),
};
const styled = (kind: 'bold' | 'italic' | 'strike' | 'underline', pattern: RegExp): Rule => ({
  pattern,
  make: ([, inner = ''], read) => ({ kind, children: read(inner) }),
});
const bareLink: Rule = {
  pattern: /(?<![\w/])https?:\/\/[^\s<>"'`*|)\]]+/y,
  make: ([href]) => ({ kind: 'link', href, children: [text(href)] }),
};
const namedLink: Rule = {
  pattern: /\[([^\]\n]{1,500})\]\(([^()\s]{1,2000})\)/y,
  make: ([whole, label = '', url], read) => {
    const href = safeHref(url);
    return href === null ? text(whole) : { kind: 'link', href, children: read(label) };
  },
};
/** `<https://…|label>`, `<@U123>`, `<#C123|general>`, `<!here>`, `<t:1700000000:R>`. */
const angled: Rule = {
  pattern: /<([^<>\n]{1,2000})>/y,
  make: ([whole, inner = '']) => {
    const [target = '', label] = inner.split('|');
    const href = safeHref(unescaped(target));
    if (href !== null) return { kind: 'link', href, children: [text(unescaped(label ?? target))] };
    const moment = /^t:(-?\d{1,12})/.exec(target)?.[1];
    if (moment) return { kind: 'mention', text: shortTime(new Date(Number(moment) * 1000)) };
    const mark = /^[@#!:]/.exec(target)?.[0];
    if (mark === undefined) return text(unescaped(whole));
    if (label !== undefined) return { kind: 'mention', text: unescaped(label) };
    return { kind: 'mention', text: mark === '!' ? `@${target.slice(1)}` : target };
  },
};

const rules: Record<Dialect, Rule[]> = {
  chatone: [
    code,
    angled,
    styled('bold', /(?<!\w)\*(?!\s)([^*\n]{1,3000}?)(?<!\s)\*(?!\w)/y),
    styled('italic', /(?<!\w)_(?!\s)([^_\n]{1,3000}?)(?<!\s)_(?!\w)/y),
    styled('strike', /(?<!\w)~(?!\s)([^~\n]{1,3000}?)(?<!\s)~(?!\w)/y),
    bareLink,
  ],
  card: [
    namedLink,
    styled('bold', /\*\*([^*\n]{1,3000})\*\*/y),
    styled('italic', /(?<!\w)_([^_\n]{1,3000})_(?!\w)/y),
    styled('italic', /\*([^*\n]{1,3000})\*/y),
  ],
  full: [
    code,
    namedLink,
    angled,
    styled('bold', /\*\*((?:[^*\n]|\*(?!\*)){1,3000}?)\*\*/y),
    styled('underline', /__([^_\n]{1,3000})__/y),
    styled('strike', /~~([^~\n]{1,3000})~~/y),
    styled('italic', /\*([^*\n]{1,3000})\*/y),
    styled('italic', /(?<!\w)_([^_\n]{1,3000})_(?!\w)/y),
    bareLink,
  ],
};

export function readInline(source: string, dialect: Dialect, depth = 0): Inline[] {
  if (depth > maxDepth) return [text(source)];
  const found: Inline[] = [];
  let plain = '';
  const flush = () => {
    if (plain !== '') found.push(text(dialect === 'chatone' ? unescaped(plain) : plain));
    plain = '';
  };
  for (let at = 0; at < source.length; ) {
    const hit = matchAt(source, at, dialect);
    if (hit) {
      flush();
      found.push(hit.rule.make(hit.match, (inner) => readInline(inner, dialect, depth + 1)));
      at += hit.match[0].length;
    } else {
      plain += source[at];
      at += 1;
    }
  }
  flush();
  return found;
}

function matchAt(source: string, at: number, dialect: Dialect) {
  if (!/[`<*_~[h]/.test(source[at] ?? '')) return null;
  for (const rule of rules[dialect]) {
    rule.pattern.lastIndex = at;
    const match = rule.pattern.exec(source);
    if (match) return { rule, match };
  }
  return null;
}

export function readBlocks(source: string, dialect: Dialect): Block[] {
  if (dialect === 'card') return readLines(source, dialect);
  // Every second part was between fences.
  return source
    .split(/```(?:[\w+-]*\n)?([\s\S]*?)```/)
    .flatMap((part, index): Block[] =>
      index % 2 === 1 ? [{ kind: 'pre', text: part.replace(/\n$/, '') }] : readLines(part, dialect),
    );
}

function readLines(source: string, dialect: Dialect): Block[] {
  const blocks: Block[] = [];
  for (const line of source.split('\n')) {
    const last = blocks.at(-1);
    const { kind, rest, isOrdered } = lineKind(line, dialect);
    const inline = readInline(rest, dialect);
    if (kind === 'heading') blocks.push({ kind, children: inline });
    else if (kind === 'list') {
      if (last?.kind === 'list' && last.isOrdered === isOrdered) last.items.push(inline);
      else blocks.push({ kind, isOrdered, items: [inline] });
    } else if (last?.kind === kind) last.lines.push(inline);
    else if (kind === 'quote' || inline.length > 0) blocks.push({ kind, lines: [inline] });
  }
  return blocks;
}

function lineKind(line: string, dialect: Dialect) {
  const item = /^\s*(?:([-•*])|\d{1,3}[.)])\s+(.*)$/.exec(line);
  if (item) return { kind: 'list' as const, rest: item[2] ?? '', isOrdered: item[1] === undefined };
  const plain = { rest: line, isOrdered: false };
  if (dialect === 'card') return { ...plain, kind: 'paragraph' as const };
  const quote = /^(?:>|&gt;)\s?(.*)$/.exec(line);
  if (quote) return { ...plain, kind: 'quote' as const, rest: quote[1] ?? '' };
  const heading = dialect === 'full' ? /^#{1,3}\s+(.*)$/.exec(line) : null;
  if (heading) return { ...plain, kind: 'heading' as const, rest: heading[1] ?? '' };
  return { ...plain, kind: 'paragraph' as const };
}

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** The three characters that chatone escapes. */
function unescaped(value: string): string {
  return value.replaceAll(/&(?:amp|lt|gt);/g, (entity) => entities[entity] ?? entity);
}
