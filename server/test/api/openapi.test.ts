import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import type { OpenApiDocument } from '../../src/http/openapi-document.ts';
import type { JsonSchema } from '../../src/http/openapi-schemas.ts';

const textOf = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');
const document: OpenApiDocument = JSON.parse(textOf('openapi.json'));
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

const ajv = addFormats.default(new Ajv2020({ strict: false }));
ajv.addSchema(document, 'openapi');

/** What is wrong with the examples below a part of the document, by their pointers. */
function wrongExamples(value: unknown, pointer: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { examples } = value as JsonSchema;
  const own = Array.isArray(examples)
    ? examples.flatMap((example) => {
        const check = ajv.compile({ $ref: `openapi#${pointer}` });
        return check(example) ? [] : [`${pointer}: ${ajv.errorsText(check.errors)}`];
      })
    : [];
  const inner = Object.entries(value).filter(([key]) => key !== 'examples');
  return [
    ...own,
    ...inner.flatMap(([key, each]) =>
      wrongExamples(
        each,
        `${pointer}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`,
      ),
    ),
  ];
}

const schemaOf = (schema: JsonSchema): JsonSchema =>
  typeof schema.$ref === 'string'
    ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})
    : schema;

/** A body is exampled as a whole, or by one of its fields. */
const isExampled = (schema: JsonSchema): boolean =>
  'examples' in schema ||
  Object.values((schema.properties ?? {}) as Record<string, JsonSchema>).some((field) => 'examples' in field);

test('every request and the commonest answers have an example', () => {
  const lacking = operations.filter(({ requestBody }) => {
    const schema = requestBody?.content['application/json']?.schema;
    return schema && !isExampled(schemaOf(schema));
  });
  expect(lacking.map(({ operationId }) => operationId)).toEqual([]);
  const answers = ['Notification', 'Trace', 'Template', 'Category', 'WebhookEndpoint', 'WebhookDelivery'];
  for (const name of [...answers, 'User', 'Suppression', 'TriggeredRun', 'WorkflowRun', 'Topic', 'Error'])
    expect(document.components.schemas[name], name).toHaveProperty('examples');
});

test('every example is valid', () => {
  const { paths, webhooks, components } = document;
  expect(wrongExamples({ paths, webhooks, components }, '')).toEqual([]);
});

test('the events of webhooks are those of the guide, the SDK and the dashboard', () => {
  const documented = Object.keys(document.webhooks).sort();
  const typesIn = (text: string, pattern: RegExp): string[] =>
    [...new Set([...text.matchAll(pattern)].map(([, type = '']) => type))].sort();
  const guide = textOf('docs/guides/webhooks.md');
  const table = guide
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|')[1] ?? '');
  const inGuide = typesIn(table.join('\n'), /`([a-z]+(?:\.[a-z_]+)+)`/g);
  expect(inGuide).toEqual(documented);
  const inSdk = typesIn(textOf('sdk/src/webhooks.ts'), /'([a-z]+(?:\.[a-z_]+)+)'/g);
  expect(inSdk).toEqual(documented);
  const inDashboard = typesIn(
    textOf('dashboard/src/features/webhooks/event-types.ts'),
    /'([a-z]+(?:\.[a-z_]+)+)'/g,
  );
  // A test event is sent to one endpoint, filters or not.
  expect([...inDashboard, 'webhook.test'].sort()).toEqual(documented);
});
