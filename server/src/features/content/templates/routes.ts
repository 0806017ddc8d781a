import { ifMatch, ifMatchHeader } from '../../../http/if-match.ts';
import { type Route, route } from '../../../http/route.ts';
import {
  BodyParams,
  BodyQuery,
  KeyParams,
  NewTemplate,
  PreviewRequest,
  PreviewResponse,
  PromoteRequest,
  PutBodyRequest,
  RenderRequest,
  RenderResponse,
  SavedTemplateBody,
  Template,
  TemplatePage,
  TemplatePatch,
  TemplatePromotion,
  TemplateQuery,
  TemplateVersionQuery,
  VersionContent,
  VersionPage,
  VersionParams,
} from './schema.ts';
import type { TemplateService } from './service.ts';
import { bodyViewOf, madeAt, viewOf } from './view.ts';

const tag = 'Templates';

export function templateRoutes({ templates }: { templates: TemplateService }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/templates',
      operation: 'createTemplate',
      tag,
      summary: 'Create a template',
      description:
        'Templates are Liquid. HTML fields escape their output, structured fields output JSON, subjects and text are not escaped. The syntax, and the JSON of structured bodies, are validated on save.',
      access: 'templates:write',
      body: NewTemplate,
      responses: { 201: Template },
      async handler({ principal, body, requestId }) {
        return { status: 201, body: viewOf(await templates.create({ principal, requestId }, body)) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/templates',
      operation: 'listTemplates',
      tag,
      summary: 'List templates, newest first',
      description:
        'A page may be shorter than limit when the templates are large; continue with next_cursor.',
      access: 'templates:read',
      query: TemplateQuery,
      responses: { 200: TemplatePage },
      async handler({ principal, query }) {
        const { data, next_cursor } = await templates.list(principal, query);
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
        return { status: 200, body: viewOf(await templates.get(principal, params.key)) };
      },
    }),
    route({
      method: 'PATCH',
      path: '/v1/templates/:key',
      operation: 'updateTemplate',
      tag,
      summary: 'Change a template',
      description:
        'Creates a new version. Accepted notifications keep their version. In Live the new version uses the current layout, partials and translations.',
      access: 'templates:write',
      params: KeyParams,
      headers: ifMatchHeader,
      body: TemplatePatch,
      responses: { 200: Template },
      async handler({ principal, params, body, requestId, raw }) {
        const caller = { principal, requestId, ifVersion: ifMatch(raw) };
        const changed = await templates.update(caller, params.key, body);
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
        'Accepted notifications are still sent. The key can be used again. Returns 409 `template_in_use` while an active workflow uses the template.',
      access: 'templates:write',
      params: KeyParams,
      responses: { 204: null },
      async handler({ principal, params, requestId }) {
        await templates.delete({ principal, requestId }, params.key);
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
        'Returns 201 for a new body, 200 for a replaced one. With locale, the body is a variant of the default body, which must exist. Fields that the channel does not use are ignored.',
      access: 'templates:write',
      params: BodyParams,
      query: BodyQuery,
      headers: ifMatchHeader,
      body: PutBodyRequest,
      responses: { 201: SavedTemplateBody, 200: SavedTemplateBody },
      async handler({ principal, params, query, body, requestId, raw }) {
        const where = { channel: params.channel, locale: query.locale };
        const caller = { principal, requestId, ifVersion: ifMatch(raw) };
        const saved = await templates.putBody(caller, params.key, where, body);
        return {
          status: saved.isNew ? 201 : 200,
          body: { ...bodyViewOf(saved.body), version: saved.version },
        };
      },
    }),
    route({
      method: 'DELETE',
      path: '/v1/templates/:key/bodies/:channel',
      operation: 'deleteTemplateBody',
      tag,
      summary: 'Delete the body for a channel',
      description: 'With locale, only that variant is deleted. Without, the body and all its variants.',
      access: 'templates:write',
      params: BodyParams,
      query: BodyQuery,
      headers: ifMatchHeader,
      responses: { 204: null },
      async handler({ principal, params, query, requestId, raw }) {
        const where = { channel: params.channel, locale: query.locale };
        const caller = { principal, requestId, ifVersion: ifMatch(raw) };
        await templates.deleteBody(caller, params.key, where);
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/templates/:key/render',
      operation: 'renderTemplate',
      tag,
      summary: 'Render a template without sending',
      computes: true,
      access: 'templates:read',
      params: KeyParams,
      body: RenderRequest,
      bodyOptional: true,
      responses: { 200: RenderResponse },
      async handler({ principal, params, body }) {
        return { status: 200, body: await templates.render(principal, params.key, body) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/templates/preview',
      operation: 'previewTemplate',
      tag,
      summary: 'Render an unsaved body',
      description:
        'For editors: nothing is stored or sent. A syntax error returns 400 template_syntax_error with the field, the line and the column.',
      computes: true,
      access: 'templates:read',
      body: PreviewRequest,
      responses: { 200: PreviewResponse },
      async handler({ principal, body }) {
        return { status: 200, body: await templates.preview(principal, body) };
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
      query: TemplateVersionQuery,
      responses: { 200: VersionPage },
      async handler({ principal, params, query }) {
        const { data, next_cursor } = await templates.listVersions(principal, params.key, query);
        const versions = data.map(({ id, version, name }) => ({ version, name, created_at: madeAt(id) }));
        return { status: 200, body: { data: versions, next_cursor } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/templates/:key/versions/:version',
      operation: 'getTemplateVersion',
      tag,
      summary: 'Get a version of a template with its content',
      access: 'templates:read',
      params: VersionParams,
      responses: { 200: VersionContent },
      async handler({ principal, params }) {
        const { id, version, name, bodies, push } = await templates.getVersion(
          principal,
          params.key,
          params.version,
        );
        return {
          status: 200,
          body: { version, name, created_at: madeAt(id), bodies: bodies.map(bodyViewOf), push },
        };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/templates/:key/versions/:version/restore',
      operation: 'restoreTemplateVersion',
      tag,
      summary: 'Restore an old version',
      description: 'The content becomes a new version, so the history is kept.',
      access: 'templates:write',
      params: VersionParams,
      headers: ifMatchHeader,
      responses: { 200: Template },
      async handler({ principal, params, requestId, raw }) {
        const caller = { principal, requestId, ifVersion: ifMatch(raw) };
        const restored = await templates.restore(caller, params.key, params.version);
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
        'Requires a Test key. Live then matches Test: bodies that exist only in Live are removed, and the layout, partials and translations that the template uses are copied. Other templates of Live keep the versions that they have. With dry_run, the response only shows what would change.',
      access: 'templates:promote',
      params: KeyParams,
      body: PromoteRequest,
      bodyOptional: true,
      responses: { 200: TemplatePromotion },
      async handler({ principal, params, body, requestId }) {
        const promotion = await templates.promote(
          { principal, requestId },
          params.key,
          body.dry_run ?? false,
        );
        return { status: 200, body: promotion };
      },
    }),
  ];
}
