import type { TSchema } from 'typebox';
import { type Route, route } from '../../../../http/route.ts';
import { IdParams } from '../../../../http/schema.ts';
import type { ChatthreeEndpointChange, NewChatthreeEndpoint } from '../chatthree/kind.ts';
import type { ChattwoEndpointChange, NewChattwoEndpoint } from '../chattwo/kind.ts';
import { EndpointQuery, TestSent } from './schema.ts';
import type { ChatEndpointsService } from './service.ts';

/** The API texts that differ between the endpoints of the two channels. */
export interface EndpointArea {
  name: 'Chattwo' | 'Chatthree';
  /** The name for people, with the name of the channel. */
  title: string;
  /** The URLs that are accepted. */
  accepts: string;
  testSummary: string;
  schemas: {
    created: typeof NewChattwoEndpoint | typeof NewChatthreeEndpoint;
    changed: typeof ChattwoEndpointChange | typeof ChatthreeEndpointChange;
    endpoint: TSchema;
    list: TSchema;
  };
}

export function endpointRoutes(
  { name, title, accepts, testSummary, schemas }: EndpointArea,
  endpoints: ChatEndpointsService<object>,
): Route[] {
  const noun = `${title} endpoint`;
  const path = `/v1/${name.toLowerCase()}-endpoints`;
  return [
    route({
      method: 'POST',
      path,
      operation: `create${name}Endpoint`,
      tag: title,
      summary: `Create a ${noun}`,
      description: accepts,
      access: 'channels:write',
      body: schemas.created,
      responses: { 201: schemas.endpoint },
      async handler({ principal, requestId, body }) {
        return { status: 201, body: await endpoints.create({ principal, requestId }, body) };
      },
    }),
    route({
      method: 'GET',
      path,
      operation: `list${name}Endpoints`,
      tag: title,
      summary: `List the ${noun}s, newest first`,
      description: 'Without a limit or a cursor, all of them at once, at most 1,000.',
      access: 'channels:read',
      query: EndpointQuery,
      responses: { 200: schemas.list },
      async handler({ principal, query }) {
        return { status: 200, body: await endpoints.list(principal, query) };
      },
    }),
    route({
      method: 'GET',
      path: `${path}/:id`,
      operation: `get${name}Endpoint`,
      tag: title,
      summary: `Get a ${noun}`,
      access: 'channels:read',
      params: IdParams,
      responses: { 200: schemas.endpoint },
      async handler({ principal, params }) {
        return { status: 200, body: await endpoints.get(principal, params.id) };
      },
    }),
    route({
      method: 'PUT',
      path: `${path}/:id`,
      operation: `update${name}Endpoint`,
      tag: title,
      summary: `Change a ${noun}`,
      description:
        'Omitted fields and the key stay unchanged; null clears a default. Setting the URL, even to the same one, reactivates a broken endpoint.',
      access: 'channels:write',
      params: IdParams,
      body: schemas.changed,
      responses: { 200: schemas.endpoint },
      async handler({ principal, requestId, params, body }) {
        return { status: 200, body: await endpoints.update({ principal, requestId }, params.id, body) };
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/:id`,
      operation: `delete${name}Endpoint`,
      tag: title,
      summary: `Delete a ${noun}`,
      description: 'Queued notifications for the endpoint fail with `endpoint_not_found`.',
      access: 'channels:write',
      params: IdParams,
      responses: { 204: null },
      async handler({ principal, requestId, params }) {
        await endpoints.delete({ principal, requestId }, params.id);
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: `${path}/:id/send-test`,
      operation: `sendTestTo${name}Endpoint`,
      tag: title,
      summary: testSummary,
      description:
        'The test is a normal notification: get the notification or its trace to see the result. Returns 409 `endpoint_disabled` for a Live endpoint that is `gone`, which is no longer called.',
      access: 'channels:write',
      params: IdParams,
      responses: { 202: TestSent },
      errors: ['plan_limit_reached', 'endpoint_disabled'],
      async handler({ principal, params }) {
        return { status: 202, body: { notification_id: await endpoints.sendTest(principal, params.id) } };
      },
    }),
  ];
}
