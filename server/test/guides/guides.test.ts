import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { anchorOf } from '../../../site/markdown.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');
const folder = (name: string): string[] =>
  readdirSync(join(root, name))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${name}/${file}`);
const pages = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'bench/RESULTS.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path)),
];

const exampleGuides = (): string[] =>
  readdirSync(join(root, 'examples')).flatMap((name) => folder(`examples/${name}`));

test('every link of the documentation leads somewhere', () => {
  const dead = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(
      ([link, path, anchor]) => {
        const target = path ? join(dirname(page), path) : page;
        if (!existsSync(join(root, target))) return [`${page}: ${link}`];
        if (!anchor) return [];
        const anchors = [...textOf(target).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
          anchorOf(heading),
        );
        return anchors.includes(anchor) ? [] : [`${page}: ${link}`];
      },
    ),
  );
  expect(dead).toEqual([]);
});

test('commands and code call the variable of the key CARILLON_API_KEY', () => {
  const readers = [
    'README.md',
    'sdk/README.md',
    'cli/README.md',
    ...folder('docs/guides'),
    ...exampleGuides(),
  ];
  const old = readers.filter((page) =>
    [...textOf(page).matchAll(/```\w+\n([\s\S]*?)```/g)].some(([, code]) =>
      /\bCARILLON_KEY\b/.test(code ?? ''),
    ),
  );
  expect(old).toEqual([]);
});

test('the README stays short', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThan(150);
});

const services = {
  chatone: 'Slack',
  chattwo: 'Microsoft Teams',
  chatthree: 'Discord',
  smsone: 'Twilio',
  smstwo: 'Vonage',
};

/** Neutral names that a text for people uses as words without naming the service; names of fields and codes are not words. */
function unexplained(text: string): string[] {
  const words = text.replaceAll(/`[^`]*`/g, (code) => (code.includes('_') || code.includes('/') ? '' : code));
  return Object.entries(services)
    .filter(([name, service]) => new RegExp(`\\b${name}\\b`).test(words) && !text.includes(service))
    .map(([name]) => name);
}

test('a guide that names a neutral channel or provider says which service it is, in its title too', () => {
  const readers = ['README.md', 'ARCHITECTURE.md', 'docs/config.md', ...folder('docs/guides')];
  const bad = readers.flatMap((page) => {
    const text = textOf(page).replaceAll(/```\w*\n[\s\S]*?```/g, '');
    const headings = text.match(/^#+ .*$/gm) ?? [];
    return [text, ...headings].flatMap((part) =>
      unexplained(part).map((name) => `${page}: ${name}${part === text ? '' : ` in "${part}"`}`),
    );
  });
  expect(bad).toEqual([]);
});

test('summaries and descriptions of the API name the service behind a neutral name', () => {
  const { paths, tags, info, components } = JSON.parse(textOf('openapi.json'));
  const bad: string[] = [];
  const look = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, part] of Object.entries(value)) {
      const isText = ['summary', 'description', 'name'].includes(key) && typeof part === 'string';
      if (isText) bad.push(...unexplained(part).map((name) => `${at}.${key}: ${name}`));
      look(part, `${at}.${key}`);
    }
  };
  look({ paths, tags, info, schemas: components.schemas }, 'openapi');
  expect(bad).toEqual([]);
});

test('every reason why a notification has no delivery plan is explained', () => {
  const planners = readdirSync(join(root, 'server/src/channels'), { recursive: true, encoding: 'utf8' });
  const reasons = planners
    .filter((file) => /plan\.ts$/.test(file))
    .flatMap((file) => [...textOf(`server/src/channels/${file}`).matchAll(/reason: '([a-z_]+)',\s+problem/g)])
    .map(([, reason]) => reason);
  expect(reasons.length).toBeGreaterThan(5);
  const guide = textOf('docs/guides/activity.md');
  expect(reasons.filter((reason) => !guide.includes(`\`${reason}\``))).toEqual([]);
});
