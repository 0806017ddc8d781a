import { isRecord, type JsonRecord } from '../../kernel/json.ts';
import { unmarkText } from '../../templating/marks.ts';
import type { ChatoneMessage } from '../message.ts';
import { blocksOf } from './shape.ts';

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
