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
        // Without the samples, which would be a tenth of the index: their fields are in the text, too.
        _render: (source, env, md) => md.render(source, env).replaceAll(/<pre[\s\S]*?<\/pre>/g, ''),
      },
    },
    outline: 'deep',
  },
};
