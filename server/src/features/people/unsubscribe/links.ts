import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import type { Deps } from '../../../deps.ts';
import { createCache } from '../../../kernel/cache.ts';
import { sameBytes } from '../../../kernel/crypto.ts';
import type { LinkSecret, LinkSecrets } from '../../platform/links/index.ts';

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

/** The subject of an unsubscribe link: the key of the user's preferences, and the category. */
export interface UnsubscribeSubject {
  user: string;
  category: string;
}

/** The secrets that the links of one environment are made with. */
export interface LinkKey {
  /** Identifies in a link which key it needs, and reveals nothing else. */
  handle: Buffer;
  authentication: Buffer;
  encryption: Buffer;
}

const version = 1;
const handleBytes = 8;
const tagBytes = 16;
const headBytes = 1 + handleBytes;

/**
 * A token is `version · handle · tag · text`, where the text is encrypted (links appear in logs and forwarded emails, and a
 * user may be an address) and the tag authenticates all of it and is also the IV (the SIV construction). So the same recipient
 * gets the same link every time, which retries need, and a token can be neither guessed nor altered.
 */
export function makeToken(key: LinkKey, { user, category }: UnsubscribeSubject): string {
  const head = Buffer.concat([Buffer.of(version), key.handle]);
  const text = Buffer.from(`${category}\0${user}`); // neither can contain NUL
  const tag = tagOf(key, head, text);
  const cipher = createCipheriv('aes-256-ctr', key.encryption, tag);
  return Buffer.concat([head, tag, cipher.update(text), cipher.final()]).toString('base64url');
}

export function handleOf(token: string): Buffer | null {
  return bytesOf(token)?.subarray(1, headBytes) ?? null;
}

/** Returns null unless this key made exactly this token. */
export function openToken(key: LinkKey, token: string): UnsubscribeSubject | null {
  const bytes = bytesOf(token);
  if (!bytes) return null;
  const head = bytes.subarray(0, headBytes);
  const tag = bytes.subarray(headBytes, headBytes + tagBytes);
  const decipher = createDecipheriv('aes-256-ctr', key.encryption, tag);
  const text = Buffer.concat([decipher.update(bytes.subarray(headBytes + tagBytes)), decipher.final()]);
  if (!sameBytes(tag, tagOf(key, head, text))) return null;
  const [category = '', user = ''] = text.toString().split('\0');
  return { user, category };
}

export function deriveKey(handle: Buffer, secret: Buffer): LinkKey {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), `carillon unsubscribe ${purpose}`, 32));
  return { handle, authentication: derive('authentication'), encryption: derive('encryption') };
}

function tagOf(key: LinkKey, head: Buffer, text: Buffer): Buffer {
  return createHmac('sha256', key.authentication).update(head).update(text).digest().subarray(0, tagBytes);
}

function bytesOf(token: string): Buffer | null {
  const bytes = Buffer.from(token, 'base64url');
  // Several texts decode to the same bytes; only the canonical encoding is a token.
  if (bytes.toString('base64url') !== token) return null;
  return bytes.length > headBytes + tagBytes && bytes[0] === version ? bytes : null;
}
