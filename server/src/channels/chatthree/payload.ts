import type { JsonRecord } from '../../kernel/json.ts';
import type { ChatthreeMessage } from '../message.ts';
import { lengthOf } from '../shape.ts';
import { embedsOf } from './shape.ts';

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
