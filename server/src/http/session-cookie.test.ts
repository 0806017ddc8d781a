import { expect, test } from 'vitest';
import { clearedSessionCookie, sessionCookie, sessionTokenOf } from './session-cookie.ts';

const token = 'abcdefghijklmnopqrstuvwxyz_-0123456789ABCDE';

test.each([
  [undefined, null],
  ['', null],
  ['theme=dark', null],
  [`carillon_session=${token}`, token],
  [`theme=dark; carillon_session=${token}; lang=en`, token],
  [`not_carillon_session=${token}`, null],
  ['carillon_session=', null],
  ['carillon_session=short', null],
  [`carillon_session=${'x'.repeat(201)}`, null],
  [`carillon_session="${token}"`, null],
])('the cookie header %j holds the token %j', (header, expected) => {
  expect(sessionTokenOf(header)).toBe(expected);
});

test('the cookie is out of reach of scripts and other sites, and Secure where the service is on https', () => {
  expect(sessionCookie(token, { secure: false, maxAgeSeconds: 60 })).toBe(
    `carillon_session=${token}; Path=/; Max-Age=60; HttpOnly; SameSite=Lax`,
  );
  expect(sessionCookie(token, { secure: true, maxAgeSeconds: 60 })).toMatch(/; Secure$/);
  expect(clearedSessionCookie({ secure: false })).toBe(
    'carillon_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
  );
});
