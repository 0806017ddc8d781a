import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { problemCodes } from '../kernel/errors.ts';
import { openApiDocument } from './openapi.ts';
import { type Route, route } from './route.ts';
import { Nullable, Uuid } from './schema.ts';
import { sessionTokenOf } from './session-cookie.ts';

const Bell = Type.Object({ id: Uuid, title: Type.String() }, { title: 'Bell' });
const ring = route({
  method: 'POST',
  path: '/v1/bells/:id/ring/:times',
  operation: 'ringBell',
  tag: 'Operations',
  summary: 'Ring a bell',
  description: 'Once or more.',
  access: 'notifications:send',
  params: Type.Object({ id: Uuid }),
  query: Type.Object({
    loud: Type.Optional(Type.Boolean({ description: 'So that all hear it.' })),
    by: Type.String(),
  }),
  headers: { 'Idempotency-Key': { description: 'Rings once.', schema: Type.String({ maxLength: 255 }) } },
  body: Type.Object({ after: Nullable(Bell) }),
  responses: { 202: Bell, 204: null },
  handler: () => ({ status: 202 }),
});
const look = (access: Route['access']) =>
  route({
    method: 'GET',
    path: '/bells',
    operation: 'look',
    tag: 'Operations',
    summary: 'Look',
    access,
    responses: { 200: Type.String({ contentMediaType: 'text/html' }) },
    handler: () => ({ status: 200 }),
  });

function operation(document: ReturnType<typeof openApiDocument>, path: string, method: string) {
  const found = document.paths[path]?.[method];
  if (!found) throw new Error(`${method} ${path} is not in the document`);
  return found;
}

describe('the OpenAPI document', () => {
  it('writes the parameters of path, query and headers as the routes check them', () => {
    const { parameters } = operation(openApiDocument([ring], '1'), '/v1/bells/{id}/ring/{times}', 'post');
    expect(parameters).toEqual([
      {
        name: 'id',
        in: 'path',
        required: true,
        description: 'The id of the resource.',
        schema: { type: 'string', format: 'uuid' },
      },
      { name: 'times', in: 'path', required: true, schema: { type: 'string' } },
      {
        name: 'loud',
        in: 'query',
        required: false,
        description: 'So that all hear it.',
        schema: { type: 'boolean' },
      },
      { name: 'by', in: 'query', required: true, schema: { type: 'string' } },
      {
        name: 'Idempotency-Key',
        in: 'header',
        required: false,
        description: 'Rings once.',
        schema: { type: 'string', maxLength: 255 },
      },
    ]);
  });

  it('describes a named schema once and refers to it, also where it may be null', () => {
    const document = openApiDocument([ring], '1');
    const { requestBody, responses } = operation(document, '/v1/bells/{id}/ring/{times}', 'post');
    const reference = { $ref: '#/components/schemas/Bell' };
    expect(responses['202']).toMatchObject({ content: { 'application/json': { schema: reference } } });
    expect(requestBody?.content['application/json']?.schema.properties).toEqual({
      after: { anyOf: [reference, { type: 'null' }] },
    });
    expect(document.components.schemas.Bell).toMatchObject({ type: 'object', required: ['id', 'title'] });
  });

  it('refuses two different schemas of one name, and two routes of one name', () => {
    const other = { ...look('public'), responses: { 200: Type.Object({}, { title: 'Bell' }) } };
    expect(() => openApiDocument([ring, other], '1')).toThrow('named Bell');
    expect(() => openApiDocument([ring, { ...look('public'), operation: 'ringBell' }], '1')).toThrow(
      'called ringBell',
    );
  });

  it('tells for each operation which scope it needs', () => {
    const scoped = operation(openApiDocument([ring], '1'), '/v1/bells/{id}/ring/{times}', 'post');
    expect(scoped['x-required-scope']).toBe('notifications:send');
    expect(scoped.description).toBe('Once or more.\n\nRequires the scope `notifications:send`.');
    expect(scoped.security).toEqual([
      { api_key: ['notifications:send'] },
      { session: ['notifications:send'] },
    ]);
    const securityFor = (access: Route['access']) =>
      operation(openApiDocument([look(access)], '1'), '/bells', 'get').security;
    expect(securityFor('public')).toEqual([]);
    expect(securityFor('session')).toEqual([{ session: [] }]);
    expect(securityFor('key')).toEqual([{ api_key: [] }, { session: [] }]);
  });

  it('names the cookie that the service really reads', () => {
    const { session } = openApiDocument([], '1').components.securitySchemes;
    const { name } = session as { name: string };
    expect(sessionTokenOf(`${name}=${'t'.repeat(32)}`, 'http://127.0.0.1')).toBe('t'.repeat(32));
  });

  it('documents every error code, and refers only to what it defines', () => {
    const document = openApiDocument([ring, look('key')], '1');
    const errors = JSON.stringify(document.components.responses);
    for (const code of Object.keys(problemCodes)) expect(errors).toContain(`\`${code}\``);
    for (const [, section = '', name = ''] of JSON.stringify(document).matchAll(
      /"#\/components\/(\w+)\/(\w+)"/g,
    )) {
      expect(document.components).toHaveProperty([section, name]);
    }
  });

  it('gives the media type of answers that are not JSON, and none to an empty one', () => {
    const { responses } = operation(openApiDocument([look('public')], '1'), '/bells', 'get');
    expect(responses['200']).toMatchObject({ content: { 'text/html': {} } });
    expect(
      operation(openApiDocument([ring], '1'), '/v1/bells/{id}/ring/{times}', 'post').responses['204'],
    ).not.toHaveProperty('content');
  });
});
