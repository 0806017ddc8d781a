import { isRecord, type JsonRecord } from '../../kernel/json.ts';
import { unmarkText } from '../../templating/marks.ts';
import type { ChatoneMessage } from '../message.ts';
import {
  anything,
  fields,
  firstProblem,
  lengthOf,
  list,
  optional,
  type Problems,
  type Rule,
  text,
} from '../shape.ts';

const maxBlocks = 50;
const maxMarkdown = 12_000;

/** Blocks are given as a list, or as `{"blocks": [...]}`, the form that the service's own builder exports. */
export function blocksOf(value: unknown): unknown {
  return isRecord(value) && 'blocks' in value ? value.blocks : value;
}

/** Returns why the service would refuse these blocks; null when no problem is known. */
export function blocksProblem(value: unknown): string | null {
  return firstProblem(blocks(blocksOf(value)));
}

function* blocks(value: unknown): Problems {
  yield* list(block, maxBlocks)('blocks', value);
  const known = (value as unknown[]).filter(isRecord);
  const ids = known.flatMap(({ block_id: id }) => (typeof id === 'string' ? [id] : []));
  if (new Set(ids).size < ids.length) yield 'every block_id must be unique';
  const markdown = known.flatMap((each) => (each.type === 'markdown' ? [String(each.text)] : []));
  if (markdown.reduce((sum, each) => sum + lengthOf(each), 0) > maxMarkdown)
    yield `markdown blocks must have at most ${maxMarkdown} characters`;
}

function textObject(max: number): Rule {
  return function* (at, value) {
    yield* fields({ text: text(max) })(at, value);
    const { type } = value as { type?: unknown };
    if (type !== 'plain_text' && type !== 'mrkdwn' && type !== anything)
      yield `${at}.type must be plain_text or mrkdwn`;
  };
}

const image = { image_url: optional(text(3_000)), alt_text: text(2_000) };

const element: Rule = function* (at, value) {
  yield* fields({ type: text(255) })(at, value);
  const { type } = value as { type?: unknown };
  if (type === 'button')
    yield* fields({ text: textObject(75), value: optional(text(2_000, 0)), url: optional(text(3_000, 0)) })(
      at,
      value,
    );
  if (type === 'image') yield* fields(image)(at, value);
  if (type === 'plain_text' || type === 'mrkdwn') yield* textObject(3_000)(at, value);
};

const rules: Record<string, Rule> = {
  *section(at, value) {
    yield* fields({
      text: optional(textObject(3_000)),
      fields: optional(list(textObject(2_000), 10)),
      accessory: optional(element),
    })(at, value);
    const section = value as { text?: unknown; fields?: unknown };
    if (!section.text && !section.fields) yield `${at} must have text or fields`;
  },
  header: fields({ text: textObject(150) }),
  context: fields({ elements: list(element, 10) }),
  actions: fields({ elements: list(element, 25) }),
  image: fields({ ...image, title: optional(textObject(2_000)) }),
  markdown: fields({ text: text(maxMarkdown) }),
  table: fields({
    rows: list(
      list(function* () {}, 20),
      100,
    ),
  }),
};

/** Block types without a rule here are left to the service, because it adds new ones. */
const block: Rule = function* (at, value) {
  yield* fields({ type: text(255), block_id: optional(text(255)) })(at, value);
  const { type } = value as { type: string };
  if (Object.hasOwn(rules, type)) yield* rules[type]?.(at, value) ?? [];
};

/** The posted JSON. A user id as the channel opens the direct message with the bot. */
export function postOf({ to, blocks, text }: Pick<ChatoneMessage, 'to' | 'blocks' | 'text'>): JsonRecord {
  return { channel: to.address, text, blocks: blocksOf(blocks) };
}

const maxFallback = 3_000;

/**
 * The text of the blocks, for notifications and screen readers. The service reads it as markup, so plain text from the blocks
 * is escaped and cannot mention people here either.
 */
export function fallbackText(blocks: unknown): string {
  const words = [...wordsIn(blocksOf(blocks))].filter((text) => text.trim() !== '').join('\n');
  return cut(words, maxFallback) || 'New message';
}

/** Cuts to at most `max` characters; a surrogate pair, an entity or a link that would be split is left out. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const whole = /[\ud800-\udbff]/.test(text.charAt(max - 1)) ? text.slice(0, max - 1) : text.slice(0, max);
  return whole.replace(/(?:&[a-z]{0,3}|<[^<>]*)$/, '');
}

function* wordsIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const entry of value) yield* wordsIn(entry);
  if (!isRecord(value)) return;
  const { type, text, alt_text: alt } = value;
  if (typeof text === 'string') yield type === 'mrkdwn' || type === 'markdown' ? text : escaped(text);
  else if (typeof alt === 'string') yield escaped(alt);
  for (const name of ['title', 'text', 'fields', 'elements'] as const) yield* wordsIn(value[name]);
}

/** Escapes the three characters of the service's markup. */
function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? '');
}
const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Resolves the marks around data in a rendered template. Where the service reads markup they become entities, so `<!channel>`
 * or a link in the data stays text; everywhere else (addresses, plain text) they become the original characters.
 */
export function settledMarks(value: unknown): unknown {
  if (typeof value === 'string') return unmarkText(value, (character) => character);
  if (Array.isArray(value)) return value.map(settledMarks);
  if (!isRecord(value)) return value;
  const isMarkup = value.type === 'mrkdwn' || value.type === 'markdown';
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isMarkup && name === 'text' && typeof inner === 'string'
        ? unmarkText(inner, escaped)
        : settledMarks(inner),
    ]),
  );
}
