import { STATUS_CODES } from 'node:http';
import { problemCodes } from '../kernel/errors.ts';
import { describeErrors } from './error-reference.ts';
import { type ParameterLocation, type Response, requestIdHeader } from './openapi-document.ts';
import { isRecipientAccess } from './recipient-access.ts';
import { type Route, refusesUnknownNames } from './route.ts';

/** The statuses that follow from the shape of the route, and those that the route names; `default` is for 5xx. */
export function errorStatuses(route: Route): number[] {
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

export function errorReference(status: number | 'Other'): string {
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

export function errorResponses(place: ParameterLocation): Record<string, Response> {
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
