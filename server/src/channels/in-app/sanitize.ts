import sanitize from 'sanitize-html';
import { countTags } from '../../kernel/html-size.ts';
import type { Task } from '../../threads/task.ts';

/**
 * Items are shown inside other people's pages, so their HTML is reduced to markup that cannot run, cannot make requests, and
 * cannot leave its container. The list is an allow-list: anything not named is removed. Style, class and id are not allowed:
 * with them an item could cover the page, imitate its style, or collide with the names of its elements.
 */
const blocks = ['p', 'div', 'section', 'article', 'blockquote', 'pre', 'hr', 'br', 'figure', 'figcaption'];
const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
const lists = ['ul', 'ol', 'li', 'dl', 'dt', 'dd'];
const tables = ['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'];
const inline = [
  'a',
  'img',
  'span',
  'strong',
  'b',
  'em',
  'i',
  'u',
  's',
  'del',
  'ins',
  'mark',
  'small',
  'sub',
  'sup',
];
const phrases = ['code', 'kbd', 'samp', 'var', 'q', 'cite', 'abbr', 'time'];

const options: sanitize.IOptions = {
  allowedTags: [...blocks, ...headings, ...lists, ...tables, ...inline, ...phrases],
  allowedAttributes: {
    '*': ['title', 'lang', 'dir'],
    a: ['href', 'rel'],
    img: ['src', 'alt', 'width', 'height'],
    th: ['colspan', 'rowspan', 'scope'],
    td: ['colspan', 'rowspan'],
    ol: ['start', 'reversed'],
    time: ['datetime'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  // These tags are removed with their content; of other tags that are not allowed the text stays.
  nonTextTags: [
    ...['script', 'style', 'noscript', 'template', 'title', 'textarea', 'select', 'option', 'button'],
    ...[
      'svg',
      'math',
      'iframe',
      'object',
      'applet',
      'noembed',
      'noframes',
      'audio',
      'video',
      'canvas',
      'xmp',
    ],
  ],
  nestingLimit: 50, // deeper than any message, shallower than the depth at which browsers fail
  transformTags: {
    // The linked page must not get a handle on this page, nor learn its address.
    a: (tagName, attribs) => ({ tagName, attribs: { ...attribs, rel: 'noopener noreferrer nofollow' } }),
  },
};

/** Beyond these limits the parser's time grows with the square of the depth: 80,000 nested tags took three seconds. */
const maxLength = 262_144;
const maxTags = 10_000;

/** Returns why HTML is refused before it is parsed; null when it is accepted. */
export function htmlProblem(html: string): string | null {
  if (html.length > maxLength) return `must have at most ${maxLength} characters`;
  if (countTags(html, maxTags) > maxTags) return `must have at most ${maxTags} tags`;
  return null;
}

/** Up to this length sanitizing takes at most 10 ms: entities and links take longest. */
const lightLength = 4_000;
const lightTags = 200;

/** Expects HTML for which `htmlProblem` returned null. */
export function sanitizeHtml(html: string): string {
  return sanitize(html, options);
}

export const sanitizeTask: Task<string, string> = {
  name: 'sanitize_html',
  isLight: (html) => html.length <= lightLength && countTags(html, lightTags) <= lightTags,
  work: sanitizeHtml,
};
