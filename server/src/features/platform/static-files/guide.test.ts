import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createGuide } from './guide.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-guide-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A site as `npm run docs` publishes it: compressed files, and the list of them. */
function publish(contents: Record<string, string>): void {
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, `${path}.br`), brotliCompressSync(text));
  }
  const files = Object.fromEntries(Object.keys(contents).map((path) => [path, `hash of ${path}`]));
  writeFileSync(join(folder, 'files.json'), JSON.stringify({ current: files, scripts: ['sha256-AAAA'] }));
}

const site = {
  'index.html': 'the index',
  '404.html': 'no such page',
  'guides/sms.html': 'text messages',
  'assets/app.js': 'run()',
};

function open() {
  const answer = createGuide([pathToFileURL(`${folder}/`)]);
  return (url: string, headers: Record<string, string> = {}) => answer({ method: 'GET', url, headers });
}

test('without a built site, its address says how to get one', () => {
  const reply = open()('/docs/guide/');
  expect(reply).toMatchObject({ status: 404, contentType: 'text/html; charset=utf-8' });
  expect(reply?.body).toContain('npm run docs');
});

test('pages and their files are below /docs/guide; other addresses are not its business', () => {
  publish(site);
  const get = open();
  expect(get('/docs/guide')).toMatchObject({ status: 308, headers: { location: '/docs/guide/' } });
  expect(String(get('/docs/guide/')?.body)).toBe('the index');
  expect(String(get('/docs/guide/guides/sms.html?x=1')?.body)).toBe('text messages');
  expect(get('/docs/guide/assets/app.js')?.headers?.['cache-control']).toContain('immutable');
  expect(get('/docs/guide/gone.html')).toMatchObject({ status: 404, body: Buffer.from('no such page') });
  expect(get('/docs/guide/../files.json')).toMatchObject({ status: 404 });
  for (const path of ['/docs', '/docs/guides', '/']) expect(get(path)).toBeNull();
});

test('a browser gets the stored bytes, and knows when it has them already', () => {
  publish(site);
  const get = open();
  const reply = get('/docs/guide/', { 'accept-encoding': 'gzip, br' });
  expect(reply?.headers?.['content-encoding']).toBe('br');
  expect(String(brotliDecompressSync(reply?.body as Buffer))).toBe('the index');
  const etag = String(reply?.headers?.etag);
  expect(get('/docs/guide/', { 'accept-encoding': 'br', 'if-none-match': etag })).toMatchObject({
    status: 304,
  });
});

test('only scripts of the site run in its pages', () => {
  publish(site);
  const policy = open()('/docs/guide/')?.headers?.['content-security-policy'];
  expect(policy).toContain("default-src 'none'; script-src 'self' 'sha256-AAAA';");
});
