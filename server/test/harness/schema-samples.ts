/** The part of JSON Schema that our request bodies use. */
export interface SampleSchema {
  type?: string | string[];
  enum?: unknown[];
  pattern?: string;
  format?: string;
  minItems?: number;
  properties?: Record<string, SampleSchema>;
  required?: string[];
  items?: SampleSchema;
}

/** A value that the schema takes: the smallest one, or one in which every field is present and every list has an element. */
export function sampleOf(schema: SampleSchema, { whole = false } = {}): unknown {
  const { type, enum: values, pattern, format, minItems = 0, items = {}, properties = {}, required } = schema;
  if (values) return values[0];
  switch ([type].flat()[0]) {
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return 1;
    case 'array':
      return Array.from({ length: Math.max(minItems, whole ? 1 : 0) }, () => sampleOf(items, { whole }));
    case 'object':
      return Object.fromEntries(
        (whole ? Object.keys(properties) : (required ?? [])).map((name) => [
          name,
          sampleOf(properties[name] ?? {}, { whole }),
        ]),
      );
    default:
      if (format === 'uri') return 'https://acme.example';
      if (pattern?.includes('A-Z]{3}')) return 'EUR';
      return pattern?.includes(':') ? '10:00' : 'x';
  }
}
