import { describe, expect, test } from 'vitest';
import { type Described, isMethod, type Schema } from './document.ts';
import { methodOf } from './methods.ts';
import { methodName } from './names.ts';
import { typeOf } from './types.ts';

const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');

test('a schema becomes the type of the values that it allows', () => {
  const table: [Schema, string][] = [
    [{}, 'unknown'],
    [{ type: 'integer' }, 'number'],
    [{ type: ['string', 'null'] }, '(string | null)'],
    [{ enum: ['a', 'b', null] }, '("a" | "b" | null)'],
    [{ const: 7 }, '7'],
    [{ $ref: '#/components/schemas/Template' }, 'Template'],
    [{ $ref: '#/components/schemas/Error' }, 'ErrorBody'],
    [{ type: 'array', items: { type: 'string' } }, 'Array<string>'],
    [{ type: 'array' }, 'Array<unknown>'],
    [{ type: 'object' }, 'Record<string, unknown>'],
    [{ type: ['object', 'null'] }, '(Record<string, unknown> | null)'],
    [{ type: 'object', additionalProperties: true }, 'Record<string, unknown>'],
    [{ type: 'object', patternProperties: { '^x': { type: 'number' } } }, 'Record<string, number>'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'integer' }] }, '(string | number)'],
    [{ allOf: [{ $ref: '#/a/A' }, { $ref: '#/a/B' }] }, '(A) & (B)'],
    [
      {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'string', description: 'Its */ id.' }, 'x-y': { type: 'boolean' } },
      },
      '{ /** Its *∕ id. */ id: string; "x-y"?: boolean | undefined; }',
    ],
  ];
  for (const [schema, type] of table) expect(flat(typeOf(schema))).toBe(type);
});

describe('an operation', () => {
  test('is named by what its group does not say already, and by itself where nobody has thought of it', () => {
    expect(methodName('sendNotificationBatch', 'Notifications')).toBe('notifications.sendBatch');
    expect(methodName('sendTestToChattwoEndpoint', 'Microsoft Teams (chattwo)')).toBe('chattwo.sendTest');
    expect(methodName('getMe', 'Accounts')).toBe('me');
    expect(methodName('ringBell', 'Bell towers')).toBe('bellTowers.ringBell');
  });

  const operation: Described = {
    operationId: 'ringBell',
    tags: ['Bell towers'],
    summary: 'Ring a bell',
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'loud', in: 'query', required: false, schema: { type: 'boolean' } },
      { name: 'Idempotency-Key', in: 'header', required: false, schema: { type: 'string' } },
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: { type: 'object', properties: { times: { type: 'integer' } } } },
      },
    },
    responses: { 204: {}, 400: {} },
  };

  test('takes its path, then body and query as one, then options', () => {
    const { signature, row, types } = methodOf('/v1/bells/{id}/ring', 'post', operation, {});
    expect(row).toEqual({
      method: 'POST',
      path: '/v1/bells/{id}/ring',
      query: ['loud'],
      body: true,
      key: 'header',
    });
    expect(signature).toContain(
      'NAME(id: string, params: RingBellParams, options?: KeyedOptions): Promise<void>;',
    );
    expect(types.map(flat)).toEqual([
      'export type RingBellParams = { times?: number | undefined; loud?: boolean | undefined; };',
    ]);
  });

  test('with a preview has two signatures: the answer depends on the token', () => {
    const answer = (name: string) => ({
      content: { 'application/json': { schema: { $ref: `#/a/${name}` } } },
    });
    const responses = { 200: answer('Preview'), 202: answer('Action') };
    const { signature } = methodOf('/v1/bells', 'post', { ...operation, parameters: [], responses }, {});
    expect(signature).toContain(
      'RingBellParams & { confirm_token?: undefined }, options?: RequestOptions): Promise<Preview>;',
    );
    expect(signature).toContain(
      'RingBellParams & { confirm_token: string }, options?: RequestOptions): Promise<Action>;',
    );
  });

  test('with one name in the body and the query is refused: one object cannot hold both', () => {
    const clash = { name: 'times', in: 'query' as const, required: false, schema: {} };
    expect(() => methodOf('/v1/bells', 'post', { ...operation, parameters: [clash] }, {})).toThrow('times');
  });

  test('that a browser or a provider calls is no method', () => {
    expect(isMethod('/v1/bells', operation)).toBe(true);
    expect(isMethod('/hooks/x', operation)).toBe(false);
    expect(isMethod('/t/o', { ...operation, tags: ['Tracking'] })).toBe(false);
    expect(isMethod('/oauth', { ...operation, responses: { 302: {} } })).toBe(false);
    const page = { content: { 'text/html': { schema: {} } } };
    expect(isMethod('/docs', { ...operation, responses: { 200: page } })).toBe(false);
  });
});
