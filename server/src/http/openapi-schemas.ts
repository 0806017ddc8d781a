import { canonicalJson } from '../kernel/json.ts';

/** A JSON Schema as it is written in the document: OpenAPI 3.1 uses them unchanged. */
export type JsonSchema = { [keyword: string]: unknown };

const sampleKeywords = new Set(['const', 'default', 'enum', 'examples']);

/**
 * Collects the schemas that have a name (`$id` or `title`) and replaces each use with a reference, so that a notification is
 * described once. Two different schemas with one name are a mistake and throw.
 */
export function createSchemaCollector() {
  const named = new Map<string, JsonSchema>();

  function place(schema: unknown): JsonSchema {
    const plain = JSON.parse(JSON.stringify(schema)) as JsonSchema;
    return visit(plain) as JsonSchema;
  }

  function visit(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const schema = value as JsonSchema;
    const name = nameOf(schema);
    if (name !== null) return refer(name, schema);
    return visitKeywords(schema);
  }

  function visitKeywords(schema: JsonSchema): JsonSchema {
    const entries = Object.entries(schema).map(([keyword, value]) => {
      if (keyword === '$ref' && typeof value === 'string') return [keyword, referenceTo(value)];
      if (sampleKeywords.has(keyword)) return [keyword, value];
      // Below `properties` the keys are field names: a field called `title` does not name a schema.
      if (keyword === 'properties' && typeof value === 'object' && value !== null) {
        return [
          keyword,
          Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, visit(inner)])),
        ];
      }
      return [keyword, visit(value)];
    });
    return Object.fromEntries(entries);
  }

  function refer(name: string, schema: JsonSchema): JsonSchema {
    const { $id, ...rest } = schema;
    if (isNullable(rest)) return { anyOf: [refer(name, withoutNull(rest)), { type: 'null' }] };
    const placed = visitKeywords(rest);
    const known = named.get(name);
    if (known && canonicalJson(known) !== canonicalJson(placed)) {
      throw new Error(`Two different schemas are named ${name}.`);
    }
    named.set(name, placed);
    return { $ref: referenceTo(name) };
  }

  return { place, schemas: () => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

export type CloseSchema = (schema: unknown) => JsonSchema;

/**
 * Says in the schema of a body that its objects take no other fields. A named schema that responses have too stays open: new
 * fields may be added to them.
 */
export function createCloseSchema(responses: unknown): CloseSchema {
  const named = [...JSON.stringify(responses).matchAll(/"title":"([\w.-]+)"/g)];
  const inResponses = new Set(named.map(([, title]) => title));
  return close;

  function close(schema: unknown): JsonSchema {
    const { properties, items, ...rest } = schema as JsonSchema;
    if (inResponses.has(rest.title as string)) return schema as JsonSchema;
    return {
      ...rest,
      ...(items ? { items: close(items) } : {}),
      ...(properties
        ? {
            properties: Object.fromEntries(
              Object.entries(properties).map(([name, part]) => [name, close(part)]),
            ),
            additionalProperties: rest.additionalProperties ?? false,
          }
        : {}),
    };
  }
}

function nameOf(schema: JsonSchema): string | null {
  const name = schema.$id ?? schema.title;
  if (typeof name !== 'string') return null;
  if (!/^[\w.-]+$/.test(name)) throw new Error(`A schema cannot be named ${JSON.stringify(name)}.`);
  return name;
}

function referenceTo(name: string): string {
  return name.startsWith('#') ? name : `#/components/schemas/${name}`;
}

function isNullable(schema: JsonSchema): boolean {
  return Array.isArray(schema.type) && schema.type.includes('null');
}

function withoutNull(schema: JsonSchema): JsonSchema {
  const types = (schema.type as string[]).filter((type) => type !== 'null');
  const values = Array.isArray(schema.enum) ? { enum: schema.enum.filter((value) => value !== null) } : {};
  return { ...schema, type: types.length === 1 ? types[0] : types, ...values };
}
