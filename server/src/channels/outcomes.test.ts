import { expect, test } from 'vitest';
import type { FailureClass } from './http.ts';
import { cutSuccess, lostAnswer, wholeRefusal } from './outcomes.ts';

const failure = (name: FailureClass, reached: boolean, status: number | null = null) => ({
  kind: 'failure' as const,
  failure: name,
  detail: 'why',
  reached,
  status,
  headers: {} as Record<string, string>,
  body: Buffer.from('x'),
  latencyMs: 1,
});

test.each([
  ['connect', false, 'retry'],
  ['dns', false, 'retry'],
  ['timeout', true, 'ambiguous'],
  ['closed', true, 'ambiguous'],
  ['blocked', false, 'broken'],
  ['invalid', false, 'broken'],
] as const)('%s (reached: %s) means %s', (name, reached, kind) => {
  expect(lostAnswer(failure(name, reached))).toEqual({ kind, detail: 'why', code: name });
});

test('a refusal that broke off is one all the same, and anything else is not', () => {
  expect(wholeRefusal(failure('closed', true, 503))).toMatchObject({ kind: 'answer', status: 503 });
  expect(wholeRefusal(failure('closed', true, 200)).kind).toBe('failure');
  expect(wholeRefusal(failure('closed', true)).kind).toBe('failure');
});

test('a success that broke off is one all the same, unless a web page came', () => {
  expect(cutSuccess(failure('closed', true, 202))).toMatchObject({ kind: 'answer', status: 202 });
  expect(cutSuccess(failure('closed', true, 302))).toBeNull();
  expect(cutSuccess(failure('closed', true))).toBeNull();
  expect(cutSuccess(failure('timeout', true, 200))).toBeNull();
  const page = { ...failure('closed', true, 200), headers: { 'content-type': 'text/html' } };
  expect(cutSuccess(page)).toBeNull();
});
