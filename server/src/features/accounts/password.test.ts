import { scryptSync } from 'node:crypto';
import { expect, test } from 'vitest';

// A copy of its own, for those who start a whole service lower the cost for everyone in their process.
const ownCopy = './password.ts?own-copy';
const { hashPassword, verifyPassword } = (await import(ownCopy)) as typeof import('./password.ts');

test('a password is known again by its hash, and no other is', async () => {
  const hash = await hashPassword('correct horse');
  expect(hash).toMatch(/^scrypt\$32768\$8\$1\$[\w+/=]{24}\$[\w+/=]{44}$/);
  expect(await verifyPassword('correct horse', hash)).toBe(true);
  expect(await verifyPassword('Correct horse', hash)).toBe(false);
  expect(await hashPassword('correct horse')).not.toBe(hash);
});

test('a hash made with other parameters is still understood', async () => {
  const hash = scryptSync('old', Buffer.from('salt'), 32, { N: 1024, r: 8, p: 1 }).toString('base64');
  expect(
    await verifyPassword('old', `scrypt$1024$8$1$${Buffer.from('salt').toString('base64')}$${hash}`),
  ).toBe(true);
});

test('without a hash the answer is no, after the same work', async () => {
  const hash = await hashPassword('something');
  const fastest = async (encoded: string | null) => {
    const times: number[] = [];
    for (let round = 0; round < 3; round++) {
      const start = performance.now();
      expect(await verifyPassword('guess', encoded)).toBe(false);
      times.push(performance.now() - start);
    }
    return Math.min(...times);
  };
  // An answer that skips the work comes hundreds of times sooner.
  expect(await fastest(null)).toBeGreaterThan((await fastest(hash)) / 4);
});
