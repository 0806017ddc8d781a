import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import type { Deps } from '../../../deps.ts';
import { createKeyring } from '../../../kernel/crypto.ts';
import { createLinkSecrets } from '../../platform/links/index.ts';
import { languageFor, languages } from './languages.ts';
import { createUnsubscribeLinks } from './links.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  for (const category of [
    { key: 'news', name: 'News & <b>offers</b>', default_channels: ['email', 'sms'] },
    { key: 'alarm', name: 'Alarm', default_channels: ['email'], is_critical: true },
  ])
    await app.request('POST', '/v1/preferences/categories', { body: category });
});
afterAll(() => app.stop());

async function send(body: object) {
  const { body: made } = await app.request('POST', '/v1/notifications', {
    body: { channel: 'email', subject: 'Hello', text_body: 'Hi', ...body },
  });
  return app.waitFor(made.id, (n) => !['queued', 'sending'].includes(n.status));
}

async function payloadOf(id: string) {
  return (await app.request('GET', `/v1/sandbox/messages?notification_id=${id}`)).body.data[0].payload;
}

/** The path of the link in an email to this user. */
async function linkTo(recipient: object): Promise<string> {
  const { id } = await send({ recipient, category: 'news' });
  const { headers } = await payloadOf(id);
  return headers['List-Unsubscribe'].slice(1 + app.url.length, -1);
}

/** The links of another process. */
const linksOf = (more: Partial<Deps> = {}) => {
  const deps = { ...app.deps, ...more };
  return createUnsubscribeLinks({ ...deps, linkSecrets: createLinkSecrets(deps) });
};

const visit = (
  method: string,
  path: string,
  options: { body?: string; headers?: Record<string, string> } = {},
) => app.request(method, path, { key: null, ...options });
const oneClick = {
  body: 'List-Unsubscribe=One-Click',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
};

describe('category email', () => {
  test('carries both headers, as RFC 8058 wants them, and the message shows them', async () => {
    const { id } = await send({ recipient: { address: 'ada@example.com' }, category: 'news' });
    const { headers, mime } = await payloadOf(id);
    expect(headers['List-Unsubscribe']).toMatch(/^<http:\/\/[^<>\s]+\/u\/[\w-]+>$/);
    expect(headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click');
    expect(mime.replace(/\r\n\s+/g, ' ')).toContain(`List-Unsubscribe: ${headers['List-Unsubscribe']}`);
    expect(mime).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(decodeURIComponent(headers['List-Unsubscribe'])).not.toContain('ada@');
  });

  test('has the same link every time, and everybody their own', async () => {
    expect(await linkTo({ address: 'same@example.com' })).toBe(await linkTo({ address: 'Same@Example.com' }));
    expect(await linkTo({ address: 'same@example.com' })).not.toBe(
      await linkTo({ address: 'else@example.com' }),
    );
  });

  test.each([{}, { category: 'alarm' }])(
    'without a category, or with a critical one, has none: %j',
    async (more) => {
      const { id } = await send({ recipient: { address: 'ada@example.com' }, ...more });
      expect((await payloadOf(id)).headers).toEqual({});
    },
  );
});

test('templates can show the link, and what the caller passes wins', async () => {
  await app.request('POST', '/v1/templates', {
    body: {
      key: 'letter',
      name: 'Letter',
      subject_template: 'News',
      html_body_template: '<a href="{{ unsubscribe_url }}">Stop</a>',
    },
  });
  const recipient = { address: 'template@example.com' };
  const body = { recipient, template_key: 'letter', category: 'news', subject: null, text_body: null };
  const { id } = await send(body);
  const { headers, html } = await payloadOf(id);
  expect(html).toBe(`<a href="${headers['List-Unsubscribe'].slice(1, -1)}">Stop</a>`);
  const own = await send({ ...body, template_data: { unsubscribe_url: 'https://example.com/stop' } });
  expect((await payloadOf(own.id)).html).toBe('<a href="https://example.com/stop">Stop</a>');
});

describe('the page', () => {
  test('asks, and only asks: opening the link changes nothing', async () => {
    const path = await linkTo({ address: 'asks@example.com' });
    for (const method of ['GET', 'HEAD', 'GET']) expect((await visit(method, path)).status).toBe(200);
    const { body, headers } = await visit('GET', path);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(body).toContain('<html lang="en" dir="ltr">');
    expect(body).toContain('<form method="post">');
    expect(body).not.toContain('<script');
    expect(body).toContain('News &amp; &lt;b&gt;offers&lt;/b&gt;');
    expect((await send({ recipient: { address: 'asks@example.com' }, category: 'news' })).status).toBe(
      'delivered',
    );
  });

  test.each([
    ['it-IT,it;q=0.9,en;q=0.8', 'it', 'Vuoi smettere'],
    ['de', 'de', 'Möchten Sie'],
    ['xx, fr-CA;q=0.5', 'fr', 'Souhaitez-vous'],
    ['es;q=0.1, sv', 'es', '¿Quiere'],
    ['ar-EG', 'ar', 'هل تريد'],
    ['sv', 'en', 'Do you want'],
  ])('speaks %s as %s', async (accepted, language, text) => {
    const path = await linkTo({ address: 'lingua@example.com' });
    const { body, headers } = await visit('GET', path, { headers: { 'accept-language': accepted } });
    expect(body).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`);
    expect(body).toContain(text);
    expect(headers.get('content-language')).toBe(language);
    expect(headers.get('vary')).toBe('Accept-Language');
  });

  test('of a link that was altered says so, with 404', async () => {
    const path = await linkTo({ address: 'altered@example.com' });
    const altered = [
      path.slice(0, -1),
      `${path}A`,
      `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`,
      '/u/x',
    ];
    for (const link of altered) {
      const { status, body } = await visit('GET', link);
      expect([link, status]).toEqual([link, 404]);
      expect(body).toContain('This link does not work');
      expect((await visit('POST', link, oneClick)).status).toBe(404);
    }
    expect((await visit('GET', '/u/%00')).status).toBe(404); // no link of ours: refused before anyone looks at it
    expect((await send({ recipient: { address: 'altered@example.com' }, category: 'news' })).status).toBe(
      'delivered',
    );
  });
});

describe('a POST', () => {
  const multipart =
    '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n';

  test.each([
    ['a mail provider, urlencoded', oneClick],
    [
      'a mail provider, multipart',
      { body: multipart, headers: { 'content-type': 'multipart/form-data; boundary=x' } },
    ],
    ['the form of the page', { body: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['nothing at all', {}],
  ])('by %s opts out of that category on email, at once and for good', async (_who, options) => {
    const user = `user-${crypto.randomUUID()}`;
    const recipient = { external_user_id: user, address: 'delivered@sandbox.test' };
    const path = await linkTo(recipient);
    const first = await visit('POST', path, options);
    expect([first.status, first.body]).toEqual([200, expect.stringContaining('You are unsubscribed')]);
    expect((await visit('POST', path, options)).status).toBe(200);

    const held = await send({ recipient, category: 'news' });
    expect(held).toMatchObject({ status: 'suppressed', suppression_reason: 'category_opt_out' });
    const { body } = await app.request('GET', `/v1/preferences/users/${user}`);
    const cell = (channel: string) =>
      body.data.find(
        (entry: { category_key: string; channel: string }) =>
          entry.category_key === 'news' && entry.channel === channel,
      );
    expect(cell('email')).toMatchObject({ opted_in: false, source: 'unsubscribe' });
    expect(cell('sms')).toMatchObject({ opted_in: true, source: 'default' });
    expect((await send({ recipient })).status).toBe('delivered');
    expect((await send({ recipient, category: 'alarm' })).status).toBe('delivered');
  });

  test('can be taken back through the API', async () => {
    const path = await linkTo({ address: 'back@example.com' });
    await visit('POST', path, oneClick);
    await app.request('PATCH', '/v1/preferences/users/back@example.com/news/email', {
      body: { opted_in: true },
    });
    expect((await send({ recipient: { address: 'back@example.com' }, category: 'news' })).status).toBe(
      'delivered',
    );
  });

  test('with a huge body is refused', async () => {
    const path = await linkTo({ address: 'huge@example.com' });
    expect((await visit('POST', path, { ...oneClick, body: 'x'.repeat(20_000) })).status).toBe(413);
  });

  test('works for a category that was archived since', async () => {
    await app.request('POST', '/v1/preferences/categories', {
      body: { key: 'brief', name: 'Brief', default_channels: ['email'] },
    });
    const { id } = await send({ recipient: { address: 'years@example.com' }, category: 'brief' });
    const path = (await payloadOf(id)).headers['List-Unsubscribe'].slice(1 + app.url.length, -1);
    await app.request('DELETE', '/v1/preferences/categories/brief');
    expect((await visit('GET', path)).body).toContain('Brief');
    expect((await visit('POST', path, oneClick)).status).toBe(200);
  });
});

test('a raw body is for routes that ask for it: elsewhere a form is still refused', async () => {
  const { status } = await app.request('POST', '/v1/suppressions', {
    body: 'address=a',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(status).toBe(415);
});

test('links outlive the encryption key that their secret was sealed with', async () => {
  const path = await linkTo({ address: 'rotate@example.com' });
  const token = path.slice('/u/'.length);
  const [old, fresh] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
  const read = (keys: Buffer[]) => linksOf({ keyring: createKeyring(keys) }).read(token);
  const expected = { user: 'rotate@example.com', category: 'news', environmentId: app.testEnvironmentId };
  expect(await read([fresh, old])).toEqual(expected); // sealed anew on the way
  expect(await read([fresh])).toEqual(expected);
  expect(await read([old])).toBeNull();
  expect(await read([old, fresh])).toEqual(expected);
});

test('two processes that need the first secret of an environment end with the same one', async () => {
  const keys = await Promise.all(
    Array.from({ length: 10 }, async () =>
      (await linksOf().keysFor([app.liveEnvironmentId])).get(app.liveEnvironmentId),
    ),
  );
  expect(new Set(keys.map((key) => key?.encryption.toString('hex'))).size).toBe(1);
});

test('an id too long for a header line has no link rather than a broken message', async () => {
  const { id } = await send({
    recipient: { external_user_id: '語'.repeat(255), address: 'long@example.com' },
    category: 'news',
  });
  expect((await payloadOf(id)).headers).toEqual({});
});

describe('languages', () => {
  test('each says everything, and names the category', () => {
    for (const texts of Object.values(languages)) {
      expect(Object.keys(texts)).toEqual(Object.keys(languages.en ?? {}));
      for (const text of [texts.ask, texts.done]) expect(text).toContain('{name}');
    }
  });

  test.each([
    [undefined, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['de;q=0, fr;q=0.1', 'fr'],
    ['en;q=0.2, it;q=0.9', 'it'],
    ['__proto__, constructor', 'en'],
    ['PT-br', 'pt'],
    [';q=;;,,', 'en'],
  ])('%j is %s', (accepted, language) => {
    expect(languageFor(accepted).language).toBe(language);
  });
});
