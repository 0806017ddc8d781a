export type JsonRecord = Record<string, unknown>;

/** An object of JSON: neither a list nor null. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
