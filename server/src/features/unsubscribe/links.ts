import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Deps } from '../../deps.ts';
import { findSecret, insertSecret, listSecrets, type SecretRow, updateSeal } from './store.ts';
import {
  deriveKey,
  handleBytes,
  handleOf,
  type LinkKey,
  makeToken,
  openToken,
  type Subject,
} from './token.ts';

export interface UnsubscribeLinks {
  /** The keys of environments, made on first use; one query at most for those that are not known yet. */
  keysFor(environmentIds: string[]): Promise<Map<string, LinkKey>>;
  urlOf(key: LinkKey, subject: Subject): string;
  /** Null: no link of ours. */
  read(token: string): Promise<(Subject & { environmentId: string }) | null>;
}

type LinkDeps = Pick<Deps, 'pool' | 'keyring' | 'publicUrl' | 'log'>;

/** Secrets never change, so what was read once is good for ever: no expiry, no second query. */
export function createUnsubscribeLinks({ pool, keyring, publicUrl, log }: LinkDeps): UnsubscribeLinks {
  const keys = new LRUCache<string, LinkKey>({ max: 10_000 });

  async function open(row: SecretRow): Promise<LinkKey | null> {
    const context = `unsubscribe:${row.environment_id}`;
    try {
      const secret = keyring.open(row.sealed_secret, context);
      // Old links must survive the encryption key they were sealed with: it may be retired one day.
      if (keyring.isStale(row.sealed_secret)) await updateSeal(pool, row, keyring.seal(secret, context));
      const key = deriveKey(row.handle, Buffer.from(secret, 'base64url'));
      keys.set(row.environment_id, key);
      return key;
    } catch (error) {
      log.error({ err: error, environment_id: row.environment_id }, 'an unsubscribe secret cannot be opened');
      return null;
    }
  }

  async function makeSecret(environmentId: string): Promise<void> {
    await insertSecret(pool, {
      environment_id: environmentId,
      handle: randomBytes(handleBytes),
      sealed_secret: keyring.seal(randomBytes(32).toString('base64url'), `unsubscribe:${environmentId}`),
    });
  }

  return {
    async keysFor(environmentIds) {
      const missing = environmentIds.filter((id) => !keys.has(id));
      if (missing.length > 0) {
        let rows = await listSecrets(pool, missing);
        if (rows.length < missing.length) {
          const present = new Set(rows.map((row) => row.environment_id));
          for (const id of missing) if (!present.has(id)) await makeSecret(id);
          rows = await listSecrets(pool, missing);
        }
        for (const row of rows) await open(row);
      }
      return new Map(
        environmentIds.flatMap((id) => {
          const key = keys.get(id);
          return key ? [[id, key]] : [];
        }),
      );
    },

    urlOf: (key, subject) => `${publicUrl()}/u/${makeToken(key, subject)}`,

    async read(token) {
      const handle = handleOf(token);
      const row = handle && (await findSecret(pool, handle));
      const key = row && (keys.get(row.environment_id) ?? (await open(row)));
      const subject = key && openToken(key, token);
      return row && subject ? { ...subject, environmentId: row.environment_id } : null;
    },
  };
}

/** A header line has 998 octets at most and a link cannot be folded. Only ids of hundreds of non-Latin letters come near. */
const maxHeaderUrl = 850;

/** RFC 2369 and RFC 8058. Empty when the link is too long for a header: better none than a message that cannot be sent. */
export function unsubscribeHeaders(url: string): Record<string, string> {
  if (url.length > maxHeaderUrl) return {};
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}
