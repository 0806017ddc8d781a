/** Returns why a text is not a JSON Pointer (RFC 6901) to a part of a document; null when it is one. */
export function pointerProblem(pointer: string): string | null {
  return /^(?:\/(?:[^~/]|~[01])*)+$/.test(pointer) ? null : 'must be a JSON Pointer such as /data/id';
}

/** The value at a JSON Pointer; undefined when there is none. Stops where the document ends: a pointer may be longer. */
export function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (let from = 1; from <= pointer.length; ) {
    const slash = pointer.indexOf('/', from);
    const end = slash === -1 ? pointer.length : slash;
    const token = pointer.slice(from, end).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) return undefined;
    value = (value as Record<string, unknown>)[token];
    from = end + 1;
  }
  return value;
}

/** The text, number or boolean at a pointer, as text; null when there is none, or no pointer. */
export function textAt(document: unknown, pointer: string | null): string | null {
  const value = pointer === null ? null : valueAt(document, pointer);
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** Whether anything of any type is at a pointer; null and an empty text are nothing. */
export function isPresentAt(document: unknown, pointer: string): boolean {
  const value = valueAt(document, pointer);
  return value !== undefined && value !== null && value !== '';
}
