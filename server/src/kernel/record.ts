export type JsonRecord = Record<string, unknown>;

/** A JSON object: neither a list nor null. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
