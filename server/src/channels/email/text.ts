import { compile } from 'html-to-text';
import { countTags } from '../../kernel/html-size.ts';
import type { Task } from '../../threads/task.ts';

/**
 * The text part is made from this much of the HTML: enough for any real message (mail clients clip at about 100 kB too), and a
 * bound on hostile input, because the parser's time grows with the square of the nesting: 33,000 nested tags took 0.5 s, 10,000
 * take 0.05 s.
 */
const maxHtml = 100_000;
const maxTags = 10_000;
/** Up to this size a conversion takes at most 10 ms: entities and nested lists take longest. */
const lightHtml = 8_000;
const lightTags = 250;
/** From this size on the result is stored: converting again takes longer than writing it. */
const heavyHtml = 100_000;
const heavyTags = 3_000;

const convert = compile({
  wordwrap: 78,
  // Nesting is bounded because the converter recurses.
  limits: { maxDepth: 100, maxChildNodes: 10_000, ellipsis: '…' },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    { selector: 'img', format: 'skip' },
  ],
});

/** The plain-text alternative of an HTML body, for messages that come without one. */
function textOfHtml(html: string): string {
  return convert(cut(html));
}

export const textTask: Task<string, string> = {
  name: 'text_of_html',
  isLight: (html) => html.length <= lightHtml && countTags(html, lightTags) <= lightTags,
  work: textOfHtml,
};

export function isTextWorthKeeping(html: string): boolean {
  return html.length > heavyHtml || countTags(html, heavyTags) > heavyTags;
}

/** Cuts at the limit of characters, or before the first tag that exceeds the limit of tags. */
function cut(html: string): string {
  let tags = 0;
  for (let at = html.indexOf('<'); at !== -1 && at < maxHtml; at = html.indexOf('<', at + 1)) {
    tags += 1;
    if (tags > maxTags) return html.slice(0, at);
  }
  return html.slice(0, maxHtml);
}
