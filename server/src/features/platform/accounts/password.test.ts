import { scryptSync } from 'node:crypto';
import { expect, test } from 'vitest';

// A copy of its own, for those who start a whole service lower the cost for everyone in their process.
const ownCopy = './password.ts?own-copy';
const { hashPassword, isOutdated, missingWork, passwordCost, verifyPassword } = (await import(
  ownCopy
)) as typeof import('./password.ts');

function hashWith(N: number): string {
  const salt = Buffer.from('sixteen bytes of');
  const hash = scryptSync('old', salt, 32, { N, r: 8, p: 1, maxmem: 2 ** 28 });
  return `scrypt$${N}$8$1$${salt.toString('base64')}$${hash.toString('base64')}`;
}

test('new hashes are made with the cost that OWASP asks for', async () => {
  expect(await hashPassword('correct horse')).toMatch(/^scrypt\$131072\$8\$1\$[\w+/=]{24}\$[\w+/=]{44}$/);
  passwordCost.N = 2 ** 14; // enough for what follows
});

test('a password is known again by its hash, and no other is', async () => {
  const hash = await hashPassword('correct horse');
  expect(isOutdated(hash)).toBe(false);
  expect(await verifyPassword('correct horse', hash)).toBe(true);
  expect(await verifyPassword('Correct horse', hash)).toBe(false);
});

test('a hash made with less work is still understood, and known to be outdated', async () => {
  const hash = hashWith(1024);
  expect(isOutdated(hash)).toBe(true);
  expect(await verifyPassword('old', hash)).toBe(true);
  expect(await verifyPassword('new', hash)).toBe(false);
});

test.each([2 ** 10, 2 ** 13, 2 ** 14])('a "no" to a hash of N = %i is as much work as to a new one', (N) => {
  expect(missingWork(N).reduce((sum, step) => sum + step, N)).toBe(passwordCost.N);
});

test('without a hash the answer is no, after the same work', async () => {
  const hash = hashWith(passwordCost.N);
  const timeOf = async (encoded: string | null) => {
    const start = performance.now();
    expect(await verifyPassword('guess', encoded)).toBe(false);
    return performance.now() - start;
  };
  const pairs = [];
  for (let round = 0; round < 2; round++) pairs.push([await timeOf(null), await timeOf(hash)] as const);
  // An answer that skips the work comes hundreds of times sooner.
  expect(Math.max(...pairs.map(([without, withHash]) => without / withHash))).toBeGreaterThan(1 / 4);
});
