import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newId } from '../../kernel/ids.ts';
import { claimedEnvironment, mintToken, verifyToken } from './token.ts';

const key = 'csi_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';
const environmentId = newId();
const nowMs = Date.UTC(2026, 0, 1);
const now = nowMs / 1000;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** By hand, so that it can be wrong in every way. */
function sign(claims: object, header: object = { alg: 'HS256', typ: 'JWT' }, secret = key): string {
  const content = `${encode(header)}.${encode(claims)}`;
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
}

const claims = { iss: environmentId, sub: 'user-1', scope: 'inbox', iat: now, exp: now + 900 };
const verify = (token: string) => verifyToken(token, [key], nowMs);
const codeOf = (token: string) =>
  verify(token).then(
    (found) => (found ? 'valid' : 'not signed by us'),
    (error) => `${error.code}: ${error.message}`,
  );

describe('a token', () => {
  test('that is minted is valid, and says what was asked for', async () => {
    const { token, expiresAt } = await mintToken(
      key,
      { environmentId, externalUserId: 'user 1/ü', scope: 'inbox prefs', ttlSeconds: 60 },
      nowMs,
    );
    expect(claimedEnvironment(token)).toBe(environmentId);
    expect(await verify(token)).toEqual({
      externalUserId: 'user 1/ü',
      scopes: new Set(['inbox', 'prefs']),
      expiresAtMs: expiresAt.getTime(),
    });
    expect(expiresAt.getTime()).toBe(nowMs + 60_000);
  });

  test('made by hand with HMAC-SHA256 of the key as it is shown is valid', async () => {
    expect(await codeOf(sign(claims))).toBe('valid');
    expect(await codeOf(sign({ ...claims, scope: 'prefs inbox' }))).toBe('valid');
    expect(await codeOf(sign({ ...claims, iat: now + 60, exp: now + 900 }))).toBe('valid');
    expect(await codeOf(sign({ ...claims, iat: now, exp: now + 86_400 }))).toBe('valid');
  });

  test('is verified with any of the keys', async () => {
    expect(await verifyToken(sign(claims), ['csi_other', key], nowMs)).not.toBe(null);
    expect(await verifyToken(sign(claims), ['csi_other'], nowMs)).toBe(null);
    expect(await verifyToken(sign(claims), [], nowMs)).toBe(null);
  });

  const [head, body, signature] = sign(claims).split('.');
  test.each([
    ['expired', sign({ ...claims, iat: now - 1000, exp: now - 1 }), /^expired_credentials/],
    ['expired this very second', sign({ ...claims, iat: now - 900, exp: now }), /^expired_credentials/],
    ['issued in the future', sign({ ...claims, iat: now + 61, exp: now + 900 }), /in the future/],
    ['not valid yet', sign({ ...claims, nbf: now + 100 }), /^invalid_credentials/],
    ['of 25 hours', sign({ ...claims, exp: now + 25 * 3600 }), /60 seconds to 24 hours/],
    ['of 59 seconds', sign({ ...claims, exp: now + 59 }), /60 seconds to 24 hours/],
    [
      'that ends before it begins',
      sign({ ...claims, iat: now + 50, exp: now + 10 }),
      /60 seconds to 24 hours/,
    ],
    ['without exp', sign({ ...claims, exp: undefined }), /`iat` and `exp`/],
    ['without iat', sign({ ...claims, iat: undefined }), /`iat` and `exp`/],
    ['with an exp that is text', sign({ ...claims, exp: String(now + 900) }), /^invalid_credentials/],
    ['without sub', sign({ ...claims, sub: undefined }), /`sub`/],
    ['with an empty sub', sign({ ...claims, sub: '' }), /`sub`/],
    ['with a sub of 256 characters', sign({ ...claims, sub: 'x'.repeat(256) }), /`sub`/],
    ['with NUL in its sub', sign({ ...claims, sub: 'a\u0000b' }), /`sub`/],
    ['without scope', sign({ ...claims, scope: undefined }), /`scope`/],
    ['with an unknown scope', sign({ ...claims, scope: 'inbox admin' }), /`scope`/],
    ['with a scope twice', sign({ ...claims, scope: 'inbox inbox' }), /`scope`/],
    ['with scopes in a list', sign({ ...claims, scope: ['inbox'] }), /`scope`/],
    ['with alg none', sign(claims, { alg: 'none' }), /signed with HS256/],
    ['with alg none and no signature', `${encode({ alg: 'none' })}.${body}.`, /signed with HS256/],
    ['with alg NONE', sign(claims, { alg: 'NONE' }), /signed with HS256/],
    ['with alg HS384', sign(claims, { alg: 'HS384' }), /signed with HS256/],
    ['with alg RS256', sign(claims, { alg: 'RS256' }), /signed with HS256/],
    ['with no alg', sign(claims, { typ: 'JWT' }), /^invalid_credentials/],
    [
      'with a critical extension',
      sign(claims, { alg: 'HS256', crit: ['exp2'], exp2: 1 }),
      /^invalid_credentials/,
    ],
    ['signed with another key', sign(claims, undefined, 'csi_another'), /not signed by us/],
    ['signed with no key', sign(claims, undefined, ''), /not signed by us/],
    [
      'with an altered payload',
      `${head}.${encode({ ...claims, sub: 'user-2' })}.${signature}`,
      /not signed by us/,
    ],
    ['with an altered header', `${encode({ alg: 'HS256', x: 1 })}.${body}.${signature}`, /not signed by us/],
    ['without its signature', `${head}.${body}.`, /not signed by us/],
  ])('%s is refused', async (_name, token, answer) => {
    expect(await codeOf(token)).toMatch(answer);
  });

  test.each([
    ['of two parts', `${head}.${body}`],
    ['of nothing', '..'],
    ['that is a key', 'crl_test_0123456789'],
    ['whose payload is not JSON', `${head}.e30x.${signature}`],
    ['whose payload is a list', `${head}.${encode([])}.${signature}`],
    ['without iss', sign({ ...claims, iss: undefined })],
    ['with an iss that is no environment', sign({ ...claims, iss: "' or 1=1" })],
    ['with an iss that is a list', sign({ ...claims, iss: [environmentId] })],
  ])('%s names no environment', (_name, token) => {
    expect(() => claimedEnvironment(token)).toThrow(expect.objectContaining({ code: 'invalid_credentials' }));
  });
});
