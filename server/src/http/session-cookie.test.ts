import { expect, test } from 'vitest';
import { clearedSessionCookie, sessionCookie, sessionTokenOf } from './session-cookie.ts';

const token = 'abcdefghijklmnopqrstuvwxyz_-0123456789ABCDE';
const http = 'http://127.0.0.1:8400';
const https = 'https://carillon.example';

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
  expect(sessionTokenOf(header, http)).toBe(expected);
});

test('on https only the cookie that no other host can plant is read', () => {
  expect(sessionTokenOf(`__Host-carillon_session=${token}`, https)).toBe(token);
  expect(sessionTokenOf(`carillon_session=${token}`, https)).toBeNull();
  expect(sessionTokenOf(`__Host-carillon_session=${token}`, http)).toBeNull();
});

test('the cookie is out of reach of scripts and other sites, and bound to the host where the service is on https', () => {
  const flags = 'HttpOnly; SameSite=Lax';
  expect(sessionCookie(token, { publicUrl: http, maxAgeSeconds: 60 })).toBe(
    `carillon_session=${token}; Path=/; Max-Age=60; ${flags}`,
  );
  expect(sessionCookie(token, { publicUrl: https, maxAgeSeconds: 60 })).toBe(
    `__Host-carillon_session=${token}; Path=/; Max-Age=60; ${flags}; Secure`,
  );
  expect(clearedSessionCookie(https)).toBe(`__Host-carillon_session=; Path=/; Max-Age=0; ${flags}; Secure`);
});
