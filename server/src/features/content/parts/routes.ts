import type { TSchema } from 'typebox';
import { ifMatch, ifMatchHeader, ifNoneMatchHeader, isCreateOnly } from '../../../http/if-match.ts';
import { type Route, route } from '../../../http/route.ts';
import {
  Layout,
  LayoutPage,
  LayoutVersion,
  PartialPage,
  PartialVersion,
  PartParams,
  PartQuery,
  PartVersionPage,
  PartVersionParams,
  PartVersionQuery,
  PutLayout,
  PutPartial,
  TemplatePartial,
} from './schema.ts';
import type { PartService } from './service.ts';
import type { PartContent, PartialContent, PartRow } from './store.ts';
import { translationRoutes } from './translation-routes.ts';
import { layoutContentOf, layoutViewOf, partialViewOf, versionViewOf } from './view.ts';

const follows =
  'Templates of Test use the new version at once. Templates of Live keep theirs until they are saved or promoted.';

export function partRoutes({ parts }: { parts: PartService }): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/v1/layouts/:key',
      operation: 'putLayout',
      tag: layouts.tag,
      summary: 'Create or replace a layout',
      description: `A layout surrounds the bodies of its channel. Returns 201 for a new layout, 200 for a replaced one; equal content creates no version. ${follows}`,
      access: 'templates:write',
      params: PartParams,
      headers: { ...ifMatchHeader, ...ifNoneMatchHeader },
      body: PutLayout,
      responses: { 201: Layout, 200: Layout },
      errors: ['template_syntax_error', 'part_limit_reached', 'duplicate_key'],
      async handler({ principal, params, body, requestId, raw }) {
        const condition = { ifVersion: ifMatch(raw), createOnly: isCreateOnly(raw) };
        const caller = { principal, requestId, ...condition };
        const { row, isNew } = await parts.putLayout(caller, params.key, body);
        return { status: isNew ? 201 : 200, body: layoutViewOf(row) };
      },
    }),
    ...storedPartRoutes(parts, layouts),
    route({
      method: 'PUT',
      path: '/v1/partials/:key',
      operation: 'putPartial',
      tag: partials.tag,
      summary: 'Create or replace a partial',
      description: `A piece that templates, layouts and other partials include with \`{% render 'key' %}\`. Returns 201 for a new partial, 200 for a replaced one; equal content creates no version. ${follows}`,
      access: 'templates:write',
      params: PartParams,
      headers: { ...ifMatchHeader, ...ifNoneMatchHeader },
      body: PutPartial,
      responses: { 201: TemplatePartial, 200: TemplatePartial },
      errors: ['template_syntax_error', 'part_limit_reached', 'duplicate_key'],
      async handler({ principal, params, body, requestId, raw }) {
        const condition = { ifVersion: ifMatch(raw), createOnly: isCreateOnly(raw) };
        const caller = { principal, requestId, ...condition };
        const { row, isNew } = await parts.putPartial(caller, params.key, body);
        return { status: isNew ? 201 : 200, body: partialViewOf(row) };
      },
    }),
    ...storedPartRoutes(parts, partials),
    ...translationRoutes(parts),
  ];
}

/** What layouts and partials differ in, besides how they are written. */
interface StoredPart {
  kind: 'layout' | 'partial';
  /** Ends the ids of the operations: getLayout, listLayouts. */
  noun: 'Layout' | 'Partial';
  tag: string;
  inUse: string;
  schemas: { one: TSchema; page: TSchema; version: TSchema };
  view(row: PartRow): object;
  contentOf(content: PartContent): object;
}

const layouts: StoredPart = {
  kind: 'layout',
  noun: 'Layout',
  tag: 'Layouts',
  inUse: 'Returns 409 `part_in_use` while a template names the layout.',
  schemas: { one: Layout, page: LayoutPage, version: LayoutVersion },
  view: layoutViewOf,
  contentOf: layoutContentOf,
};

const partials: StoredPart = {
  kind: 'partial',
  noun: 'Partial',
  tag: 'Partials',
  inUse: 'Returns 409 `part_in_use` while a template, layout or partial renders it.',
  schemas: { one: TemplatePartial, page: PartialPage, version: PartialVersion },
  view: partialViewOf,
  contentOf: (content) => ({ template: (content as PartialContent).template }),
};

/** Reads, deletes and restores layouts or partials: `getLayout`, `listLayouts`, `restoreLayoutVersion` and so on. */
function storedPartRoutes(
  parts: PartService,
  { kind, noun, tag, inUse, schemas, view, contentOf }: StoredPart,
): Route[] {
  const path = `/v1/${kind}s`;
  return [
    route({
      method: 'GET',
      path,
      operation: `list${noun}s`,
      tag,
      summary: `List ${kind}s, newest first`,
      description: `A page may be shorter than limit when the ${kind}s are large; continue with next_cursor.`,
      access: 'templates:read',
      query: PartQuery,
      responses: { 200: schemas.page },
      async handler({ principal, query }) {
        const { data, next_cursor } = await parts.list(principal, kind, query);
        return { status: 200, body: { data: data.map(view), next_cursor } };
      },
    }),
    route({
      method: 'GET',
      path: `${path}/:key`,
      operation: `get${noun}`,
      tag,
      summary: `Get a ${kind}`,
      access: 'templates:read',
      params: PartParams,
      responses: { 200: schemas.one },
      async handler({ principal, params }) {
        return { status: 200, body: view(await parts.get(principal, kind, params.key)) };
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/:key`,
      operation: `delete${noun}`,
      tag,
      summary: `Delete a ${kind}`,
      description: inUse,
      access: 'templates:write',
      params: PartParams,
      responses: { 204: null },
      errors: ['part_in_use'],
      async handler({ principal, params, requestId }) {
        await parts.delete({ principal, requestId }, kind, params.key);
        return { status: 204 };
      },
    }),
    route({
      method: 'GET',
      path: `${path}/:key/versions`,
      operation: `list${noun}Versions`,
      tag,
      summary: `List the versions of a ${kind}, newest first`,
      access: 'templates:read',
      params: PartParams,
      query: PartVersionQuery,
      responses: { 200: PartVersionPage },
      async handler({ principal, params, query }) {
        const { data, next_cursor } = await parts.listVersions(principal, kind, params.key, query);
        return { status: 200, body: { data: data.map(versionViewOf), next_cursor } };
      },
    }),
    route({
      method: 'GET',
      path: `${path}/:key/versions/:version`,
      operation: `get${noun}Version`,
      tag,
      summary: `Get a version of a ${kind} with its content`,
      access: 'templates:read',
      params: PartVersionParams,
      responses: { 200: schemas.version },
      async handler({ principal, params }) {
        const row = await parts.getVersion(principal, kind, params.key, params.version);
        return { status: 200, body: { ...versionViewOf(row), ...contentOf(row.content) } };
      },
    }),
    route({
      method: 'POST',
      path: `${path}/:key/versions/:version/restore`,
      operation: `restore${noun}Version`,
      tag,
      summary: `Restore an old version of a ${kind}`,
      description: 'The content becomes a new version, so the history is kept.',
      access: 'templates:write',
      params: PartVersionParams,
      headers: ifMatchHeader,
      responses: { 200: schemas.one },
      async handler({ principal, params, requestId, raw }) {
        const caller = { principal, requestId, ifVersion: ifMatch(raw) };
        const restored = await parts.restore(caller, kind, params.key, params.version);
        return { status: 200, body: view(restored) };
      },
    }),
  ];
}
