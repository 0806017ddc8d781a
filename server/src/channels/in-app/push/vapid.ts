import { createECDH } from 'node:crypto';
import { importJWK, SignJWT } from 'jose';
import { createCache } from '../../../kernel/cache.ts';
import type { Clock } from '../../../kernel/clock.ts';

/** The key pair that identifies an application to push services (RFC 8292); base64url. */
export interface VapidKeys {
  publicKey: string;
  privateKey: string;
}

export function newVapidKeys(): VapidKeys {
  const key = createECDH('prime256v1');
  const publicKey = key.generateKeys().toString('base64url');
  return { publicKey, privateKey: padded(key.getPrivateKey()).toString('base64url') };
}

/** A private key that begins with zeros is shorter, and JWK wants all 32 bytes. */
function padded(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.alloc(32 - bytes.length), bytes]);
}

/** Push services accept up to 24 hours; Apple refuses a token that is valid for longer than that by its own clock. */
const validSeconds = 12 * 3_600;
const renewMs = 3_600_000;
const maxOrigins = 100;

/** Makes the Authorization header for a push service. One signature an hour for each service. */
export function createVapid(
  { publicKey, privateKey }: VapidKeys,
  subject: string,
  clock: Clock,
): (origin: string) => Promise<string> {
  const headers = createCache<{ header: Promise<string>; madeAt: number }>(maxOrigins);
  const point = Buffer.from(publicKey, 'base64url');
  const key = importJWK(
    {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
      d: privateKey,
    },
    'ES256',
  );
  key.catch(() => {}); // every call that needs the key reports the failure

  async function sign(origin: string): Promise<string> {
    const now = Math.floor(clock() / 1000);
    const token = await new SignJWT()
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT' })
      .setAudience(origin)
      .setExpirationTime(now + validSeconds)
      .setSubject(subject)
      .sign(await key);
    return `vapid t=${token}, k=${publicKey}`;
  }

  return (origin) => {
    const known = headers.get(origin);
    if (known && clock() - known.madeAt < renewMs) return known.header;
    const header = sign(origin);
    headers.set(origin, { header, madeAt: clock() });
    header.catch(() => headers.delete(origin));
    return header;
  };
}
