import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hash,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/**
 * Secrets at rest: AES-256-GCM under a ring of keys. The first key encrypts, all decrypt, and every sealed value
 * names the key it needs, so keys rotate without a flag day. `context` is authenticated too: a sealed value moved
 * to another row or column does not open.
 */
export interface Keyring {
  /** The ids of the keys, the encrypting one first. An id reveals nothing about its key. */
  ids: string[];
  seal(plain: string, context: string): string;
  open(sealed: string, context: string): string;
  /** True when the value was sealed with a key that is no longer the first. */
  isStale(sealed: string): boolean;
}

export function createKeyring(keys: readonly Buffer[]): Keyring {
  const ring = keys.map((key) => ({ id: createHash('sha256').update(key).digest('hex').slice(0, 8), key }));
  const first = ring[0];
  if (!first) throw new Error('an encryption key is required');

  return {
    ids: ring.map((entry) => entry.id),
    seal(plain, context) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', first.key, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `v1.${first.id}.${Buffer.concat([iv, body]).toString('base64url')}`;
    },
    open(sealed, context) {
      const [version, id, data] = sealed.split('.');
      const entry = ring.find((candidate) => candidate.id === id);
      if (version !== 'v1' || !data) throw new Error('not a sealed value');
      if (!entry) throw new Error(`encryption key ${id} is not configured`);
      const bytes = Buffer.from(data, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', entry.key, bytes.subarray(0, 12))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
    },
    isStale: (sealed) => !sealed.startsWith(`v1.${first.id}.`),
  };
}

export function sha256(value: string | Buffer): Buffer {
  return hash('sha256', value, 'buffer');
}

/** Returns the hash as text: half the cost of bytes that are converted to text. */
export function sha256Hex(value: string): string {
  return hash('sha256', value, 'hex');
}

/** Compares in constant time; unequal lengths are simply unequal. */
export function sameBytes(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random base62 text without modulo bias. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += base62[byte % 62];
    }
  }
  return text;
}

export function toBase62(value: number, width: number): string {
  let text = '';
  for (let rest = value; text.length < width; rest = Math.floor(rest / 62)) text = base62[rest % 62] + text;
  return text;
}

const dots = '••••';

/** The visible form of a secret: its end, unless the secret is so short that this would reveal it. */
export function masked(secret: string): string {
  return secret.length < 8 ? dots : dots + secret.slice(-4);
}

/** True for the masked form of a secret: a caller who sends it means the stored secret. */
export function isMasked(text: string): boolean {
  return text.startsWith(dots);
}
