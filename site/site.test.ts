import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { expect, test } from 'vitest';
import { apiReference } from './api-reference.ts';
import { brokenLinks } from './built-links.ts';
import { groupsOf, replaceLinks, withTabs } from './markdown.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

function linksOf(page: string): string[] {
  const found: string[] = [];
  replaceLinks(textOf(page), (target) => {
    const path = target.split('#', 1)[0] ?? '';
    if (path !== '') found.push(join(dirname(page), path));
    return target;
  });
  return found;
}

test('every page of the documentation is at most two clicks from its index', () => {
  const index = 'docs/README.md';
  const isPage = (path: string) => path.endsWith('.md') && existsSync(join(root, path));
  const first = linksOf(index).filter(isPage);
  const reached = new Set([index, ...first, ...first.flatMap(linksOf)]);
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path));
  expect(pages.length).toBeGreaterThan(50);
  expect(pages.filter((page) => !reached.has(page))).toEqual([]);
});

test('the sidebar has the groups and the links of the index', () => {
  const groups = groupsOf(textOf('docs/README.md'));
  expect(groups.length).toBeGreaterThan(5);
  for (const { text, items } of groups) expect([text, items.length > 0]).toEqual([text, true]);
  const listed = groups.flatMap(({ items }) => items.map(({ page }) => page));
  const guides = readdirSync(join(root, 'docs/guides')).filter((name) => name.endsWith('.md'));
  expect(guides.filter((name) => !listed.includes(`guides/${name}`))).toEqual([]);
});

test('the text is not longer than what the published site may weigh', () => {
  const guides = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.md') && !/^adr\/\d/.test(path),
  );
  const pages = [
    ...guides.map((path) => textOf(join('docs', path))),
    ...Object.values(apiReference(JSON.parse(textOf('openapi.json')))),
  ];
  const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
  const size = pages.reduce((sum, page) => sum + brotliCompressSync(page, quick).length, 0);
  // Measured: 216 KB became 993 KB of site, with frames, programs and search. `npm run docs` fails above 2,000.
  expect(size).toBeLessThan(430_000);
});

test('a command with curl and the call in TypeScript after it become tabs; other code stays as it is', () => {
  const block = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``;
  const [curl, shell, call] = [block('sh', 'curl -s x'), block('sh', 'npm start'), block('ts', 'await x();')];
  expect(withTabs(`${curl}\n\n${call}\n`)).toBe(
    `::: code-group\n\n${block('sh [curl]', 'curl -s x')}\n\n${block('ts [TypeScript]', 'await x();')}\n\n:::\n`,
  );
  for (const text of [`${shell}\n\n${call}\n`, `${curl}\n\nThen:\n\n${call}\n`, `${curl}\n\n${shell}\n`])
    expect(withTabs(text)).toBe(text);
});

test('links in code are not links', () => {
  const text = 'See [one](one.md), `[two](two.md)` and\n\n```sh\n[three](three.md)\n```\n';
  expect(replaceLinks(text, (target) => `/${target}`)).toBe(text.replace('(one.md)', '(/one.md)'));
});

test('a link of the built site to a missing page, heading or picture is found', () => {
  const page = (body: string) => Buffer.from(`<h1 id="top">x</h1>${body}`);
  const files = new Map([
    [
      'index.html',
      page('<a href="/base/guides/sms.html#top">1</a> <a href="guides/">2</a> <img src="/base/x.webp">'),
    ],
    ['guides/index.html', page('<a href="../index.html#gone">3</a> <a href="sms.html#top">4</a>')],
    [
      'guides/sms.html',
      page('<a href="email.html">5</a> <a href="/elsewhere">6</a> <a href="https://example.com">7</a>'),
    ],
  ]);
  expect(brokenLinks(files, '/base/')).toEqual([
    'index.html: /base/x.webp',
    'guides/index.html: ../index.html#gone',
    'guides/sms.html: email.html',
    'guides/sms.html: /elsewhere',
  ]);
});
