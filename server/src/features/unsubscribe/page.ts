import { createHash } from 'node:crypto';
import { type Html, html } from '../../http/html.ts';
import type { Reply } from '../../http/route.ts';
import { languageFor } from './languages.ts';

/** The state of the page: asks for confirmation, confirms, or reports an invalid link. */
export type UnsubscribeVisit = { kind: 'ask' | 'done'; categoryName: string } | { kind: 'lost' };

const style = `
:root { color-scheme: light dark; --ground: #ffffff; --ink: #1d1f24; --soft: #5a5f6b; --line: #8a8f9a; --act: #7a3b00; --on-act: #ffffff; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16181d; --ink: #e7e5df; --soft: #a5a9b3; --line: #7a7f8a; --act: #f0b36b; --on-act: #16181d; }
}
body { margin: 0; background: var(--ground); color: var(--ink); font: 1.125rem/1.6 system-ui, sans-serif; }
main { max-width: 32rem; margin: 12vh auto; padding: 1.5rem; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 1rem; }
p { margin: 0 0 1.5rem; overflow-wrap: anywhere; }
.soft { color: var(--soft); font-size: 1rem; }
button { font: inherit; font-weight: 600; padding: 0.75rem 1.5rem; min-height: 3rem; border: 2px solid var(--act); border-radius: 0.5rem; background: var(--act); color: var(--on-act); cursor: pointer; }
:focus-visible { outline: 3px solid var(--act); outline-offset: 3px; }
`;

/** The page is self-contained and runs no script, so the policy allows nothing else. */
const securityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function pageFor(visit: UnsubscribeVisit, acceptLanguage: string | undefined): Reply {
  const { language, texts } = languageFor(acceptLanguage);
  const about = (text: string, name: string): Html => html`${text.replace('{name}', () => name)}`;
  const [title, content] =
    visit.kind === 'ask'
      ? [
          texts.title,
          html`<p>${about(texts.ask, visit.categoryName)}</p>
<form method="post"><p><button type="submit">${texts.button}</button></p></form>
<p class="soft">${texts.keep}</p>`,
        ]
      : visit.kind === 'done'
        ? [texts.doneTitle, html`<p role="status">${about(texts.done, visit.categoryName)}</p>`]
        : [texts.lostTitle, html`<p>${texts.lost}</p>`];
  const { markup } = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${{ markup: style }}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
  return {
    status: visit.kind === 'lost' ? 404 : 200,
    contentType: 'text/html; charset=utf-8',
    headers: {
      'content-security-policy': securityPolicy,
      'content-language': language,
      vary: 'Accept-Language',
      'referrer-policy': 'no-referrer', // the URL of the page is the authorization
    },
    body: markup,
  };
}
