import { hostedPage, type PageBrand } from '../../http/hosted-page.ts';
import { type Html, html } from '../../http/html.ts';
import type { Reply } from '../../http/route.ts';
import { languageFor } from './languages.ts';

/** The state of the page: asks for confirmation, confirms, or reports an invalid link. */
export type UnsubscribeVisit =
  | { kind: 'ask' | 'done'; categoryName: string; brand: PageBrand }
  | { kind: 'lost' };

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
  const isLost = visit.kind === 'lost';
  return hostedPage({
    ...{ language, title, content },
    status: isLost ? 404 : 200,
    brand: isLost ? null : visit.brand,
  });
}
