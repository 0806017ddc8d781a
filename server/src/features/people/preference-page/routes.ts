import { Type } from 'typebox';
import { pageLanguages } from '../../../http/hosted-page.ts';
import { type Route, route } from '../../../http/route.ts';
import { Problem } from '../../../kernel/errors.ts';
import { countFields } from '../../../kernel/html-size.ts';
import { UserParams } from '../users/index.ts';
import { pageFor } from './page.ts';
import type { PreferencePage } from './service.ts';

const Page = Type.String({ contentMediaType: 'text/html' });
const TokenParams = Type.Object({ token: Type.String() });
const PreferenceLink = Type.Object(
  { url: Type.String({ description: 'The page of this user. The link does not expire.' }) },
  { title: 'PreferenceLink' },
);
const bodyLimit = 262_144;
/** A thousand categories on six channels, each with a box and its hidden field. Reading them takes some 10 ms. */
const maxFields = 12_001;

/** The page where recipients choose what they receive. No key, no session, no script: the link is the authorization. */
export function preferencePageRoutes({ preferencePage }: { preferencePage: PreferencePage }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/preferences/users/:externalUserId/link',
      operation: 'getUserPreferenceLink',
      tag: 'Preferences',
      summary: 'Get the link to the preference page of a user',
      description:
        'Everybody with the link can change the preferences of the user, so give it to the user alone. It is the same every time and does not expire. Templates of email with a category show it as `{{ preferences_url }}`.',
      access: 'preferences:write',
      params: UserParams,
      responses: { 200: PreferenceLink },
      async handler({ principal, params }) {
        const url = await preferencePage.urlOf(principal.environmentId, params.externalUserId);
        return { status: 200, body: { url } };
      },
    }),
    route({
      method: 'GET',
      path: '/p/:token',
      operation: 'showPreferencePage',
      tag: 'Preference page',
      summary: 'Show the preference page',
      description: `The categories and channels of the user behind the link, in the language of \`Accept-Language\` (${pageLanguages.join(', ')}). Opening the page changes nothing, because scanners open links too.`,
      access: 'public',
      params: TokenParams,
      responses: { 200: Page },
      errors: ['rate_limited'],
      async handler({ params, raw }) {
        return pageFor(await preferencePage.show(params.token, raw.ip), raw.headers['accept-language']);
      },
    }),
    route({
      method: 'POST',
      path: '/p/:token',
      operation: 'savePreferencePage',
      tag: 'Preference page',
      summary: 'Save the preference page',
      description:
        'For the form of the page: `shown_on` and `shown_off` name the checkboxes that were shown checked and unchecked, and `on` those that are checked now, each as `category:channel`. Only what was changed is saved; `all=off` turns off all that were shown. Repeating the call changes nothing.',
      access: 'public',
      params: TokenParams,
      rawBody: true,
      bodyLimit,
      responses: { 200: Page },
      errors: ['csrf_required', 'rate_limited'],
      async handler({ params, body, raw }) {
        refuseOtherSites(raw.headers['sec-fetch-site']);
        const text = Buffer.isBuffer(body) ? body.toString() : '';
        if (countFields(text, maxFields) > maxFields)
          throw new Problem('payload_too_large', `The form has more than ${maxFields} fields.`);
        const visit = await preferencePage.save(params.token, raw.ip, new URLSearchParams(text));
        return pageFor(visit, raw.headers['accept-language']);
      },
    }),
  ];
}

/** The page uses no cookie, so another site gains nothing without the link; a form that it sends is refused all the same. */
function refuseOtherSites(site: string | string[] | undefined): void {
  if (site === 'cross-site' || site === 'same-site')
    throw new Problem('csrf_required', 'The form must be sent from its own page.');
}
