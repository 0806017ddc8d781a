import { STATUS_CODES } from 'node:http';
import { problemCodes } from '../kernel/errors.ts';
import { describeErrors } from './error-reference.ts';
import { answerExamples } from './openapi-answers.ts';
import {
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type ParameterLocation,
  type Response,
  requestIdHeader,
} from './openapi-document.ts';
import {
  type CloseSchema,
  createCloseSchema,
  createSchemaCollector,
  type JsonSchema,
} from './openapi-schemas.ts';
import { parameterTexts, tagTexts } from './openapi-texts.ts';
import { webhookOperations } from './openapi-webhooks.ts';
import { isRecipientAccess, recipientScopeOf } from './recipient-access.ts';
import { type Access, type Route, refusesUnknownNames } from './route.ts';

const description = `One HTTP API to send notifications over seven channels and to follow each one until it is delivered.

Every request needs \`Authorization: Bearer <key>\`. The key selects the environment: with \`crl_test_…\` keys, messages end in the built-in sandbox and never leave the machine; \`crl_live_…\` keys reach real providers. Bodies are JSON; timestamps are UTC, ISO 8601 with milliseconds. Unknown fields and query parameters are refused with 400 \`parameter_unknown\`: \`param\` is the path of the field, and the message names the field that is meant, when one is (\`sendAt\`, \`adress\`, \`scheduled_at\`). Free-form objects such as \`template_data\` can have any fields. In PUT and PATCH, \`null\` clears a field that can be null; one that is never null in a response gets its empty value or its default. Elsewhere \`null\` for an optional field is the same as omitting it. Every response has \`X-Request-Id\`; a valid one in the request is kept.

Channels have neutral names: \`chatone\` is Slack, \`chattwo\` is Microsoft Teams, \`chatthree\` is Discord. The SMS provider \`smsone\` is Twilio, \`smstwo\` is Vonage.

Lists are newest first. Pass the \`next_cursor\` of a page as \`cursor\` to get the next page; \`null\` means the end.

All errors have the same format: \`{"error": {"type", "code", "message", "param"}}\`. Codes are stable; messages are for people.`;

/** The OpenAPI 3.1 document of a table of routes: the same table registers, checks and describes them. */
export function openApiDocument(routes: Route[], version: string): OpenApiDocument {
  const { place: location, schemas } = createSchemaCollector();
  const close = createCloseSchema(routes.map((route) => route.responses));
  const paths: OpenApiDocument['paths'] = {};
  const operationIds = new Set<string>();
  for (const route of routes) {
    if (operationIds.has(route.operation)) throw new Error(`Two routes are called ${route.operation}.`);
    operationIds.add(route.operation);
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, location, close) };
  }
  const responses = errorResponses(location);
  const { Notification: notification } = schemas();
  return {
    openapi: '3.1.1',
    info: {
      title: 'Carillon',
      version,
      summary: 'Notification delivery: one API, seven channels, nothing lost.',
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:8400', description: 'The default address on your machine' }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({
      name,
      description: tagTexts[name] ?? '',
    })),
    paths,
    webhooks: notification ? webhookOperations(notification) : {},
    components: {
      schemas: Object.fromEntries(
        Object.entries(schemas()).map(([name, schema]) => [name, exampled(name, schema)]),
      ),
      responses,
      headers: {
        RequestId: { description: 'Identifies this request in the logs.', schema: { type: 'string' } },
      },
      securitySchemes: {
        api_key: { type: 'http', scheme: 'bearer', description: 'The secret key of an environment.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'carillon_session',
          description:
            'A dashboard session; on https the name is `__Host-carillon_session`. Set the environment in `X-Environment-Id`; writes need `X-Carillon-CSRF: 1`.',
        },
        end_user_token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'Created for one of your users by `POST /v1/inbox/tokens`, or signed by yourself.',
        },
      },
    },
  };
}

function exampled(name: string, schema: JsonSchema): JsonSchema {
  const example = answerExamples[name];
  return example && !schema.examples ? { ...schema, examples: [example] } : schema;
}

function operationOf(route: Route, location: ParameterLocation, close: CloseSchema): Operation {
  const parameters = parametersOf(route, location);
  const scope = scopeOf(route.access);
  return {
    operationId: route.operation,
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, accessSentence(route.access)].filter(Boolean).join('\n\n'),
    ...(scope === null ? {} : { 'x-required-scope': scope }),
    security: securityOf(route.access),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body
      ? {
          requestBody: {
            required: !route.bodyOptional,
            content: {
              'application/json': {
                schema: location(refusesUnknownNames(route) ? close(route.body) : route.body),
              },
            },
          },
        }
      : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.responses).map(([status, schema]) => [
          status,
          success(Number(status), schema, location),
        ]),
      ),
      ...Object.fromEntries(errorStatuses(route).map((status) => [status, { $ref: errorReference(status) }])),
      default: { $ref: errorReference('Other') },
    },
  };
}

function scopeOf(access: Access): string | null {
  if (isRecipientAccess(access)) return recipientScopeOf(access);
  return access === 'key' || access === 'session' || access === 'public' ? null : access;
}

function accessSentence(access: Access): string {
  if (access === 'public') return 'Requires no credentials.';
  if (access === 'key') return 'Requires any valid key.';
  if (access === 'session') return 'Requires a dashboard session.';
  if (access === 'recipient') return 'Requires any valid end-user token.';
  if (isRecipientAccess(access)) return `Requires an end-user token with the scope \`${scopeOf(access)}\`.`;
  return `Requires the scope \`${access}\`.`;
}

/** In OpenAPI 3.1 the list beside a scheme names the required roles, for every kind of scheme. */
function securityOf(access: Access): Record<string, string[]>[] {
  if (access === 'public') return [];
  if (access === 'session') return [{ session: [] }];
  const scope = scopeOf(access);
  if (isRecipientAccess(access)) return [{ end_user_token: scope === null ? [] : [scope] }];
  const needed = scope === null ? [] : [scope];
  return [{ api_key: needed }, { session: needed }];
}

function parametersOf(route: Route, location: ParameterLocation): Parameter[] {
  const inPath = propertiesOf(route.params);
  const path = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) =>
    parameter('path', name, inPath.properties[name] ?? { type: 'string' }, true, location),
  );
  const inQuery = propertiesOf(route.query);
  const query = Object.entries(inQuery.properties).map(([name, schema]) =>
    parameter('query', name, schema, inQuery.required.includes(name), location),
  );
  const headers = Object.entries(route.headers ?? {}).map(([name, header]) => ({
    ...parameter('header', name, { ...header.schema }, false, location),
    description: header.description,
  }));
  return [...path, ...query, ...headers];
}

function propertiesOf(schema: unknown): { properties: Record<string, JsonSchema>; required: string[] } {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return { properties, required };
}

function parameter(
  where: Parameter['in'],
  name: string,
  schema: JsonSchema,
  required: boolean,
  location: ParameterLocation,
): Parameter {
  const { description: text = parameterTexts[name], ...rest } = schema;
  return {
    name,
    in: where,
    required,
    ...(typeof text === 'string' ? { description: text } : {}),
    schema: location(rest),
  };
}

function success(status: number, schema: unknown, location: ParameterLocation): Response {
  const response = { description: STATUS_CODES[status] ?? 'Success', headers: requestIdHeader };
  if (schema === null) return response;
  const placed = location(schema);
  const type = typeof placed.contentMediaType === 'string' ? placed.contentMediaType : 'application/json';
  return { ...response, content: { [type]: { schema: placed } } };
}

/** The statuses that follow from the shape of the route, and those that the route names; `default` is for 5xx. */
function errorStatuses(route: Route): number[] {
  const { access, method, path, body, rawBody, query, errors = [] } = route;
  const isRecipient = isRecipientAccess(access);
  const isKeyed = access !== 'public' && access !== 'session' && !isRecipient;
  const writes = method !== 'GET';
  const possible: [number, boolean][] = [
    [400, refusesUnknownNames(route) || body !== undefined || query !== undefined],
    [401, access !== 'public'],
    [
      403,
      isRecipient ? access !== 'recipient' : (isKeyed && access !== 'key') || (writes && access !== 'public'),
    ],
    [404, path.includes(':') || isKeyed], // X-Environment-Id may name no environment of the session
    [409, (isKeyed || access === 'session') && writes],
    [413, body !== undefined || rawBody === true],
    [415, body !== undefined],
    [421, access !== 'public' || writes],
    [429, access !== 'public'],
  ];
  const statuses = possible.filter(([, applies]) => applies).map(([status]) => status);
  return [...new Set([...statuses, ...errors.map((code) => problemCodes[code].status)])]
    .filter((status) => !isOther(status))
    .sort((one, other) => one - other);
}

/** These follow from no operation: `default` stands for them. */
const isOther = (status: number): boolean => status === 405 || status >= 500;

function errorReference(status: number | 'Other'): string {
  return `#/components/responses/Error${status}`;
}

const errorSchema = {
  title: 'Error',
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['type', 'code', 'message'],
      properties: {
        type: { type: 'string', enum: [...new Set(describeErrors().map((row) => row.type))] },
        code: { type: 'string', description: 'One of a closed list; see docs/errors.md.' },
        message: { type: 'string', description: 'A message for people.' },
        param: { type: ['string', 'null'], description: 'The invalid field, as a dotted path.' },
      },
    },
  },
};

function errorResponses(place: ParameterLocation): Record<string, Response> {
  const content = { 'application/json': { schema: place(errorSchema) } };
  const rows = describeErrors();
  const response = (title: string, lines: string[]): Response => ({
    description: `${title}\n\n${lines.join('\n')}`,
    headers: requestIdHeader,
    content,
  });
  const statuses = [...new Set(rows.map((row) => row.status))].filter((status) => !isOther(status));
  const others = rows.filter(({ status }) => isOther(status));
  return Object.fromEntries([
    ...statuses.map((status): [string, Response] => {
      const codes = rows.filter((row) => row.status === status);
      const lines = codes.map(({ code, meaning }) => `- \`${code}\`: ${meaning}`);
      return [`Error${status}`, response(STATUS_CODES[status] ?? 'Error', lines)];
    }),
    [
      'ErrorOther',
      response(
        'Any other error',
        others.map(({ status, code, meaning }) => `- ${status} \`${code}\`: ${meaning}`),
      ),
    ],
  ]);
}
