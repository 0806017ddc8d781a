import { Type } from 'typebox';
import type { Deps } from '../../../deps.ts';
import { hostedPage, type PageBrand, pageLanguages } from '../../../http/hosted-page.ts';
import { type Html, html } from '../../../http/html.ts';
import { type Reply, type Route, type RouteCall, route } from '../../../http/route.ts';
import { findPageBrand } from '../../content/brands/index.ts';
import { findCategory, upsertCells } from '../preferences/index.ts';
import { languageFor } from './languages.ts';
import type { UnsubscribeLinks, UnsubscribeSubject } from './links.ts';

const tag = 'Unsubscribe';
const Page = Type.String({ contentMediaType: 'text/html' });
const TokenParams = Type.Object({ token: Type.String() });
/** Mail providers send a form with one field. */
const bodyLimit = 16_384;

/** The pages behind the link in category email. No key, no session, no script: the link is the authorization. */
export function unsubscribeRoutes({
  pool,
  unsubscribeLinks,
}: Pick<Deps, 'pool'> & { unsubscribeLinks: UnsubscribeLinks }): Route[] {
  async function visit(
    { params, raw }: Pick<RouteCall<unknown, unknown, { token: string }>, 'params' | 'raw'>,
    act: (subject: UnsubscribeSubject & { environmentId: string }) => Promise<'ask' | 'done'>,
  ): Promise<Reply> {
    const language = raw.headers['accept-language'];
    const subject = await unsubscribeLinks.read(params.token);
    if (!subject) return pageFor({ kind: 'lost' }, language);
    const [category, brand] = await Promise.all([
      findCategory(pool, subject.environmentId, subject.category),
      findPageBrand(pool, subject.environmentId),
    ]);
    const categoryName = category?.name ?? subject.category;
    return pageFor({ kind: await act(subject), categoryName, brand }, language);
  }

  return [
    route({
      method: 'GET',
      path: '/u/:token',
      operation: 'showUnsubscribe',
      tag,
      summary: 'Show the unsubscribe page',
      description: `A confirmation page in the language of \`Accept-Language\` (${pageLanguages.join(', ')}). Opening the page changes nothing, because scanners open links too.`,
      access: 'public',
      params: TokenParams,
      responses: { 200: Page },
      handler: (call) => visit(call, async () => 'ask'),
    }),
    route({
      method: 'POST',
      path: '/u/:token',
      operation: 'unsubscribe',
      tag,
      summary: 'Unsubscribe',
      description:
        'Opts the recipient out of the category on email. For the form of the page and for mailbox providers (RFC 8058: `List-Unsubscribe=One-Click`). Any form body is accepted, and repeating the call changes nothing.',
      access: 'public',
      params: TokenParams,
      rawBody: true,
      bodyLimit,
      responses: { 200: Page },
      handler: (call) =>
        visit(call, async ({ environmentId, user, category }) => {
          const cell = { category_key: category, channel: 'email' as const, opted_in: false };
          await upsertCells(pool, environmentId, user, [cell], 'unsubscribe');
          return 'done';
        }),
    }),
  ];
}

/** The state of the page: asks for confirmation, confirms, or reports an invalid link. */
type UnsubscribeVisit = { kind: 'ask' | 'done'; categoryName: string; brand: PageBrand } | { kind: 'lost' };

function pageFor(visit: UnsubscribeVisit, acceptLanguage: string | undefined): Reply {
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
