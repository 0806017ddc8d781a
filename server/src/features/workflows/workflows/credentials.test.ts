import { describe, expect, test } from 'vitest';
import { createKeyring, masked } from '../../../kernel/crypto.ts';
import { destinationOf, replaceCredentials } from './credentials.ts';
import { openBody, sealBody, shownBody } from './sealed-body.ts';

const hide = (credential: string): string => masked(credential);
const header = (name: string, value: string): string =>
  replaceCredentials({ url: '', headers: { [name]: value } }, hide).headers[name] ?? '';
const url = (text: string): string => replaceCredentials({ url: text, headers: {} }, hide).url;

describe('of headers', () => {
  test.each([
    ['Authorization', 'Bearer sk_live_0123456789', 'Bearer ••••6789'],
    ['authorization', 'Basic dXNlcjpwYXNzd29yZA==', 'Basic ••••ZA=='],
    ['Authorization', 'short', '••••'],
    ['X-Api-Key', 'abcdefgh1234', '••••1234'],
    ['x-acme-key', 'abcdefgh1234', '••••1234'],
    ['X-Auth-Token', 'abcdefgh1234', '••••1234'],
    ['X-Client-Secret', 'abcdefgh1234', '••••1234'],
    ['Cookie', 'session=abcdefgh1234', '••••1234'],
    ['X-Whatever', 'Bearer abcdefgh1234', 'Bearer ••••1234'],
    ['X-Whatever', 'ghp_abcdefgh1234', '••••1234'],
    ['X-Whatever', 'xoxb-1234-abcdefgh1234', '••••1234'],
    ['Authorization', 'Bearer abcdefgh1234{{ trigger.suffix }}', 'Bearer ••••1234{{ trigger.suffix }}'],
  ])('%s: %s is shown as %s', (name, value, shown) => {
    expect(header(name, value)).toBe(shown);
  });

  test.each([
    ['Accept', 'application/json'],
    ['Authorization', 'Bearer {{ trigger.token }}'],
    ['Authorization', '{{ trigger.scheme }} {{ steps.login.output.token }}'],
    ['X-Api-Key', '{% if trigger.live %}{{ trigger.key }}{% endif %}'],
    ['X-Request-Source', 'workflows'],
    ['X-Token', ''],
  ])('%s: %s has nothing to hide', (name, value) => {
    expect(header(name, value)).toBe(value);
  });
});

describe('of URLs', () => {
  test.each([
    ['https://ada:correct-horse@api.example.com/x', 'https://ada:••••orse@api.example.com/x'],
    ['https://abcdefgh1234@api.example.com', 'https://••••1234@api.example.com'],
    [
      'https://api.example.com/x?api_key=abcdefgh1234&user={{ trigger.id }}#top',
      'https://api.example.com/x?api_key=••••1234&user={{ trigger.id }}#top',
    ],
    [
      'https://x.logic.azure.com/workflows?sp=a&sig=abcdefgh1234',
      'https://x.logic.azure.com/workflows?sp=a&sig=••••1234',
    ],
    ['{{ trigger.base }}/x?access_token=abcdefgh1234', '{{ trigger.base }}/x?access_token=••••1234'],
    ['https://api.example.com/?q=sk_live_0123456789', 'https://api.example.com/?q=••••6789'],
  ])('%s is shown as %s', (given, shown) => {
    expect(url(given)).toBe(shown);
  });

  test.each([
    'https://api.example.com/a/b?page=2&sort=desc',
    'https://api.example.com/?token={{ trigger.token }}',
    'https://{{ trigger.user }}:{{ trigger.password }}@api.example.com/',
    'https://api.example.com/{{ trigger.q | split: "?token=abcdefgh1234" }}',
    'not a URL',
    '',
  ])('%s has nothing to hide', (given) => {
    expect(url(given)).toBe(given);
  });

  test('the destination is everything before the path, as it is written', () => {
    expect(destinationOf('https://ada:b@API.example.com:8443/x?y')).toBe(
      'https://ada:••••@api.example.com:8443',
    );
    expect(destinationOf('https://ada:••••@API.example.com:8443')).toBe(
      'https://ada:••••@api.example.com:8443',
    );
    expect(destinationOf('https://{{ trigger.host }}/x')).toBe('https://{{ trigger.host }}');
  });
});

describe('a body', () => {
  const keyring = createKeyring([Buffer.alloc(32, 1)]);
  const id = '01890000-0000-7000-8000-000000000000';

  test('opens to what was sealed, whatever stands in it', () => {
    // A fixed sequence of pseudo-random texts of the characters that mean something somewhere.
    let state = 1;
    const random = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    };
    const pieces = [
      'Bearer ',
      '{{',
      '}}',
      '{%',
      '%}',
      '://',
      '@',
      ':',
      '/',
      '?',
      '&',
      '=',
      '#',
      'key',
      'token',
      '•',
      'sk_live_',
      'abcdefgh',
      ' ',
      '\uE000',
      'é',
      '"',
    ];
    const text = (): string =>
      Array.from({ length: random(12) }, () => pieces[random(pieces.length)]).join('');
    for (let round = 0; round < 3_000; round += 1) {
      const headers = { authorization: text(), 'x-other': text(), 'X-Api-Key': text() };
      const body = {
        steps: [
          { id: 'a', kind: 'noop' },
          { id: 'b', kind: 'fetch', url: text(), headers },
        ],
      };
      if (JSON.stringify(body).includes('••••')) continue; // such a body is refused before it is sealed
      const sealed = sealBody(keyring, id, JSON.stringify(body));
      expect(openBody(keyring, { id, ...sealed })).toEqual(body);
      expect(shownBody({ body: JSON.stringify(body), secrets_sealed: null })).toBe(sealed.body);
    }
  });

  test('without credentials stays the text that it was', () => {
    const text =
      '{ "steps": [ {"id": "a", "kind": "fetch", "url": "https://a.example", "headers": {"Accept":"*/*"}} ] }';
    expect(sealBody(keyring, id, text)).toEqual({ body: text, secrets_sealed: {} });
  });

  test('does not open for another version', () => {
    const text = JSON.stringify({
      steps: [{ kind: 'fetch', url: 'https://a.example', headers: { 'x-token': 'abcdefgh1234' } }],
    });
    const sealed = sealBody(keyring, id, text);
    const other = openBody(keyring, { id: id.replace('0189', '0190'), ...sealed });
    expect(JSON.stringify(other)).not.toContain('abcdefgh');
  });

  test('of nothing but brackets takes no longer than its length', () => {
    const brackets = `${'{{'.repeat(60_000)}%}`;
    expect(url(brackets)).toBe(brackets);
  });
});
