import { compile } from 'html-to-text';

/**
 * The text part is made from this much of the HTML: enough for any real message (mail clients clip at about 100 kB
 * too), and a bound on hostile input, because the parser's time grows with the square of the nesting (0.3 s at this length,
 * 5 s at 500,000).
 */
const maxHtml = 100_000;

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
export function textOfHtml(html: string): string {
  return convert(html.slice(0, maxHtml));
}
