import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';

const build = new URL('../../../../../scripts/build-dashboard.mjs', import.meta.url).href;

let app: TestApp;
beforeAll(async () => {
  const { ensureDashboard } = (await import(build)) as { ensureDashboard(): Promise<void> };
  await ensureDashboard();
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
}, 120_000);
afterAll(() => app?.stop());

const get = (path: string, headers: Record<string, string> = {}) => fetch(app.url + path, { headers });

describe('the dashboard', () => {
  test.each([
    '/',
    '/sign-in',
    '/invitation',
    '/test',
    '/live/notifications/abc',
    '/connections/chatone?installed=1',
  ])('answers %s with the document, which may run no script but ours and stand in no frame', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("default-src 'none'");
    expect(await response.text()).toContain('<div id="root">');
  });

  test('its files are kept for ever, compressed, and not sent again to those who have them', async () => {
    const file = /\/assets\/[\w.-]+\.js/.exec(await (await get('/')).text())?.[0] ?? '';
    const response = await get(file, { 'accept-encoding': 'br' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(response.headers.get('content-encoding')).toBe('br');
    expect(response.headers.get('cache-control')).toContain('immutable');
    const etag = response.headers.get('etag') ?? '';
    expect((await get(file, { 'accept-encoding': 'br', 'if-none-match': etag })).status).toBe(304);
  });

  test.each(['/v1/nothing', '/assets/none.js', '/assets/..%2f..%2fmain.js', '/testing', '/auth/nothing'])(
    '%s is no page: what is no operation of the API stays a refusal in JSON',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: 'route_not_found' } });
    },
  );

  test('a page cannot be written to', async () => {
    const response = await fetch(`${app.url}/test/overview`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(404);
  });
});
