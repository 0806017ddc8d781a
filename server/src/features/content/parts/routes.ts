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
import type { PartialContent } from './store.ts';
import { translationRoutes } from './translation-routes.ts';
import { layoutContentOf, layoutViewOf, partialViewOf, versionViewOf } from './view.ts';

const follows =
  'Templates of Test use the new version at once. Templates of Live keep theirs until they are saved or promoted.';

export function partRoutes({ parts }: { parts: PartService }): Route[] {
  return [...layoutRoutes(parts), ...partialRoutes(parts), ...translationRoutes(parts)];
}

function layoutRoutes(parts: PartService): Route[] {
  const tag = 'Layouts';
  return [
    route({
      method: 'PUT',
      path: '/v1/layouts/:key',
      operation: 'putLayout',
      tag,
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
    route({
      method: 'GET',
      path: '/v1/layouts',
      operation: 'listLayouts',
      tag,
      summary: 'List layouts, newest first',
      description: 'A page may be shorter than limit when the layouts are large; continue with next_cursor.',
      access: 'templates:read',
      query: PartQuery,
      responses: { 200: LayoutPage },
      async handler({ principal, query }) {
        const { data, next_cursor } = await parts.list(principal, 'layout', query);
        return { status: 200, body: { data: data.map(layoutViewOf), next_cursor } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/layouts/:key',
      operation: 'getLayout',
      tag,
      summary: 'Get a layout',
      access: 'templates:read',
      params: PartParams,
      responses: { 200: Layout },
      async handler({ principal, params }) {
        return { status: 200, body: layoutViewOf(await parts.get(principal, 'layout', params.key)) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/layouts/:key',
      operation: 'deleteLayout',
      tag,
      summary: 'Delete a layout',
      description: 'Returns 409 `part_in_use` while a template names the layout.',
      access: 'templates:write',
      params: PartParams,
      responses: { 204: null },
      errors: ['part_in_use'],
      async handler({ principal, params, requestId }) {
        await parts.delete({ principal, requestId }, 'layout', params.key);
        return { status: 204 };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/layouts/:key/versions',
      operation: 'listLayoutVersions',
      tag,
      summary: 'List the versions of a layout, newest first',
      access: 'templates:read',
      params: PartParams,
      query: PartVersionQuery,
      responses: { 200: PartVersionPage },
      async handler({ principal, params, query }) {
        const { data, next_cursor } = await parts.listVersions(principal, 'layout', params.key, query);
        return { status: 200, body: { data: data.map(versionViewOf), next_cursor } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/layouts/:key/versions/:version',
      operation: 'getLayoutVersion',
      tag,
      summary: 'Get a version of a layout with its content',
      access: 'templates:read',
      params: PartVersionParams,
      responses: { 200: LayoutVersion },
      async handler({ principal, params }) {
        const row = await parts.getVersion(principal, 'layout', params.key, params.version);
        return { status: 200, body: { ...versionViewOf(row), ...layoutContentOf(row.content) } };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/layouts/:key/versions/:version/restore',
      operation: 'restoreLayoutVersion',
      tag,
      summary: 'Restore an old version of a layout',
      description: 'The content becomes a new version, so the history is kept.',
      access: 'templates:write',
      params: PartVersionParams,
      headers: ifMatchHeader,
      responses: { 200: Layout },
      async handler({ principal, params, requestId, raw }) {
        const caller = { principal, requestId, ifVersion: ifMatch(raw) };
        const restored = await parts.restore(caller, 'layout', params.key, params.version);
        return { status: 200, body: layoutViewOf(restored) };
      },
    }),
  ];
}

function partialRoutes(parts: PartService): Route[] {
  const tag = 'Partials';
  return [
    route({
      method: 'PUT',
      path: '/v1/partials/:key',
      operation: 'putPartial',
      tag,
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
    route({
      method: 'GET',
      path: '/v1/partials',
      operation: 'listPartials',
      tag,
      summary: 'List partials, newest first',
      description: 'A page may be shorter than limit when the partials are large; continue with next_cursor.',
      access: 'templates:read',
      query: PartQuery,
      responses: { 200: PartialPage },
      async handler({ principal, query }) {
        const { data, next_cursor } = await parts.list(principal, 'partial', query);
        return { status: 200, body: { data: data.map(partialViewOf), next_cursor } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/partials/:key',
      operation: 'getPartial',
      tag,
      summary: 'Get a partial',
      access: 'templates:read',
      params: PartParams,
      responses: { 200: TemplatePartial },
      async handler({ principal, params }) {
        return { status: 200, body: partialViewOf(await parts.get(principal, 'partial', params.key)) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/partials/:key',
      operation: 'deletePartial',
      tag,
      summary: 'Delete a partial',
      description: 'Returns 409 `part_in_use` while a template, layout or partial renders it.',
      access: 'templates:write',
      params: PartParams,
      responses: { 204: null },
      errors: ['part_in_use'],
      async handler({ principal, params, requestId }) {
        await parts.delete({ principal, requestId }, 'partial', params.key);
        return { status: 204 };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/partials/:key/versions',
      operation: 'listPartialVersions',
      tag,
      summary: 'List the versions of a partial, newest first',
      access: 'templates:read',
      params: PartParams,
      query: PartVersionQuery,
      responses: { 200: PartVersionPage },
      async handler({ principal, params, query }) {
        const { data, next_cursor } = await parts.listVersions(principal, 'partial', params.key, query);
        return { status: 200, body: { data: data.map(versionViewOf), next_cursor } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/partials/:key/versions/:version',
      operation: 'getPartialVersion',
      tag,
      summary: 'Get a version of a partial with its content',
      access: 'templates:read',
      params: PartVersionParams,
      responses: { 200: PartialVersion },
      async handler({ principal, params }) {
        const row = await parts.getVersion(principal, 'partial', params.key, params.version);
        const { template } = row.content as PartialContent;
        return { status: 200, body: { ...versionViewOf(row), template } };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/partials/:key/versions/:version/restore',
      operation: 'restorePartialVersion',
      tag,
      summary: 'Restore an old version of a partial',
      description: 'The content becomes a new version, so the history is kept.',
      access: 'templates:write',
      params: PartVersionParams,
      headers: ifMatchHeader,
      responses: { 200: TemplatePartial },
      async handler({ principal, params, requestId, raw }) {
        const caller = { principal, requestId, ifVersion: ifMatch(raw) };
        const restored = await parts.restore(caller, 'partial', params.key, params.version);
        return { status: 200, body: partialViewOf(restored) };
      },
    }),
  ];
}
