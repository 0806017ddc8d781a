import type { Schema } from './document.ts';
import { renamedSchemas } from './names.ts';

/** JSON Schema as TypeScript. Formatting is left to the formatter. */
export function typeOf(schema: Schema): string {
  if (schema.$ref) return schemaName(schema.$ref.split('/').at(-1) ?? '');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return unionOf(schema.enum.map((value) => JSON.stringify(value)));
  const members = schema.anyOf ?? schema.oneOf;
  if (members) return unionOf(members.map(typeOf));
  if (schema.allOf) return schema.allOf.map((each) => `(${typeOf(each)})`).join(' & ');
  if (Array.isArray(schema.type)) return unionOf(schema.type.map((type) => typeOf({ ...schema, type })));
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `Array<${typeOf(schema.items ?? {})}>`;
    case 'object':
      return objectOf(schema);
    default:
      return 'unknown';
  }
}

export function schemaName(name: string): string {
  return renamedSchemas[name] ?? name;
}

function unionOf(types: string[]): string {
  const distinct = [...new Set(types)];
  return distinct.length > 1 ? `(${distinct.join(' | ')})` : (distinct[0] ?? 'never');
}

function objectOf({
  properties,
  required = [],
  additionalProperties,
  patternProperties = {},
}: Schema): string {
  if (properties) {
    return `{\n${Object.entries(properties)
      .map(([name, schema]) => property(name, schema, required.includes(name)))
      .join('\n')} }`;
  }
  const values = [
    ...Object.values(patternProperties),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ];
  return `Record<string, ${values.length === 0 ? 'unknown' : unionOf(values.map(typeOf))}>`;
}

/** `undefined` is allowed where a field may be left out: it is left out then. */
export function property(name: string, schema: Schema, required: boolean, type = typeOf(schema)): string {
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
  return `${comment(schema.description)}${key}${required ? `: ${type}` : `?: ${type} | undefined`};`;
}

export function comment(text: string | undefined): string {
  if (!text) return '';
  const lines = text.replaceAll('*/', '*∕').trim().split('\n');
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}
