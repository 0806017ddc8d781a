import { isRecord, type JsonRecord } from '../../kernel/record.ts';
import type { ChatoneMessage } from '../contract.ts';
import { blocksOf } from './shape.ts';

/** What is posted. A user's id as the channel opens the direct message with the bot. */
export function postOf({ to, blocks, text }: Pick<ChatoneMessage, 'to' | 'blocks' | 'text'>): JsonRecord {
  return { channel: to.address, text, blocks: blocksOf(blocks) };
}

const maxFallback = 3_000;

/**
 * The words of the blocks, for notifications and screen readers. The service reads them as its markup, so what was plain text
 * in the blocks is escaped: it must not ring anybody's bell here either.
 */
export function fallbackText(blocks: unknown): string {
  const words = [...wordsIn(blocksOf(blocks))].filter((text) => text.trim() !== '').join('\n');
  return cut(words, maxFallback) || 'New message';
}

/** At most so many characters; a surrogate pair, an entity or a link that would be cut in two is left out. */
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

/** The three characters that the service's markup is made of. */
export function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? '');
}
const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
