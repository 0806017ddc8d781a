import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { pageLanguages } from '../../../http/hosted-page.ts';
import { languages } from './languages.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CARILLON_END_USER_RATE_LIMIT: '10' } });
  for (const category of [
    {
      key: 'news',
      name: 'News & <b>offers</b>',
      description: 'Once a week',
      default_channels: ['email', 'sms'],
    },
    { key: 'product', name: 'Product', default_channels: ['email'], default_opt_in: false },
    { key: 'security', name: 'Security', default_channels: ['email'], is_critical: true },
  ])
    await app.request('POST', '/v1/preferences/categories', { body: category });
});
afterAll(() => app.stop());

/** The path of the page of a user. */
async function pathOf(user: string): Promise<string> {
  const { status, body } = await app.request('GET', `/v1/preferences/users/${encodeURIComponent(user)}/link`);
  expect(status).toBe(200);
  expect(body.url.startsWith(`${app.url}/p/`)).toBe(true);
  return body.url.slice(app.url.length);
}

const visit = (path: string, headers: Record<string, string> = {}) =>
  app.request('GET', path, { key: null, headers });

const submit = (path: string, form: [string, string][], headers: Record<string, string> = {}) =>
  app.request('POST', path, {
    key: null,
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });

/** The defaults. */
const shown: [string, string][] = [
  ['shown_on', 'news:email'],
  ['shown_on', 'news:sms'],
  ['shown_off', 'product:email'],
  ['shown_off', 'product:sms'],
];

const hiddenIn = (page: string): [string, string][] =>
  [...page.matchAll(/type="hidden" name="([^"]+)" value="([^"]+)"/g)].map(([, name = '', cell = '']) => [
    name,
    cell,
  ]);

/** The values of a user, by category and channel. */
async function chosen(user: string): Promise<Record<string, string>> {
  const { body } = await app.request('GET', `/v1/preferences/users/${user}`);
  return Object.fromEntries(
    body.data
      .filter(({ source }: { source: string }) => source !== 'default')
      .map(({ category_key, channel, opted_in, source }: Record<string, unknown>) => [
        `${category_key}:${channel}`,
        `${opted_in} ${source}`,
      ]),
  );
}

const checkedIn = (page: string): string[] =>
  [...page.matchAll(/name="on" value="([^"]+)" checked/g)].map(([, cell = '']) => cell);

describe('the page', () => {
  test('shows the categories of a user with their channels, and no script', async () => {
    const { status, body, headers } = await visit(await pathOf('ada'));
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(body).not.toContain('<script');
    expect(body).toContain('News &amp; &lt;b&gt;offers&lt;/b&gt;');
    expect(body).toContain('Once a week');
    expect(body).toContain('Always sent');
    expect(body).not.toContain('security:');
    expect(checkedIn(body)).toEqual(['news:email', 'news:sms']);
  });

  test('saves what is checked and what is not, as choices of the recipient', async () => {
    const path = await pathOf('grace');
    const { status, body } = await submit(path, [...shown, ['on', 'news:sms'], ['on', 'product:email']]);
    expect(status).toBe(200);
    expect(body).toContain('Your preferences have been saved.');
    expect(checkedIn(body)).toEqual(['news:sms', 'product:email']);
    expect(await chosen('grace')).toEqual({
      'news:email': 'false recipient',
      'product:email': 'true recipient',
    });
    expect(checkedIn((await visit(path)).body)).toEqual(['news:sms', 'product:email']);
  });

  test('that was open for a while undoes nothing that was chosen elsewhere since', async () => {
    const path = await pathOf('barbara');
    const old = hiddenIn((await visit(path)).body);
    expect(old).toEqual(shown);
    const on = (...cells: string[]) => cells.map((cell): [string, string] => ['on', cell]);
    await submit(path, [...old, ...on('news:sms', 'product:sms')]);
    const { body } = await submit(path, [...old, ...on('news:email', 'news:sms', 'product:email')]);
    expect(checkedIn(body)).toEqual(['news:sms', 'product:email', 'product:sms']);
    expect(checkedIn((await submit(path, [...old, ['all', 'off']])).body)).toEqual([]);
  });

  test('turns off everything with one button', async () => {
    const path = await pathOf('linus');
    const { body } = await submit(path, [...shown, ['on', 'news:email'], ['all', 'off']]);
    expect(checkedIn(body)).toEqual([]);
    expect(await chosen('linus')).toEqual({ 'news:email': 'false recipient', 'news:sms': 'false recipient' });
  });

  test('changes nothing that it had not shown, nothing critical and nothing unknown', async () => {
    const path = await pathOf('ken');
    expect((await submit(path, [['on', 'product:email']])).status).toBe(200);
    const odd: [string, string][] = [
      ['shown_on', 'security:email'],
      ['shown_off', 'gone:email'],
      ['on', 'gone:email'],
      ['shown_on', '__proto__'],
    ];
    expect((await submit(path, odd)).status).toBe(200);
    expect((await submit(path, [])).status).toBe(200);
    expect(await chosen('ken')).toEqual({});
  });

  test('is not changed by opening it, and not by a form of another site', async () => {
    const path = await pathOf('mallory');
    for (const method of ['GET', 'HEAD']) await app.request(method, path, { key: null });
    for (const site of ['cross-site', 'same-site'])
      expect((await submit(path, shown, { 'sec-fetch-site': site })).body.error.code).toBe('csrf_required');
    expect(await chosen('mallory')).toEqual({});
    expect((await submit(path, shown, { 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  test('refuses a form with more fields than it can have', async () => {
    const form = Array.from({ length: 13_000 }, (): [string, string] => ['on', 'x']);
    expect((await submit(await pathOf('ada'), form)).body.error.code).toBe('payload_too_large');
  });

  test('has the brand of the environment', async () => {
    const brand = {
      name: 'Acme <i>',
      logo_url: 'https://cdn.acme.example/logo.svg?a=1&b=2',
      accent_color: '#FFCC00',
    };
    const { status, body: saved } = await app.request('PUT', '/v1/brand', { body: brand });
    expect([status, saved]).toEqual([200, { ...brand, accent_color: '#ffcc00' }]);
    expect((await app.request('GET', '/v1/brand')).body).toEqual(saved);
    const { body, headers } = await visit(await pathOf('brand'));
    expect(body).toContain('Acme &lt;i&gt;</span>');
    expect(body).toContain('<img src="https://cdn.acme.example/logo.svg?a=1&amp;b=2" alt="">');
    expect(body).toContain('--act: #ffcc00; --on-act: #000000');
    expect(headers.get('content-security-policy')).toContain('; img-src https://cdn.acme.example;');
    const audit = await app.request('GET', '/v1/audit-log?limit=1');
    expect(audit.body.data[0]).toMatchObject({ action: 'brand.replaced', after: saved });
    await app.request('PUT', '/v1/brand', { body: {} });
    expect((await visit(await pathOf('brand'))).body).not.toContain('<header>');
  });

  test.each([
    ['logo_url', 'http://acme.example/logo.svg'],
    ['logo_url', 'https://a:b@acme.example/logo.svg'],
    ['logo_url', 'javascript:alert(1)'],
    ['logo_url', "https://a;script-src'self'.example/logo.svg"],
    ['logo_url', 'https://a,b.example/logo.svg'],
    ['accent_color', 'red; } body { display: none'],
    ['name', 'two\nlines'],
  ])('takes no brand with %s %j', async (field, value) => {
    const { status, body } = await app.request('PUT', '/v1/brand', { body: { [field]: value } });
    expect([status, body.error.param]).toEqual([400, field]);
  });

  test('speaks ten languages, Arabic from right to left', async () => {
    const path = await pathOf('polyglot');
    for (const language of pageLanguages) {
      const { body, headers } = await visit(path, { 'accept-language': `${language}-XX, en;q=0.1` });
      expect(headers.get('content-language')).toBe(language);
      expect(body).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`);
      expect(body).toContain(`<h1>${languages[language].title}</h1>`);
    }
    const [english, ...others] = Object.values(languages);
    for (const texts of others) expect(Object.keys(texts)).toEqual(Object.keys(english ?? {}));
  });
});

describe('the link', () => {
  test('is the same every time, for all spellings of an address, and for no other user', async () => {
    const path = await pathOf('Ada@Example.com');
    expect(await pathOf('ada@example.com')).toBe(path);
    expect(await pathOf('eve@example.com')).not.toBe(path);
    expect(path).not.toMatch(/ada/i);
  });

  test('altered, of another kind or made up leads nowhere', async () => {
    const path = await pathOf('altered');
    const unsubscribe = await linkInEmail('{{ unsubscribe_url }}');
    const asPage = unsubscribe.replace('/u/', '/p/');
    const asUnsubscribe = path.replace('/p/', '/u/');
    for (const link of [`${path}A`, path.slice(0, -1), '/p/x', asPage, asUnsubscribe])
      expect([link, (await visit(link)).status]).toEqual([link, 404]);
    expect((await submit('/p/x', shown)).status).toBe(404);
    expect((await app.request('POST', asUnsubscribe, { key: null })).status).toBe(404);
  });

  test('is a variable of email templates, beside the unsubscribe link', async () => {
    expect(await linkInEmail('{{ preferences_url }}')).toBe(await pathOf('template@example.com'));
  });

  test('needs a key that may change preferences', async () => {
    const { body: made } = await app.request('POST', '/v1/api-keys', {
      body: { name: 'Reader', preset: 'read_only' },
    });
    const { status } = await app.request('GET', '/v1/preferences/users/ada/link', { key: made.key });
    expect(status).toBe(403);
  });

  test('that is called too often answers 429 in the language of the visitor', async () => {
    const path = await pathOf('impatient');
    const german = { 'accept-language': 'de' };
    const answers = await Promise.all(Array.from({ length: 100 }, () => visit(path, german)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toContain('Zu viele Anfragen');
    expect(refused?.headers.get('retry-after')).toBe('1');
    expect((await visit(await pathOf('patient'))).status).toBe(200);
  });
});

/** The path of the link that a template shows. */
async function linkInEmail(variable: string): Promise<string> {
  const key = `template-${crypto.randomUUID()}`;
  await app.request('POST', '/v1/templates', {
    body: { key, name: key, subject_template: 'News', html_body_template: `<a href="${variable}">x</a>` },
  });
  const { body } = await app.request('POST', '/v1/notifications', {
    body: {
      channel: 'email',
      recipient: { address: 'template@example.com' },
      template_key: key,
      category: 'news',
    },
  });
  await app.waitFor(body.id, ({ status }) => status === 'delivered');
  const { body: found } = await app.request('GET', `/v1/sandbox/messages?notification_id=${body.id}`);
  const url = /href="([^"]+)"/.exec(found.data[0].payload.html)?.[1] ?? '';
  return url.slice(app.url.length);
}
