/** Readers for the JSON of chat messages, which can be anything: each takes any value and returns what can be drawn. */
export type JsonRecord = Record<string, unknown>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

export function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the URL of a link unless it could run a script; null otherwise. */
export function safeHref(value: unknown): string | null {
  const text = textIn(value).trim();
  if (!URL.canParse(text)) return null;
  return ['http:', 'https:', 'mailto:'].includes(new URL(text).protocol) ? text : null;
}

export function safePicture(value: unknown): string | null {
  const href = safeHref(value);
  return href?.startsWith('mailto:') ? null : href;
}
