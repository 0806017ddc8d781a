import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDashboard } from './dashboard.ts';

let dist: string;
let folder: string;
beforeEach(() => {
  dist = mkdtempSync(join(tmpdir(), 'carillon-pages-'));
  folder = join(dist, 'dashboard');
  mkdirSync(join(folder, 'assets'), { recursive: true });
});
afterEach(() => rmSync(dist, { recursive: true, force: true }));

let builds = 0;
/** A build as the script makes it: its files, and the list of them last. */
function publish(files: Record<string, string>, former: Record<string, string> = {}): void {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  const current = Object.fromEntries(Object.keys(files).map((path) => [path, `hash of ${files[path]}`]));
  writeFileSync(join(folder, 'files.json'), JSON.stringify({ current, former }));
  builds += 1;
  utimesSync(join(folder, 'files.json'), builds, builds);
}

function open() {
  const answer = createDashboard([pathToFileURL(`${folder}/`)]);
  return (url: string) => {
    const reply = answer({ method: 'GET', url, headers: {} });
    return reply && { status: reply.status, text: String(reply.body), etag: reply.headers?.etag };
  };
}

describe('a service that runs while the dashboard is built anew', () => {
  test('says how far it is, and serves it as soon as it is there', () => {
    const get = open();
    const page = (progress: object) => {
      writeFileSync(join(dist, '.pages.json'), JSON.stringify(progress));
      const { status, text } = get('/') ?? {};
      return `${status} ${/<p>The dashboard (.*?)<\/p>/.exec(text ?? '')?.[1]}`;
    };
    expect(get('/')?.text).toContain('The dashboard is not built.');
    expect(page({ state: 'installing' })).toMatch(/^503 is being installed\. .* not affected\.$/);
    expect(page({ state: 'installing', installed: 7, packages: 9 })).toContain('(7 of 9 packages)');
    expect(page({ state: 'building' })).toMatch(/^503 is being built\. .* not affected\.$/);
    expect(page({ state: 'failed' })).toMatch(/^503 is missing: .* not affected\. .* npm run build$/);
    publish({ 'index.html': 'one' });
    expect(get('/')).toMatchObject({ status: 200, text: 'one' });
  });

  test('serves the new document with its files, and the former files to pages that are open', () => {
    publish({ 'index.html': 'one', 'assets/one.js': '1' });
    const get = open();
    const first = get('/');
    publish({ 'index.html': 'two', 'assets/two.js': '2' }, { 'assets/one.js': 'hash of 1' });
    expect(get('/')).toMatchObject({ status: 200, text: 'two' });
    expect(get('/')?.etag).not.toBe(first?.etag);
    expect(get('/assets/two.js')).toMatchObject({ status: 200, text: '2' });
    expect(get('/assets/one.js')).toMatchObject({ status: 200, text: '1' });
  });

  test('has no answer for a file that is gone: an empty one would be kept for ever', () => {
    publish({ 'index.html': 'one', 'assets/one.js': '1' });
    const get = open();
    rmSync(join(folder, 'assets/one.js'));
    expect(get('/assets/one.js')).toBeNull();
  });
});
