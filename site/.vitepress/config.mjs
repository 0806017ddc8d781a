import { readFileSync } from 'node:fs';
import { anchorOf } from '../markdown.ts';

const sidebar = JSON.parse(readFileSync(new URL('../dist/pages/sidebar.json', import.meta.url), 'utf8'));

export default {
  title: 'Carillon',
  description:
    'Self-hosted notification delivery: one HTTP API, seven channels, a full trace of every notification.',
  lang: 'en',
  base: process.env.DOCS_BASE ?? '/docs/guide/',
  srcDir: 'dist/pages',
  outDir: 'dist/site',
  cacheDir: 'dist/cache',
  metaChunk: true,
  // In every page: together 11 KB of a site that may have 1 MB.
  transformHtml: (page) =>
    page.replaceAll(/\s*<(?:link rel="modulepreload"|meta name="(?:generator|description)")[^>]*>/g, ''),
  markdown: {
    linkify: false,
    // Links lead to the same headings as on a git host.
    anchor: { slugify: anchorOf },
    // Pages are compiled as Vue templates, and ours have double braces of Liquid.
    config({ renderer }) {
      const render = renderer.render.bind(renderer);
      renderer.render = (...args) => render(...args).replaceAll('{{', '&#123;&#123;');
    },
  },
  themeConfig: {
    nav: [
      { text: 'Guides', link: '/', activeMatch: '^/(guides/|$)' },
      { text: 'API reference', link: '/api/', activeMatch: '^/api/' },
    ],
    sidebar,
    search: {
      provider: 'local',
      options: {
        // Guides without their samples, and of the API the operations without the tables of their fields: with these the index
        // would weigh a tenth more.
        _render: (source, env, md) =>
          md
            .render(source, env)
            .replaceAll(/<pre[\s\S]*?<\/pre>/g, '')
            .replaceAll(env.relativePath.startsWith('api/') ? /<table[\s\S]*?<\/table>/g : /^$/g, ''),
      },
    },
    outline: 'deep',
  },
};
