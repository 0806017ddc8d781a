import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts';
import { chooseEncoding } from './files.ts';
import { widgetRoutes } from './widgets.ts';

const build = new URL('../../../../../scripts/build-widgets.mjs', import.meta.url).href;

let app: TestApp;
beforeAll(async () => {
  const { ensureWidgets } = (await import(build)) as { ensureWidgets(): Promise<void> };
  await ensureWidgets();
  app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
});
afterAll(() => app.stop());

/** As it is on the wire: fetch would unpack it. */
async function get(path: string, headers: Record<string, string> = {}) {
  const { request } = await import('node:http');
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>(
    (resolve, reject) => {
      request(app.url + path, { headers }, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
      })
        .on('error', reject)
        .end();
    },
  );
}

const manifest = async () =>
  JSON.parse((await get('/widgets/manifest.json')).body.toString()) as Record<
    string,
    { file: string; integrity: string }
  >;

describe('the files of the widgets', () => {
  test('are what the manifest says, for pages of any origin', async () => {
    const entries = Object.entries(await manifest());
    expect(entries.map(([name]) => name)).toEqual(['inbox.js', 'preferences.js', 'push-worker.js']);
    for (const [name, { file, integrity }] of entries) {
      for (const [path, caching] of [
        [name, 'public, max-age=300, stale-while-revalidate=86400'],
        [file, 'public, max-age=31536000, immutable'],
      ] as const) {
        const { status, headers, body } = await get(`/widgets/${path}`);
        expect([status, headers['content-type'], headers['cache-control']]).toEqual([
          200,
          'text/javascript; charset=utf-8',
          caching,
        ]);
        expect([headers['access-control-allow-origin'], headers['cross-origin-resource-policy']]).toEqual([
          '*',
          'cross-origin',
        ]);
        expect(headers['x-content-type-options']).toBe('nosniff');
        expect(`sha384-${createHash('sha384').update(body).digest('base64')}`).toBe(integrity);
      }
    }
  });

  test('weigh at most 40 KB each, with everything and ten languages included', async () => {
    for (const name of Object.keys(await manifest())) {
      const { body } = await get(`/widgets/${name}`);
      expect([name, gzipSync(body).length < 40 * 1024]).toEqual([name, true]);
      expect(body.toString()).not.toMatch(/^import|[;}]import[ {"*]/); // nothing is fetched from elsewhere
    }
  });

  test('come compressed to whoever takes that, and not again to whoever has them', async () => {
    const plain = await get('/widgets/inbox.js');
    for (const [accept, encoding, unpack] of [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
    ] as const) {
      const packed = await get('/widgets/inbox.js', { 'accept-encoding': accept });
      expect([packed.headers['content-encoding'], packed.headers.vary]).toEqual([
        encoding,
        'accept-encoding',
      ]);
      expect(unpack(packed.body).equals(plain.body)).toBe(true);
      expect(packed.headers.etag).not.toBe(plain.headers.etag);
      const again = await get('/widgets/inbox.js', {
        'accept-encoding': accept,
        'if-none-match': `"x", W/${packed.headers.etag}`,
      });
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, packed.headers.etag]);
    }
    expect((await get('/widgets/inbox.js', { 'if-none-match': '"another"' })).status).toBe(200);
  });

  test('that do not exist are not found, whatever their name', async () => {
    for (const name of [
      'inbox-000000000000.js',
      'inbox.js.gz',
      '.build',
      '..%2Fmain.js',
      '%00',
      'constructor',
      'x'.repeat(90),
    ]) {
      const { status, body } = await get(`/widgets/${name}`);
      expect([name, status, JSON.parse(body.toString()).error.type]).toEqual([name, 404, 'not_found_error']);
    }
  });
});

test('widgets that come after the service, or anew, are served when they are there', async () => {
  const dist = mkdtempSync(join(tmpdir(), 'carillon-widgets-'));
  const folder = join(dist, 'widgets');
  mkdirSync(folder);
  const [route] = widgetRoutes([pathToFileURL(`${folder}/`)]);
  const read = async () => route?.handler({ params: { file: 'inbox.js' }, raw: { headers: {} } } as never);
  const publish = (text: string, at: number) => {
    for (const ending of ['', '.gz', '.br']) writeFileSync(join(folder, `inbox.js${ending}`), text);
    const entry = { file: `inbox-${text}.js`, integrity: `sha384-${text}` };
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ 'inbox.js': entry }));
    utimesSync(join(folder, 'manifest.json'), at, at);
  };

  writeFileSync(join(dist, '.pages.json'), '{"state":"building"}');
  expect(await read()).toMatchObject({
    status: 503,
    headers: { 'retry-after': '2' },
    body: {
      error: {
        code: 'temporarily_unavailable',
        message: expect.stringMatching(/^The widgets are being built\./),
      },
    },
  });
  publish('one', 1);
  expect(await read()).toMatchObject({ status: 200, body: Buffer.from('one') });
  publish('two', 2);
  expect(await read()).toMatchObject({ status: 200, body: Buffer.from('two') });
  rmSync(dist, { recursive: true });
});

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0.000, gzip;q=0', 'identity'],
  ['*', 'br'],
  ['*;q=0', 'identity'],
  ['GZIP', 'gzip'],
  ['deflate', 'identity'],
])('Accept-Encoding %j gets %s', (header, encoding) => {
  const bytes = { identity: Buffer.of(), gzip: Buffer.of(), br: Buffer.of() };
  expect(chooseEncoding(header, bytes)).toBe(encoding);
});
