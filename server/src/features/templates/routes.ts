import { type Route, route } from '../../http/route.ts';
import {
  BodyParams,
  BodyQuery,
  CreateRequest,
  KeyParams,
  ListQuery,
  PatchRequest,
  PromoteRequest,
  Promotion,
  PutBodyRequest,
  RenderRequest,
  RenderResponse,
  Template,
  TemplateBody,
  TemplatePage,
  VersionPage,
  VersionParams,
} from './schema.ts';
import type { TemplateService } from './service.ts';
import { madeAt, viewOf } from './view.ts';

const tag = 'Templates';

export function templateRoutes(service: TemplateService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/templates',
      operation: 'createTemplate',
      tag,
      summary: 'Create a template',
      description:
        'Templates are Liquid. HTML fields escape what they output, structured fields output JSON, subjects and text output data as it is. Syntax, and the JSON of structured bodies, are checked now.',
      access: 'templates:write',
      body: CreateRequest,
      responses: { 201: Template },
      async handler({ principal, body, requestId }) {
        return { status: 201, body: viewOf(await service.create({ principal, requestId }, body)) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/templates',
      operation: 'listTemplates',
      tag,
      summary: 'List templates, newest first',
      description: 'A page may be shorter than limit when the templates are large; next_cursor goes on.',
      access: 'templates:read',
      query: ListQuery,
      responses: { 200: TemplatePage },
      async handler({ principal, query }) {
        const { data, next_cursor } = await service.list(principal, query);
        return { status: 200, body: { data: data.map(viewOf), next_cursor } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/templates/:key',
      operation: 'getTemplate',
      tag,
      summary: 'Get a template',
      access: 'templates:read',
      params: KeyParams,
      responses: { 200: Template },
      async handler({ principal, params }) {
        return { status: 200, body: viewOf(await service.get(principal, params.key)) };
      },
    }),
    route({
      method: 'PATCH',
      path: '/v1/templates/:key',
      operation: 'updateTemplate',
      tag,
      summary: 'Change a template',
      description:
        'Makes a new version. Notifications that were accepted keep the version they were accepted with.',
      access: 'templates:write',
      params: KeyParams,
      body: PatchRequest,
      responses: { 200: Template },
      async handler({ principal, params, body, requestId }) {
        const changed = await service.update({ principal, requestId }, params.key, body);
        return { status: 200, body: viewOf(changed) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/templates/:key',
      operation: 'deleteTemplate',
      tag,
      summary: 'Delete a template',
      description:
        'Notifications that were accepted with it are sent all the same. Its key is free again. 409 `template_in_use` while an active workflow names it.',
      access: 'templates:write',
      params: KeyParams,
      responses: { 204: null },
      async handler({ principal, params, requestId }) {
        await service.delete({ principal, requestId }, params.key);
        return { status: 204 };
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/templates/:key/bodies/:channel',
      operation: 'putTemplateBody',
      tag,
      summary: 'Create or replace the body for a channel',
      description:
        '201 the first time, then 200. With locale: a variant of the default body, which must be there. Fields that the channel does not use are ignored.',
      access: 'templates:write',
      params: BodyParams,
      query: BodyQuery,
      body: PutBodyRequest,
      responses: { 201: TemplateBody, 200: TemplateBody },
      async handler({ principal, params, query, body, requestId }) {
        const where = { channel: params.channel, locale: query.locale };
        const saved = await service.putBody({ principal, requestId }, params.key, where, body);
        return { status: saved.isNew ? 201 : 200, body: saved.body };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/templates/:key/bodies/:channel',
      operation: 'deleteTemplateBody',
      tag,
      summary: 'Delete the body for a channel',
      description: 'With locale: that variant alone. Without: the body and all its variants.',
      access: 'templates:write',
      params: BodyParams,
      query: BodyQuery,
      responses: { 204: null },
      async handler({ principal, params, query, requestId }) {
        const where = { channel: params.channel, locale: query.locale };
        await service.deleteBody({ principal, requestId }, params.key, where);
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/templates/:key/render',
      operation: 'renderTemplate',
      tag,
      summary: 'Render a template without sending',
      access: 'templates:read',
      params: KeyParams,
      body: RenderRequest,
      bodyOptional: true,
      responses: { 200: RenderResponse },
      async handler({ principal, params, body }) {
        return { status: 200, body: await service.render(principal, params.key, body) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/templates/:key/versions',
      operation: 'listTemplateVersions',
      tag,
      summary: 'List the versions of a template, newest first',
      access: 'templates:read',
      params: KeyParams,
      query: ListQuery,
      responses: { 200: VersionPage },
      async handler({ principal, params, query }) {
        const { data, next_cursor } = await service.listVersions(principal, params.key, query);
        const versions = data.map(({ id, version, name }) => ({ version, name, created_at: madeAt(id) }));
        return { status: 200, body: { data: versions, next_cursor } };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/templates/:key/versions/:version/restore',
      operation: 'restoreTemplateVersion',
      tag,
      summary: 'Make an old version the current one',
      description: 'Its content becomes a new version, so that nothing of the history is lost.',
      access: 'templates:write',
      params: VersionParams,
      responses: { 200: Template },
      async handler({ principal, params, requestId }) {
        const restored = await service.restore({ principal, requestId }, params.key, params.version);
        return { status: 200, body: viewOf(restored) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/templates/:key/promote',
      operation: 'promoteTemplate',
      tag,
      summary: 'Copy a template from Test to Live',
      description:
        'Takes a Test key. Live becomes what Test is: bodies that are only in Live are removed. With dry_run it only says what would change.',
      access: 'templates:write',
      params: KeyParams,
      body: PromoteRequest,
      bodyOptional: true,
      responses: { 200: Promotion },
      async handler({ principal, params, body, requestId }) {
        const promotion = await service.promote({ principal, requestId }, params.key, body.dry_run ?? false);
        return { status: 200, body: promotion };
      },
    }),
  ];
}
