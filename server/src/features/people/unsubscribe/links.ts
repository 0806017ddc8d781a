import type { Deps } from '../../../deps.ts';
import { createCache } from '../../../kernel/cache.ts';
import type { LinkSecret, LinkSecrets } from '../../platform/links/index.ts';
import { deriveKey, handleOf, type LinkKey, makeToken, openToken, type UnsubscribeSubject } from './token.ts';

export interface UnsubscribeLinks {
  /** Returns the keys of environments, which are created on first use; one query at most for those that are not cached. */
  keysFor(environmentIds: string[]): Promise<Map<string, LinkKey>>;
  urlOf(key: LinkKey, subject: UnsubscribeSubject): string;
  /** Returns null when the token was not made by this service. */
  read(token: string): Promise<(UnsubscribeSubject & { environmentId: string }) | null>;
  /** The link to all preferences of a user. */
  preferencesUrlOf(key: LinkKey, user: string): string;
  readPreferences(token: string): Promise<{ environmentId: string; user: string } | null>;
}

/** A link to all preferences is one without a category; no category has an empty key. */
const allCategories = '';

export function createUnsubscribeLinks({
  publicUrl,
  linkSecrets,
}: Pick<Deps, 'publicUrl'> & { linkSecrets: LinkSecrets }): UnsubscribeLinks {
  const keys = createCache<LinkKey>(10_000);

  function keyOf({ environmentId, handle, secret }: LinkSecret): LinkKey {
    const key = keys.get(environmentId) ?? deriveKey(handle, secret);
    keys.set(environmentId, key);
    return key;
  }

  return {
    async keysFor(environmentIds) {
      const found = await linkSecrets.secretsFor(environmentIds);
      return new Map([...found].map(([id, secret]) => [id, keyOf(secret)]));
    },

    urlOf: (key, subject) => `${publicUrl()}/u/${makeToken(key, subject)}`,

    preferencesUrlOf: (key, user) => `${publicUrl()}/p/${makeToken(key, { user, category: allCategories })}`,

    async read(token) {
      const subject = await open(token);
      return subject?.category === allCategories ? null : subject;
    },

    async readPreferences(token) {
      const subject = await open(token);
      if (subject?.category !== allCategories) return null;
      return { environmentId: subject.environmentId, user: subject.user };
    },
  };

  async function open(token: string): Promise<(UnsubscribeSubject & { environmentId: string }) | null> {
    const handle = handleOf(token);
    const secret = handle && (await linkSecrets.find(handle));
    const subject = secret && openToken(keyOf(secret), token);
    return secret && subject ? { ...subject, environmentId: secret.environmentId } : null;
  }
}

/** A header line has 998 octets at most and a link cannot be folded. Only ids of hundreds of non-Latin letters come near. */
const maxHeaderUrl = 850;

/**
 * RFC 2369 and RFC 8058. Empty when the link is too long for a header: a message without the header is better than one that
 * cannot be sent.
 */
export function unsubscribeHeaders(url: string): Record<string, string> {
  if (url.length > maxHeaderUrl) return {};
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}
