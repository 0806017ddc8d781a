import { ifMatch, ifMatchHeader, ifNoneMatchHeader, isCreateOnly } from '../../../http/if-match.ts';
import { type Route, route } from '../../../http/route.ts';
import {
  LocaleParams,
  LocaleVersionParams,
  MissingPage,
  MissingQuery,
  PartQuery,
  PartVersionPage,
  PartVersionQuery,
  PutTranslation,
  Translation,
  TranslationPage,
  TranslationVersion,
  type TranslationView,
} from './schema.ts';
import type { PartService } from './service.ts';
import type { PartRow } from './store.ts';
import { messagesOf, translationViewOf, versionViewOf } from './view.ts';

const tag = 'Translations';

export function translationRoutes(parts: PartService): Route[] {
  type Reader = Parameters<PartService['get']>[0];
  const shown = async (principal: Reader, row: PartRow): Promise<TranslationView> => ({
    ...translationViewOf(row, await parts.countMissing(principal, [row.key])),
    messages: messagesOf(row.content),
  });

  return [
    route({
      method: 'PUT',
      path: '/v1/translations/:locale',
      operation: 'putTranslation',
      tag,
      summary: 'Create or replace the translations of a locale',
      description:
        "The messages that `{{ 'key' | t }}` shows to recipients of this locale. Returns 201 for a new locale, 200 for a replaced one; equal messages create no version. Templates of Test use the new version at once. Templates of Live keep theirs until they are saved or promoted.",
      access: 'templates:write',
      params: LocaleParams,
      headers: { ...ifMatchHeader, ...ifNoneMatchHeader },
      body: PutTranslation,
      responses: { 201: Translation, 200: Translation },
      errors: ['part_limit_reached', 'duplicate_key'],
      async handler({ principal, params, body, requestId, raw }) {
        const condition = { ifVersion: ifMatch(raw), createOnly: isCreateOnly(raw) };
        const editor = { principal, requestId, ...condition };
        const { row, isNew } = await parts.putTranslation(editor, params.locale, body);
        return { status: isNew ? 201 : 200, body: await shown(principal, row) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/translations',
      operation: 'listTranslations',
      tag,
      summary: 'List the locales that have translations, newest first',
      description: 'Without the messages. `missing_count` shows how complete each locale is.',
      access: 'templates:read',
      query: PartQuery,
      responses: { 200: TranslationPage },
      async handler({ principal, query }) {
        const { data, next_cursor } = await parts.list(principal, 'translation', query);
        const missing = await parts.countMissing(
          principal,
          data.map(({ key }) => key),
        );
        return {
          status: 200,
          body: { data: data.map((row) => translationViewOf(row, missing)), next_cursor },
        };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/translations/missing',
      operation: 'listMissingTranslations',
      tag,
      summary: 'List missing translations',
      description:
        'Keys of the default locale, or used by templates, layouts and partials, that a locale and its parents lack; ordered by locale and key. A key that a template computes is not known here.',
      access: 'templates:read',
      query: MissingQuery,
      responses: { 200: MissingPage },
      async handler({ principal, query }) {
        return { status: 200, body: await parts.listMissing(principal, query) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/translations/:locale',
      operation: 'getTranslation',
      tag,
      summary: 'Get the translations of a locale',
      access: 'templates:read',
      params: LocaleParams,
      responses: { 200: Translation },
      async handler({ principal, params }) {
        const row = await parts.get(principal, 'translation', params.locale);
        return { status: 200, body: await shown(principal, row) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/translations/:locale',
      operation: 'deleteTranslation',
      tag,
      summary: 'Delete the translations of a locale',
      description: 'Returns 409 `part_in_use` for the default locale while there are others.',
      access: 'templates:write',
      params: LocaleParams,
      responses: { 204: null },
      errors: ['part_in_use'],
      async handler({ principal, params, requestId }) {
        await parts.delete({ principal, requestId }, 'translation', params.locale);
        return { status: 204 };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/translations/:locale/versions',
      operation: 'listTranslationVersions',
      tag,
      summary: 'List the versions of a locale, newest first',
      access: 'templates:read',
      params: LocaleParams,
      query: PartVersionQuery,
      responses: { 200: PartVersionPage },
      async handler({ principal, params, query }) {
        const { data, next_cursor } = await parts.listVersions(
          principal,
          'translation',
          params.locale,
          query,
        );
        return { status: 200, body: { data: data.map(versionViewOf), next_cursor } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/translations/:locale/versions/:version',
      operation: 'getTranslationVersion',
      tag,
      summary: 'Get a version of the translations of a locale',
      access: 'templates:read',
      params: LocaleVersionParams,
      responses: { 200: TranslationVersion },
      async handler({ principal, params }) {
        const row = await parts.getVersion(principal, 'translation', params.locale, params.version);
        return { status: 200, body: { ...versionViewOf(row), messages: messagesOf(row.content) } };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/translations/:locale/versions/:version/restore',
      operation: 'restoreTranslationVersion',
      tag,
      summary: 'Restore an old version of the translations of a locale',
      description: 'The messages become a new version, so the history is kept.',
      access: 'templates:write',
      params: LocaleVersionParams,
      headers: ifMatchHeader,
      responses: { 200: Translation },
      async handler({ principal, params, requestId, raw }) {
        const editor = { principal, requestId, ifVersion: ifMatch(raw) };
        const row = await parts.restore(editor, 'translation', params.locale, params.version);
        return { status: 200, body: await shown(principal, row) };
      },
    }),
  ];
}
