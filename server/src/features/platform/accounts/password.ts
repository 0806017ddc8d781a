import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { sameBytes } from '../../../kernel/crypto.ts';

const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/**
 * The OWASP recommendation for scrypt: 128 MiB for each guess, on a separate thread. Each hash contains its parameters, so that
 * raising them leaves old hashes valid until the next sign-in makes a new one.
 */
export const passwordCost = { N: 2 ** 17, r: 8, p: 1 };
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

/**
 * A rejection takes the same time in all cases: without a hash (there is no such user), and with one of an earlier, cheaper
 * cost, it does the same work as with a new one.
 */
export async function verifyPassword(password: string, encoded: string | null): Promise<boolean> {
  if (encoded === null) {
    await derive(password, randomBytes(16), passwordCost);
    return false;
  }
  const { cost, salt, hash } = decode(encoded);
  const isRight = sameBytes(await derive(password, salt, cost), hash);
  if (!isRight) for (const N of missingWork(cost.N)) await derive(password, salt, { ...cost, N });
  return isRight;
}

/** Whether the hash was made with less work than a new one. */
export function isOutdated(encoded: string): boolean {
  const { N, r, p } = decode(encoded).cost;
  return N * r * p < passwordCost.N * passwordCost.r * passwordCost.p;
}

/** Powers of two that, with N itself, add up to the current cost: N + N + 2N + 4N + … */
export function missingWork(N: number): number[] {
  const steps: number[] = [];
  for (let step = N; step < passwordCost.N; step *= 2) steps.push(step);
  return steps;
}

function decode(encoded: string): { cost: typeof passwordCost; salt: Buffer; hash: Buffer } {
  const [scheme, N, r, p, salt = '', hash = ''] = encoded.split('$');
  if (scheme !== 'scrypt') throw new Error('a stored password hash has an unknown scheme');
  return {
    cost: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}
