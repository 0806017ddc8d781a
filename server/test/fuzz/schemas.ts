import type { Random } from './random.ts';
import { save, start } from './saved-workflow.ts';
import type { Area } from './trial.ts';
import { hostileData, hostileText, type JsonObject, range } from './values.ts';

const schemaPieces = (random: Random, depth: number): JsonObject => {
  const inner = (): JsonObject => (depth === 0 ? {} : schemaPieces(random, depth - 1));
  const many = (): JsonObject[] => Array.from({ length: random.size(60) }, inner);
  switch (random.below(12)) {
    case 0:
      return {
        pattern: random.pick([
          '^(a+)+$',
          '(a|a)*b',
          '^(.*a){15}$',
          '^a*a*a*a*a*b$',
          '(x+x+)+y',
          '^[a-z]+$',
          hostileText(random, 60),
        ]),
      };
    case 1:
      return { items: inner(), uniqueItems: true };
    case 2:
      return { oneOf: many() };
    case 3:
      return { anyOf: many(), allOf: many() };
    case 4:
      return { properties: Object.fromEntries(many().map((each, n) => [`k${n}`, each])) };
    case 5:
      return { patternProperties: { [random.pick(['^(k+)+$', '.', '^k'])]: inner() } };
    case 6:
      return { $ref: random.pick(['#', '#/$defs/a', '#/properties/a']) };
    case 7:
      return Object.fromEntries(['not', 'if', 'then', 'else'].map((keyword) => [keyword, inner()]));
    case 8:
      return { enum: Array.from({ length: random.size(2_000) }, (_, n) => `v${n}`) };
    case 9:
      return { additionalProperties: inner(), propertyNames: inner(), unevaluatedProperties: inner() };
    case 10:
      return { contains: inner(), minContains: 2, prefixItems: many() };
    default:
      return {
        type: random.pick(['string', 'object', 'array', 'number']),
        format: random.pick(['email', 'uri', 'date-time', 'uuid']),
      };
  }
};

const doubling = (depth: number): JsonObject => ({
  $defs: Object.fromEntries(
    Array.from({ length: depth }, (_, n) => [
      `d${n}`,
      n === 0
        ? { type: 'number' }
        : { anyOf: [{ $ref: `#/$defs/d${n - 1}` }, { $ref: `#/$defs/d${n - 1}` }] },
    ]),
  ),
  properties: { a: { $ref: `#/$defs/d${depth - 1}` } },
});

/** The schema of one tenant on the data of its triggers. */
export const schemas: Area = {
  name: 'trigger schemas',
  perRound: 2,
  sampleEvery: 4,
  known: [
    { schema: { properties: { a: { pattern: '^(a+)+$' } } }, data: { a: `${'a'.repeat(32)}!` } },
    { schema: { properties: { a: { pattern: '^(.*a){15}$' } } }, data: { a: 'a'.repeat(60) } },
    {
      schema: { properties: { a: { items: { pattern: 'a*a*a*b' } } } },
      data: { a: Array.from({ length: 20 }, () => 'a'.repeat(2_000)) },
    },
    {
      schema: { properties: { a: { uniqueItems: true } } },
      data: { a: Array.from({ length: 12_000 }, (_, n) => ({ n })) },
    },
    { schema: { properties: { a: { uniqueItems: true } } }, data: { a: range(16_000) } },
    { schema: doubling(22), data: { a: 'x' } },
    {
      schema: { anyOf: Array.from({ length: 3_000 }, (_, n) => ({ properties: { a: { const: n } } })) },
      data: { a: 'x' },
    },
    {
      schema: {
        $ref: '#/$defs/a',
        $defs: {
          a: {
            anyOf: [{ type: 'string' }, { items: { $ref: '#/$defs/a' } }, { items: { $ref: '#/$defs/a' } }],
          },
        },
      },
      data: { a: [[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]] },
    },
    {
      schema: { properties: { a: { enum: Array.from({ length: 6_000 }, (_, n) => `v${n}`) } } },
      data: { a: 'x' },
    },
    {
      schema: {
        properties: Object.fromEntries(
          Array.from({ length: 4_000 }, (_, n) => [`k${n}`, { type: 'string' }]),
        ),
      },
      data: { a: 'x' },
    },
    {
      schema: { properties: { a: { items: { format: 'email' } } } },
      data: { a: Array.from({ length: 200 }, () => '@'.repeat(300)) },
    },
    { schema: { patternProperties: { '^(k+)+$': { type: 'string' } } }, data: { [`${'k'.repeat(30)}!`]: 1 } },
  ],
  fresh: (random) => ({
    schema: schemaPieces(random, 1 + random.below(3)),
    data: hostileData(random, 60_000),
  }),
  async run(trial, { schema, data }) {
    const version = await save(trial, {
      trigger_data_schema: schema ?? true,
      steps: [{ id: 'a', kind: 'noop' }],
    });
    if (!version) return;
    await trial.ask('POST workflow simulate', 'POST', `${version}/simulate`, { trigger_data: data ?? {} });
    const activated = await trial.ask('POST workflow activate', 'POST', `${version}/activate`, {});
    if (activated.status < 300 && activated.body.valid) await start(trial, data ?? {});
  },
};
