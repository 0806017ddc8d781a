/**
 * Sanitizes bodies a second time, after the service did on accept: only known elements are rebuilt, attribute by
 * attribute, from an inert document that runs and loads nothing. Nothing is inserted as markup.
 */
const kept = new Set(
  'A B BLOCKQUOTE BR CAPTION CODE DD DEL DIV DL DT EM FIGCAPTION FIGURE HR I IMG INS KBD LI MARK OL P PRE Q S SMALL SPAN STRONG SUB SUP TABLE TBODY TD TFOOT TH THEAD TIME TR U UL'.split(
    ' ',
  ),
);
/** Elements whose text is not for reading. */
const dropped = new Set(
  'SCRIPT STYLE TEMPLATE NOSCRIPT IFRAME OBJECT EMBED SVG MATH HEAD TITLE FORM INPUT BUTTON SELECT TEXTAREA AUDIO VIDEO CANVAS LINK META BASE'.split(
    ' ',
  ),
);
const attributes: Record<string, string[]> = {
  '*': ['dir', 'lang', 'title'],
  IMG: ['alt', 'width', 'height'],
  TD: ['colspan', 'rowspan'],
  TH: ['colspan', 'rowspan', 'scope'],
  OL: ['start'],
  TIME: ['datetime'],
};
/** Deeper than any message, and within the stack limit. */
const maxDepth = 100;

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createHTML(html: string): string },
  ): { createHTML(html: string): string };
}

/**
 * Pages that enforce Trusted Types allow the policy by name. Parsing is safe: the parsed document is never inserted.
 */
function createPolicy() {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  try {
    return trustedTypes?.createPolicy('carillon', { createHTML: (html) => html });
  } catch {
    return undefined; // A second copy of this script: the first has registered the policy and the elements.
  }
}
const policy = createPolicy();

export function sanitise(html: string): DocumentFragment {
  const parsed = new DOMParser().parseFromString(policy?.createHTML(html) ?? html, 'text/html');
  const fragment = document.createDocumentFragment();
  copyChildren(parsed.body, fragment, 0);
  return fragment;
}

function copyChildren(from: Node, to: Node, depth: number): void {
  if (depth > maxDepth) return;
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) to.appendChild(document.createTextNode(node.nodeValue ?? ''));
    else if (node instanceof Element || node.nodeType === Node.ELEMENT_NODE)
      copyElement(node as Element, to, depth);
  }
}

function copyElement(element: Element, to: Node, depth: number): void {
  const name = element.tagName.toUpperCase();
  if (dropped.has(name)) return;
  const copy = copyOf(name, element);
  if (copy) to.appendChild(copy);
  copyChildren(element, copy ?? to, depth + 1);
}

function copyOf(name: string, element: Element): HTMLElement | null {
  // The headings of a message are not headings of the page.
  if (/^H[1-6]$/.test(name)) {
    const heading = document.createElement('p');
    heading.className = 'heading';
    return heading;
  }
  if (!kept.has(name)) return null;
  const copy = document.createElement(name.toLowerCase());
  for (const attribute of [...(attributes['*'] ?? []), ...(attributes[name] ?? [])]) {
    const value = element.getAttribute(attribute);
    if (value !== null) copy.setAttribute(attribute, value);
  }
  if (copy instanceof HTMLAnchorElement) {
    const href = safeUrl(element.getAttribute('href'), ['http:', 'https:', 'mailto:']);
    if (href === null) return document.createElement('span');
    copy.setAttribute('href', href);
    copy.rel = 'noopener noreferrer nofollow';
    copy.target = '_blank';
  }
  if (copy instanceof HTMLImageElement) {
    const src = safeUrl(element.getAttribute('src'), ['http:', 'https:']);
    if (src === null) return null;
    copy.alt = element.getAttribute('alt') ?? '';
    copy.loading = 'lazy';
    copy.referrerPolicy = 'no-referrer';
    copy.src = src;
  }
  return copy;
}

/** Returns the URL when following it loads a page and runs no code; null otherwise. */
export function safeUrl(url: string | null, protocols = ['http:', 'https:']): string | null {
  if (url === null || url === '') return null;
  try {
    return protocols.includes(new URL(url, document.baseURI).protocol) ? url : null;
  } catch {
    return null;
  }
}
