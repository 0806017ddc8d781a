import type { Operation } from '../src/operations.ts';
import {
  answerOf,
  bodyOf,
  confirmedAnswerOf,
  type Described,
  parametersOf,
  type Schema,
} from './document.ts';
import { exampleOf } from './example.ts';
import { methodName, refinedTypes, repeatable } from './names.ts';
import { comment, property, typeOf } from './types.ts';

/** One method: its place, its types as text, its row in the table. */
export interface Method {
  name: string;
  signature: string;
  row: Operation;
  /** Types that only it uses. */
  types: string[];
}

export function methodOf(
  path: string,
  verb: string,
  operation: Described,
  schemas: Record<string, Schema>,
): Method {
  const { operationId, tags, summary, description } = operation;
  const method = verb.toUpperCase() as Operation['method'];
  const query = parametersOf(operation, 'query');
  const body = bodyOf(operation);
  const answer = answerOf(operation);
  const list = pagingOf(operation, answer?.schema);
  const key = keyOf(operation);
  const guarded = hasHeader(operation, 'If-Match');
  const types: string[] = [];

  const row: Operation = {
    method,
    path,
    ...(query.length > 0 ? { query: query.map(({ name }) => name) } : {}),
    ...(body ? { body: true } : {}),
    ...(list ? { list } : {}),
    ...(key ? { key } : {}),
    ...(guarded ? { guarded: true as const } : {}),
    ...(repeatable.has(operationId) ? { repeatable: true } : {}),
    ...(answer && !answer.type.includes('json') ? { text: true } : {}),
  };

  const args = parametersOf(operation, 'path').map(({ name, schema }) => `${name}: ${typeOf(schema)}`);
  if (body || query.length > 0) {
    const required =
      (body !== null && operation.requestBody?.required) || query.some((each) => each.required);
    args.push(`params${required ? '' : '?'}: ${paramsType(operation, types)}`);
  }
  const options = `options?: ${key === 'header' ? 'KeyedOptions' : guarded ? 'GuardedOptions' : 'RequestOptions'}`;
  const result = answer ? named(answer.schema, `${pascal(operationId)}Result`, types) : 'void';
  const returns = list ? `List<${itemType(result, answer?.schema)}, ${result}>` : `Promise<${result}>`;

  const started = confirmedAnswerOf(operation);
  const signatures = started
    ? [
        `NAME(${args.join(', ')} & { confirm_token?: undefined }, ${options}): ${returns};`,
        `NAME(${args.join(', ')} & { confirm_token: string }, ${options}): Promise<${typeOf(started)}>;`,
      ]
    : [`NAME(${[...args, options].join(', ')}): ${returns};`];

  const name = methodName(operationId, tags[0] ?? '');
  const samples = parametersOf(operation, 'path').map(({ schema }) => sampleOf(schema, schemas));
  const example = exampleOf(
    `${path.startsWith('/inbox/') ? 'inbox' : 'client'}.${name}`,
    [...samples, ...(body ? [sampleOf(body, schemas)] : [])],
    list ? 'list' : answer ? 'value' : 'none',
  );
  const text = [
    `${summary}.`.replace(/\?\.$/, '?'),
    description,
    `\`${method} ${path}\``,
    `@example\n\`\`\`ts\n${example}\n\`\`\``,
  ];
  return {
    name,
    signature: comment(text.filter(Boolean).join('\n\n')) + signatures.join('\n'),
    row,
    types,
  };
}

/** The example of a schema, or those of its fields. */
function sampleOf(schema: Schema, schemas: Record<string, Schema>): unknown {
  const known = schema.$ref ? schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
  if (!known) return {};
  if (known.examples) return known.examples[0];
  if (known.properties) {
    const fields = Object.entries(known.properties).filter(([, field]) => field.examples);
    return Object.fromEntries(fields.map(([name, field]) => [name, field.examples?.[0]]));
  }
  if (known.enum) return known.enum[0];
  if (known.type === 'integer') return 1;
  return known.format === 'uuid' ? '0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d' : 'text';
}

/** Body and query in one object; the row says which is which. */
function paramsType(operation: Described, types: string[]): string {
  const { operationId } = operation;
  const body = bodyOf(operation);
  const query = parametersOf(operation, 'query');
  const name = `${pascal(operationId)}Params`;
  if (body && query.length === 0 && !body.properties) return named(body, name, types);
  const taken = Object.keys(body?.properties ?? {});
  const fields = [
    ...Object.entries(body?.properties ?? {}).map(([field, schema]) =>
      property(
        field,
        schema,
        body?.required?.includes(field) ?? false,
        refinedTypes[`${operationId}.${field}`],
      ),
    ),
    ...query.map(({ name: field, schema, required, description }) => {
      if (taken.includes(field)) throw new Error(`${operationId} has ${field} in its body and its query.`);
      return property(field, description ? { ...schema, description } : schema, required);
    }),
  ];
  const own = `{\n${fields.join('\n')} }`;
  types.push(`export type ${name} = ${body && !body.properties ? `${typeOf(body)} & ` : ''}${own};`);
  return name;
}

/** A schema that has a name keeps it; an object that has none gets one, so that callers can speak of it. */
function named(schema: Schema, name: string, types: string[]): string {
  if (schema.$ref || !schema.properties) return typeOf(schema);
  types.push(`export type ${name} = ${typeOf(schema)};`);
  return name;
}

function pagingOf(operation: Described, answer: Schema | undefined): Operation['list'] {
  const fields = answer?.properties ?? {};
  const asks = (name: string) => parametersOf(operation, 'query').some((each) => each.name === name);
  if (fields.next_cursor && asks('cursor')) return 'cursor';
  if (fields.next_page_token && asks('page_token')) return 'page_token';
  return operation.operationId.startsWith('list') && fields.data ? 'whole' : undefined;
}

function itemType(page: string, answer: Schema | undefined): string {
  const { data, items } = answer?.properties ?? {};
  const item = (data ?? items)?.items;
  return item?.$ref ? typeOf(item) : `${page}['${data ? 'data' : 'items'}'][number]`;
}

function keyOf(operation: Described): Operation['key'] {
  if (hasHeader(operation, 'Idempotency-Key')) return 'header';
  return operation.operationId === 'sendNotificationBatch' ? 'notifications' : undefined;
}

function hasHeader(operation: Described, wanted: string): boolean {
  return parametersOf(operation, 'header').some(({ name }) => name === wanted);
}

function pascal(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
