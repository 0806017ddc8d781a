import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp, type TestResponse, waitUntil } from '../../../../test/harness/app.ts';
import { type LinkSecret, makeToken } from '../../platform/links/index.ts';
import { trackedHtml } from './index.ts';

type Json = TestResponse['body'];

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const html = `<html><body><p>Hello</p>
<a href="https://acme.example/shop?a=1&amp;b=ü">shop</a>
<a href="mailto:help@acme.example">write</a> <a href="#top">top</a>
<a href="https://acme.example/unsubscribe?u=1">leave</a>
<a href="javascript:alert(1)">bad</a></body></html>`;

const configure = (settings: object): Promise<TestResponse> =>
  app.request('PUT', `/v1/environments/${app.testEnvironmentId}/email-settings`, {
    body: { providers: [], ...settings },
  });

/** Settings take effect within a second: sends until what the sandbox got is as it should be. */
function send(
  isAsMeant: (payload: Json) => boolean,
  changes: object = {},
): Promise<{ id: string; payload: Json }> {
  return waitUntil(async () => {
    const { body } = await app.request('POST', '/v1/notifications', {
      body: {
        channel: 'email',
        recipient: { address: 'ada@example.com' },
        subject: 'Hello',
        html_body: html,
        ...changes,
      },
    });
    await app.waitFor(body.id, ({ status }) => status === 'delivered');
    const { body: page } = await app.request('GET', `/v1/sandbox/messages?notification_id=${body.id}`);
    const { payload } = page.data[0];
    return isAsMeant(payload) ? { id: body.id, payload } : new Error(`got ${payload.html}`);
  }, 20_000);
}

const linksIn = (text: string): string[] =>
  [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, url = '']) => url.replaceAll('&amp;', '&'));
const browser = { 'user-agent': 'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Safari' };
const get = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { redirect: 'manual', headers: browser, ...init });
const eventsOf = async (id: string, type: string): Promise<Json[]> =>
  (await app.request('GET', `/v1/notifications/${id}`)).body.events.filter(
    (event: Json) => event.type === type,
  );
const awaitEvents = (id: string, type: string): Promise<Json[]> =>
  waitUntil(async () => {
    const events = await eventsOf(id, type);
    return events.length > 0 ? events : new Error(`no ${type} yet`);
  }, 20_000);

describe('an email of an environment that tracks', () => {
  let id: string;
  let payload: Json;
  let pixel: string;
  let click: string;
  beforeAll(async () => {
    await configure({ track_opens: true, track_clicks: true });
    ({ id, payload } = await send((seen) => seen.html.includes('/t/o/') && seen.html.includes('/t/c/')));
    const links = linksIn(payload.html);
    pixel = links.find((url) => url.includes('/t/o/')) ?? '';
    click = links.find((url) => url.includes('/t/c/')) ?? '';
  });

  it('is stored by the sandbox as far as it differs from its content', async () => {
    const { rows } = await app.pool.query(
      'select payload, from_content from sandbox_messages where notification_id = $1',
      [id],
    );
    expect(rows).toEqual([
      { payload: expect.objectContaining({ html: payload.html, subject: '' }), from_content: ['subject'] },
    ]);
    expect(payload.subject).toBe('Hello');
  });

  it('leads web links through us, leaves all others alone, and shows people none of it in its text', () => {
    expect(linksIn(payload.html)).toEqual([
      expect.stringMatching(`^${app.url}/t/c/[\\w-]+$`),
      'mailto:help@acme.example',
      '#top',
      'https://acme.example/unsubscribe?u=1',
      'javascript:alert(1)',
      expect.stringMatching(`^${app.url}/t/o/[\\w-]+$`),
    ]);
    expect(payload.text).toContain('https://acme.example/shop');
    expect(payload.text).not.toContain('/t/');
  });

  it('is kept as it was written', async () => {
    const { body } = await app.request('GET', `/v1/notifications/${id}`);
    expect(body.html_body).toBe(html);
  });

  it('is opened when its pixel is loaded, once a minute at most', async () => {
    for (let time = 0; time < 5; time += 1) {
      const response = await get(pixel);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/gif']);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(
        Buffer.from(await response.arrayBuffer())
          .subarray(0, 6)
          .toString(),
      ).toBe('GIF89a');
    }
    expect((await awaitEvents(id, 'Opened')).length).toBeLessThanOrEqual(2); // a minute may have ended meanwhile
  });

  it('is clicked when its link is followed, and the link leads where it was meant to', async () => {
    const response = await get(click);
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe('https://acme.example/shop?a=1&b=%C3%BC');
    const [event] = await awaitEvents(id, 'Clicked');
    expect(event.detail).toBe('https://acme.example/shop?a=1&b=ü');
    expect((await app.request('GET', `/v1/notifications/${id}`)).body.status).toBe('delivered');
  });

  it('is neither for those who only look: HEAD, prefetching, scanners', async () => {
    const other = await send((seen) => seen.html.includes('/t/o/'));
    const [shop = '', , , , , image = ''] = linksIn(other.payload.html);
    for (const url of [shop, image]) {
      expect((await get(url, { method: 'HEAD' })).status).toBeLessThan(400);
      await get(url, { headers: { ...browser, 'sec-purpose': 'prefetch' } });
      await get(url, { headers: { 'user-agent': 'Slackbot-LinkExpanding 1.0' } });
    }
    await get(image); // a real one after them: whatever was counted is there by now
    await awaitEvents(other.id, 'Opened');
    expect(await eventsOf(other.id, 'Clicked')).toEqual([]);
    expect((await eventsOf(other.id, 'Opened')).length).toBe(1);
  });

  it('has links that nobody can make, alter or use for something else', async () => {
    const token = click.split('/').at(-1) ?? '';
    const opener = pixel.split('/').at(-1) ?? '';
    const bytes = Buffer.from(token, 'base64url');
    const elsewhere = Buffer.concat([bytes.subarray(0, 41), Buffer.from('https://evil.example/')]).toString(
      'base64url',
    );
    const secret: LinkSecret = {
      environmentId: app.testEnvironmentId,
      handle: bytes.subarray(1, 9),
      secret: Buffer.alloc(32, 1),
    };
    const guessed = makeToken(
      secret,
      'click',
      Buffer.concat([bytes.subarray(25, 41), Buffer.from('https://evil.example/')]),
    );
    for (const path of [
      `/t/c/${elsewhere}`,
      `/t/c/${guessed}`,
      `/t/c/${opener}`,
      `/t/o/${token}`,
      `/t/c/${token}A`,
      `/t/c/${token.slice(0, -2)}`,
      '/t/c/x',
      '/t/o/x',
      '/t/c/https%3A%2F%2Fevil.example',
      `/t/c/${'A'.repeat(2_000)}`,
    ]) {
      const response = await get(app.url + path);
      expect([path, response.status, response.headers.get('location')]).toEqual([path, 404, null]);
    }
  });

  it('keeps its unsubscribe link', async () => {
    await app.request('POST', '/v1/preferences/categories', {
      body: {
        key: 'news',
        name: 'News',
        default_channels: ['email'],
        default_opt_in: true,
        is_critical: false,
      },
    });
    await app.request('POST', '/v1/templates', {
      body: {
        key: 'with-link',
        name: 'With link',
        subject_template: 'Hi',
        html_body_template:
          '<a href="{{ unsubscribe_url }}">leave</a><a href="https://acme.example/">shop</a>',
      },
    });
    const { payload: shown } = await send((seen) => seen.html.includes('/t/c/'), {
      html_body: undefined,
      subject: undefined,
      template_key: 'with-link',
      category: 'news',
    });
    expect(linksIn(shown.html)[0]).toMatch(`${app.url}/u/`);
  });
});

describe('an email of an environment that does not track', () => {
  it.each([
    ['anything', {}, false, false],
    ['clicks', { track_opens: true }, true, false],
    ['opens', { track_clicks: true }, false, true],
  ])('%s', async (_what, settings, opens, clicks) => {
    await configure(settings);
    const { payload } = await send(
      (seen) => seen.html.includes('/t/o/') === opens && seen.html.includes('/t/c/') === clicks,
    );
    if (!opens && !clicks) expect(payload.html).toBe(html);
  });
});

describe('tracked HTML', () => {
  const secret: LinkSecret = {
    environmentId: '0198aaaa-0000-7000-8000-00000000000e',
    handle: Buffer.alloc(8, 1),
    secret: Buffer.alloc(32, 2),
  };
  const tracked = (text: string): string =>
    trackedHtml(
      text,
      '0198aaaa-0000-7000-8000-000000000001',
      { opens: true, clicks: true },
      {
        publicUrl: 'https://n.example',
        secret,
      },
    );

  it('is the same in every attempt', () => {
    expect(tracked(html)).toBe(tracked(html));
  });

  it('leaves links alone that are too long, carry credentials, or are ours already', () => {
    for (const url of [
      `https://a.example/${'x'.repeat(2_000)}`,
      'https://user:secret@a.example/',
      'https://n.example/u/token',
      'https://n.example/t/c/token',
      'tel:+123',
      'ftp://a.example/',
      '/relative',
      '//a.example/',
      '{{ url }}',
    ])
      expect(tracked(`<a href="${url}">x</a>`)).toContain(`href="${url}"`);
  });
});
