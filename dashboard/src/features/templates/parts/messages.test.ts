import { expect, test } from 'vitest';
import { flatten, lookUp, obstacleTo, withMessage } from './messages.ts';

const messages = { a: { b: 'B', n: { one: '1', other: 'x' } }, c: 'C' };

test('messages have dotted keys, and plural forms are one message', () => {
  expect([...flatten(messages)]).toEqual([
    ['a.b', 'B'],
    ['a.n', '{"one":"1","other":"x"}'],
    ['c', 'C'],
  ]);
});

test('one message is changed, added or removed, and the others stay', () => {
  expect(withMessage(messages, 'a.b', 'New')).toEqual({ ...messages, a: { ...messages.a, b: 'New' } });
  expect(withMessage(messages, 'd.e', '{"other": "y"}')).toEqual({ ...messages, d: { e: { other: 'y' } } });
  expect(withMessage(messages, 'c', '')).toEqual({ a: messages.a });
});

test('a locale inherits from its parents', () => {
  const catalogues = [
    { locale: 'de', is_default: false, messages: new Map([['k', 'de']]) },
    { locale: 'de-AT', is_default: false, messages: new Map<string, string>() },
  ];
  expect(lookUp(catalogues, 'de-AT', 'k')).toEqual({ text: 'de', from: 'de' });
  expect(lookUp(catalogues, 'fr', 'k')).toBeNull();
});

test('a message takes the place of neither a group nor of what it would be within', () => {
  expect(obstacleTo(messages, 'a')).toEqual({ path: 'a', is: 'group' });
  expect(obstacleTo(messages, 'c.more.x')).toEqual({ path: 'c', is: 'message' });
  expect(obstacleTo(messages, 'a.n.one')).toEqual({ path: 'a.n', is: 'message' });
  for (const key of ['a.b', 'a.n', 'a.new', 'new.x', 'toString.x'])
    expect(obstacleTo(messages, key)).toBeNull();
});
