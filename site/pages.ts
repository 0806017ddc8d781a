import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OpenApiDocument } from '../server/src/http/openapi-document.ts';
import { apiPages, apiReference } from './api-reference.ts';
import { groupsOf, replaceLinks, withTabs } from './markdown.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'site/dist/pages');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const repository: string = JSON.parse(read('server/package.json')).repository.url.replace(
  /^git\+(.*)\.git$/,
  '$1',
);

/** Where a file of the repository is on the site. */
const pages = new Map([
  ['openapi.json', 'api/index.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    // Decisions are for those who work on the code, like the pages outside of docs/: links lead to them in the repository. With them
    // the site would be larger than what a package may grow by.
    .filter((path) => path.endsWith('.md') && !/^adr\/\d/.test(path))
    .map((path): [string, string] => [`docs/${path}`, path.replace(/README\.md$/, 'index.md')]),
]);

/** Writes what VitePress builds the site from: the Markdown files of the repository, the API reference and the sidebar. */
function main(): void {
  rmSync(target, { recursive: true, force: true });
  for (const [source, page] of pages) {
    if (source.endsWith('.md'))
      write(page, withTabs(replaceLinks(read(source), (link) => adapted(link, source))));
  }
  const document: OpenApiDocument = JSON.parse(read('openapi.json'));
  for (const [page, text] of Object.entries(apiReference(document))) write(`api/${page}`, withTabs(text));
  write('sidebar.json', JSON.stringify(sidebar(document)));
}

function write(page: string, text: string): void {
  const path = join(target, page);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Turns a link between files of the repository into one between pages of the site. Pictures come along. */
function adapted(link: string, source: string): string {
  const [path = '', anchor] = link.split('#');
  if (path === '') return link;
  const file = posix.join(posix.dirname(source), path);
  const from = posix.dirname(pages.get(source) ?? '');
  if (/\.(png|webp|svg)$/.test(file) && existsSync(join(root, file))) {
    cpSync(join(root, file), join(target, file.replace(/^docs\//, '')));
    return posix.relative(from, file.replace(/^docs\//, ''));
  }
  const page = pages.get(file) ?? pages.get(posix.join(file, 'README.md'));
  if (page === undefined && existsSync(join(root, file))) return `${repository}/blob/main/${file}`;
  if (page === undefined) throw new Error(`${source} links to ${link}, which does not exist.`);
  return `${posix.relative(from, page)}${anchor ? `#${anchor}` : ''}`;
}

/** The groups of docs/README.md; below the API reference its own pages, because each page holds the links of its sidebar. */
function sidebar(document: OpenApiDocument): unknown {
  const groups = groupsOf(read('docs/README.md')).map(({ text, items }) => ({
    text,
    items: items.map(({ text: title, page }) => ({
      text: title,
      link: route(adapted(page, 'docs/README.md')),
    })),
  }));
  const operations = apiPages(document).map(({ title, page }) => ({
    text: title,
    link: route(`api/${page}`),
  }));
  return { '/': groups, '/api/': [{ text: 'API reference', link: '/api/', items: operations }] };
}

/** The address of a page, as VitePress matches it with the current one. A page of the repository has its own. */
function route(page: string): string {
  return page.startsWith('https:') ? page : `/${page.replace(/(?:index)?\.md$/, '')}`;
}

main();
