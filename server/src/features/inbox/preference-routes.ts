import { Type } from 'typebox';
import { type Route, route } from '../../http/route.ts';
import {
  CategoryKey,
  channelOf,
  DescribedMatrix,
  Preference,
  PreferenceMatrix,
  type PreferenceService,
  SetPreference,
} from '../people/preferences/index.ts';

const tag = 'Preference centre';
const access = 'recipient:prefs';
const source = 'recipient';

/** Routes for the preferences of end users; the preferences feature makes the decisions. */
export function preferenceCentreRoutes({ preferences }: { preferences: PreferenceService }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/inbox/v1/preferences',
      operation: 'getOwnPreferences',
      tag,
      summary: 'Get the preferences of the user',
      description: 'Every category × channel with its effective value, and the names of the categories.',
      access,
      responses: { 200: DescribedMatrix },
      async handler({ principal: { environmentId, externalUserId } }) {
        const [data, categories] = await Promise.all([
          preferences.matrix(environmentId, externalUserId),
          preferences.describe(environmentId),
        ]);
        return { status: 200, body: { data, categories } };
      },
    }),
    route({
      method: 'PATCH',
      path: '/inbox/v1/preferences/:categoryKey/:channel',
      operation: 'setOwnPreference',
      tag,
      summary: 'Opt in or out',
      access,
      params: Type.Object({ categoryKey: CategoryKey, channel: Type.String() }),
      body: SetPreference,
      responses: { 200: Preference },
      errors: ['category_critical'],
      async handler({ principal, params, body }) {
        const change = {
          category_key: params.categoryKey,
          channel: channelOf(params.channel),
          opted_in: body.opted_in,
        };
        return {
          status: 200,
          body: await preferences.setOne(principal.environmentId, principal.externalUserId, change, source),
        };
      },
    }),
    route({
      method: 'POST',
      path: '/inbox/v1/preferences/unsubscribe-all',
      operation: 'unsubscribeFromAll',
      tag,
      summary: 'Opt out of everything',
      description:
        'Opts out of every non-critical category, on every channel. Categories created later follow their default.',
      access,
      responses: { 200: PreferenceMatrix },
      async handler({ principal: { environmentId, externalUserId } }) {
        const wanted = (await preferences.matrix(environmentId, externalUserId)).filter(
          (cell) => !cell.is_critical,
        );
        const changes = wanted.map(({ category_key, channel }) => ({
          category_key,
          channel,
          opted_in: false,
        }));
        return {
          status: 200,
          body: { data: await preferences.set(environmentId, externalUserId, changes, source) },
        };
      },
    }),
  ];
}
