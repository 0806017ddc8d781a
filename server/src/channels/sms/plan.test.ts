import { describe, expect, it } from 'vitest';
import { optOutOf } from './api.ts';
import { senderFor, senderIdProblem } from './plan.ts';

describe('an alphanumeric sender', () => {
  it.each([
    ['Acme', true, true],
    ['Acme1', true, true],
    ['12345678901', false, false],
    ['Acme Ltd', true, false],
    ['ABCDEFGHIJK', true, true],
    ['ABCDEFGHIJKL', false, false],
    ['', false, false],
    ['Ac-me', false, false],
    ['Zoë', false, false],
    ['Acme\u0000', false, false],
  ])('%j is taken: %s where spaces are, %s where not', (id, withSpaces, without) => {
    expect([senderIdProblem(id, true) === null, senderIdProblem(id, false) === null]).toEqual([
      withSpaces,
      without,
    ]);
  });

  const both = { fromNumber: '+14155550100', fromSenderId: 'Acme' };
  it.each([
    ['+447700900123', both, 'Acme'],
    ['+14155550123', both, '+14155550100'],
    ['+14165550123', both, '+14155550100'],
    ['+18765550123', both, 'Acme'],
    ['+447700900123', { ...both, fromSenderId: null }, '+14155550100'],
  ])('to %s, of %j, it is %s', (to, choice, from) => {
    expect(senderFor(choice, to)).toBe(from);
  });

  it('alone is not delivered in America', () => {
    expect(senderFor({ fromNumber: null, fromSenderId: 'Acme' }, '+14155550123')).toMatchObject({
      problem: expect.stringContaining('US'),
    });
    expect(senderFor({ fromNumber: null, fromSenderId: null }, '+447700900123')).toHaveProperty('problem');
  });
});

describe('a reply', () => {
  it.each([
    'STOP',
    'stop',
    ' Stop! ',
    'stop all',
    'UNSUBSCRIBE',
    'cancel',
    'End',
    'quit',
    '"STOP"',
    'ARRE\u0302T',
  ])('%j asks for nothing more', (text) => {
    expect(optOutOf(text)).toBe('nothing');
  });
  it.each(['START', 'unstop'])('%j asks for more again', (text) => {
    expect(optOutOf(text)).toBe('again');
  });
  it.each(['', 'yes', 'please stop by', 'stop it', 'STOP\nbut not the invoices', '🛑'])(
    '%j is left alone',
    (text) => {
      expect(optOutOf(text)).toBeNull();
    },
  );
  // Its end would be looked for from each of its characters: without a limit, this takes hours.
  it('a text of a million exclamation marks is left alone at once', () => {
    expect(optOutOf(`${'!'.repeat(1_000_000)}x`)).toBeNull();
  });
});
