import { isRecord, type JsonRecord } from '../../kernel/json.ts';
import type { ChatthreeMessage } from '../message.ts';
import { fields, firstProblem, lengthOf, list, optional, type Problems, type Rule, text } from '../shape.ts';

const maxEmbeds = 10;
/** The limit over all embeds: titles, descriptions, field names and values, footers, authors. */
const maxTogether = 6_000;
const maxContent = 2_000;

/** Accepts one embed or a list of embeds. */
export function embedsOf(value: unknown): unknown {
  return isRecord(value) ? [value] : value;
}

/** Returns why the service would refuse these embeds; null when no problem is known. */
export function embedsProblem(value: unknown): string | null {
  return firstProblem(embeds(embedsOf(value)));
}

/** Returns why the service would refuse the text beside the embeds; null when no problem is known. */
export function contentProblem(content: string): string | null {
  return lengthOf(content) > maxContent ? `the content must have at most ${maxContent} characters` : null;
}

const url = optional(text(2_048, 0));

const color: Rule = function* (at, value) {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 0xffffff)
    yield `${at} must be a whole number from 0 to 16777215`;
};

const embed: Rule = function* (at, value) {
  yield* fields({
    title: optional(text(256, 0)),
    description: optional(text(4_096, 0)),
    url,
    color: optional(color),
    timestamp: optional(text(64, 0)),
    footer: optional(fields({ text: text(2_048), icon_url: url })),
    image: optional(fields({ url: text(2_048) })),
    thumbnail: optional(fields({ url: text(2_048) })),
    author: optional(fields({ name: text(256), url, icon_url: url })),
    fields: optional(list(fields({ name: text(256), value: text(1_024) }), 25, 0)),
  })(at, value);
  const {
    title,
    description,
    image,
    fields: rows,
    author,
    footer,
    thumbnail,
  } = value as Record<string, unknown>;
  if (![title, description, image, rows, author, footer, thumbnail].some(Boolean)) yield `${at} is empty`;
};

function* embeds(value: unknown): Problems {
  yield* list(embed, maxEmbeds)('embeds', value);
  const together = (value as EmbedText[]).reduce((sum, each) => sum + textLength(each), 0);
  if (together > maxTogether)
    yield `the embeds must have at most ${maxTogether} characters; they have ${together}`;
}

interface EmbedText {
  title?: string | null;
  description?: string | null;
  footer?: { text: string } | null;
  author?: { name: string } | null;
  fields?: { name: string; value: string }[] | null;
}

function textLength({ title, description, footer, author, fields: rows }: EmbedText): number {
  return [
    title,
    description,
    footer?.text,
    author?.name,
    ...(rows ?? []).flatMap((row) => [row.name, row.value]),
  ]
    .map((part) => (typeof part === 'string' ? lengthOf(part) : 0))
    .reduce((sum, length) => sum + length, 0);
}

/** The posted JSON. Mentions are always disabled: `<@…>` and `@everyone` in the data stay text. */
export function executionOf({
  content,
  embeds,
  username,
  avatarUrl,
}: Pick<ChatthreeMessage, 'content' | 'embeds' | 'username' | 'avatarUrl'>): JsonRecord {
  return {
    ...(content ? { content } : {}),
    ...(embeds === null || embeds === undefined ? {} : { embeds: embedsOf(embeds) }),
    ...(username ? { username } : {}),
    ...(avatarUrl ? { avatar_url: avatarUrl } : {}),
    allowed_mentions: { parse: [] },
  };
}

const maxUsername = 80;
const maxAvatarUrl = 2_048;

/** Returns why the service would refuse this webhook name; null when no problem is known. */
export function usernameProblem(name: string): string | null {
  const length = lengthOf(name);
  if (length < 1 || length > maxUsername) return `must have 1 to ${maxUsername} characters`;
  if (/\p{Cc}/u.test(name)) return 'must not contain control characters';
  if (/clyde|discord/i.test(name)) return 'must not contain "clyde" or "discord": the service forbids it';
  return null;
}

export function avatarUrlProblem(text: string): string | null {
  if (text.length > maxAvatarUrl) return `must have at most ${maxAvatarUrl} characters`;
  const url = URL.canParse(text) ? new URL(text) : null;
  return url && (url.protocol === 'https:' || url.protocol === 'http:')
    ? null
    : 'must be an http or https URL';
}
