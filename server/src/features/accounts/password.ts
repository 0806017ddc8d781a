import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { sameBytes } from '../../kernel/crypto.ts';

const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** 32 MiB and some 60 ms for each guess. The parameters stand in each hash, so that raising them leaves old hashes valid. */
export const passwordCost = { N: 2 ** 15, r: 8, p: 1 };
const keyLength = 32;

function derive(password: string, salt: Buffer, { N, r, p }: typeof passwordCost): Promise<Buffer> {
  return scryptAsync(password, salt, keyLength, { N, r, p, maxmem: 2 * 128 * N * r });
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, passwordCost);
  const { N, r, p } = passwordCost;
  return ['scrypt', N, r, p, salt.toString('base64'), hash.toString('base64')].join('$');
}

/** With no hash (there is no such user) it works just as long, and says no: how long an answer takes tells nothing. */
export async function verifyPassword(password: string, encoded: string | null): Promise<boolean> {
  if (encoded === null) {
    await derive(password, randomBytes(16), passwordCost);
    return false;
  }
  const [scheme, N, r, p, salt = '', hash = ''] = encoded.split('$');
  if (scheme !== 'scrypt') throw new Error('a stored password hash is not of a kind that this release knows');
  const derived = await derive(password, Buffer.from(salt, 'base64'), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  });
  return sameBytes(derived, Buffer.from(hash, 'base64'));
}
