import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deriveKey, handleOf, makeToken, openToken } from './links.ts';

const key = deriveKey(Buffer.from('0102030405060708', 'hex'), Buffer.alloc(32, 1));
const other = deriveKey(key.handle, Buffer.alloc(32, 2));
const subject = { user: 'ada@example.com', category: 'news' };
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('a token', () => {
  test('means what it was made for, and is the same every time', () => {
    const token = makeToken(key, subject);
    expect(openToken(key, token)).toEqual(subject);
    expect(makeToken(key, subject)).toBe(token);
    expect(handleOf(token)).toEqual(key.handle);
    expect(token).toMatch(/^[\w-]+$/);
  });

  test('made by an earlier release still works (changing this breaks every link that was ever sent)', () => {
    expect(openToken(key, 'AQECAwQFBgcI-UJABfWX4CeZ29OKBvYe-QjI_9UO7F0WqwYiKY4yA56I8KbA')).toEqual(subject);
  });

  test('tells nothing about the user', () => {
    const bytes = Buffer.from(makeToken(key, subject), 'base64url').toString('latin1');
    expect(bytes).not.toMatch(/ada|example|news/);
  });

  test('altered in any one character is none', () => {
    const token = makeToken(key, subject);
    for (let index = 0; index < token.length; index += 1) {
      for (const letter of alphabet) {
        if (letter === token[index]) continue;
        const altered = token.slice(0, index) + letter + token.slice(index + 1);
        expect([altered, openToken(key, altered)]).toEqual([altered, null]);
      }
    }
  });

  test('cut, extended, padded, of another environment or made up is none', () => {
    const token = makeToken(key, subject);
    const made = [
      ...Array.from({ length: token.length }, (_, length) => token.slice(0, length)),
      `${token}A`,
      `${token}=`,
      `${token} `,
      token.replace('A', '+'),
      randomBytes(60).toString('base64url'),
    ];
    for (const text of made) expect(openToken(key, text)).toBeNull();
    expect(openToken(other, token)).toBeNull();
  });

  test('holds for any user and category', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 255 }).filter((text) => !text.includes('\0')),
        fc.stringMatching(/^[a-z0-9][a-z0-9_.-]{0,99}$/),
        (user, category) => {
          expect(openToken(key, makeToken(key, { user, category }))).toEqual({ user, category });
        },
      ),
    );
  });
});
