import { type Html, html, inline } from './html.ts';
import type { JsonSchema } from './openapi-schemas.ts';

/**
 * Renders the fields of an object as a table; nested objects become tables below their row, named ones a link. Returns null
 * when there are no fields.
 */
export function schemaTable(schema: JsonSchema, caption: string): Html | null {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  if (properties.length === 0) return null;
  const required = (schema.required ?? []) as string[];
  return html`<table><caption>${caption}</caption>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${properties.map(([name, field]) => fieldRow(name, field, required.includes(name)))}</tbody></table>`;
}

function fieldRow(name: string, field: JsonSchema, required: boolean): Html {
  const inner = schemaTable(elementOf(field), `Fields of ${name}`);
  return html`<tr><th scope="row"><code>${name}</code>${required ? html` <em>required</em>` : null}</th>
<td>${typeOf(field)}</td><td>${meaningOf(field)}</td></tr>
${inner && html`<tr><td colspan="3">${inner}</td></tr>`}
`;
}

/** The schema of the parts: the elements of an array, or the non-null alternative. */
function elementOf(schema: JsonSchema): JsonSchema {
  if (schema.items) return elementOf(schema.items as JsonSchema);
  const choices = alternatives(schema).filter((choice) => choice.type !== 'null');
  return choices.length === 1 && choices[0] ? elementOf(choices[0]) : schema;
}

function alternatives(schema: JsonSchema): JsonSchema[] {
  return (schema.anyOf ?? schema.oneOf ?? []) as JsonSchema[];
}

export function typeOf(schema: JsonSchema): Html {
  const name = referredName(schema);
  if (name !== null) return html`<a href="#schema-${name}">${name}</a>`;
  const types = [schema.type ?? 'any'].flat();
  if (schema.items) {
    return html`array of ${typeOf(schema.items as JsonSchema)}${types.includes('null') ? ' or null' : null}`;
  }
  const choices = alternatives(schema);
  if (choices.length > 0) {
    return { markup: choices.map((choice) => typeOf(choice).markup).join(' or ') };
  }
  if ('const' in schema) return html`<code>${JSON.stringify(schema.const)}</code>`;
  const format =
    typeof schema.format === 'string' ? html` <span class="format">(${schema.format})</span>` : null;
  return html`${types.join(' or ')}${format}`;
}

export function meaningOf(schema: JsonSchema): Html[] {
  const notes: Html[] = [];
  if (typeof schema.description === 'string') notes.push(html`${inline(schema.description)} `);
  const values = elementOf(schema).enum;
  if (Array.isArray(values)) {
    const listed = values
      .filter((value) => value !== null)
      .map((value) => `<code>${html`${String(value)}`.markup}</code>`)
      .join(', ');
    notes.push(html`One of ${{ markup: listed }}. `);
  }
  const limits = limitsOf(schema);
  if (limits !== '') notes.push(html`<span class="limits">${limits}</span>`);
  return notes;
}

function limitsOf(schema: JsonSchema): string {
  const limits = [
    range(schema.minLength, schema.maxLength, 'characters'),
    range(schema.minItems, schema.maxItems, 'elements'),
    range(schema.minProperties, schema.maxProperties, 'fields'),
    range(schema.minimum, schema.maximum, ''),
  ];
  if (typeof schema.pattern === 'string') limits.push(`matches ${schema.pattern}`);
  if ('default' in schema) limits.push(`default ${JSON.stringify(schema.default)}`);
  return limits.filter(Boolean).join('; ');
}

function range(low: unknown, high: unknown, unit: string): string {
  const shown = (limit: unknown) => (typeof limit === 'number' ? limit.toLocaleString('en') : '');
  if (low === undefined && high === undefined) return '';
  if (high === undefined) return `at least ${shown(low)} ${unit}`.trim();
  if (low === undefined) return `at most ${shown(high)} ${unit}`.trim();
  return `${shown(low)} to ${shown(high)} ${unit}`.trim();
}

type Schemas = Record<string, JsonSchema>;

function referredName(schema: JsonSchema): string | null {
  return typeof schema.$ref === 'string' ? (schema.$ref.split('/').at(-1) ?? null) : null;
}

/** Resolves a reference to its schema. */
export function resolved(schema: JsonSchema, schemas: Schemas): JsonSchema {
  return schemas[referredName(schema) ?? ''] ?? schema;
}

/** A valid sample value: the schema's own example if it has one, else its required fields and those with an example. */
export function sampleOf(schema: JsonSchema, schemas: Schemas): unknown {
  if (typeof schema.$ref === 'string')
    return sampleOf(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, schemas);
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if ('default' in schema) return schema.default;
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const [choice] = alternatives(schema);
  if (choice) return sampleOf(choice, schemas);
  const type = [schema.type].flat()[0];
  if (type === 'object') return sampleObject(schema, schemas);
  if (type === 'array') return [sampleOf((schema.items ?? {}) as JsonSchema, schemas)];
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  return sampleText(schema.format);
}

function sampleObject(schema: JsonSchema, schemas: Schemas): Record<string, unknown> {
  const required = (schema.required ?? []) as string[];
  const fields = Object.entries((schema.properties ?? {}) as Schemas).filter(
    ([name, field]) => required.includes(name) || 'examples' in field,
  );
  return Object.fromEntries(fields.map(([name, field]) => [name, sampleOf(field, schemas)]));
}

function sampleText(format: unknown): string {
  if (format === 'uuid') return '0198c2f4-7a1e-7c3b-9d52-4f6e8a0b1c2d';
  if (format === 'date-time') return '2030-01-31T09:30:00.000Z';
  if (format === 'email') return 'ada@example.com';
  if (format === 'uri') return 'https://example.com/';
  return 'text';
}
