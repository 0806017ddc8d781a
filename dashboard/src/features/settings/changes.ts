export interface Change {
  field: string;
  /** The displayed value; null when the field was absent. */
  before: string | null;
  after: string | null;
}

type Values = Record<string, unknown> | null;

const longest = 400;
const deepest = 4;

/** Returns the changed fields of two records; nested fields as `a.b`. */
export function changesBetween(before: Values, after: Values): Change[] {
  const old = flatten(before);
  const fresh = flatten(after);
  return [...new Set([...old.keys(), ...fresh.keys()])]
    .map((field) => ({ field, before: old.get(field) ?? null, after: fresh.get(field) ?? null }))
    .filter((change) => change.before !== change.after)
    .map((change) => ({ ...change, before: cut(change.before), after: cut(change.after) }));
}

function flatten(values: Values): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (value: unknown, path: string, depth: number) => {
    if (depth < deepest && isRecord(value)) {
      for (const [name, inner] of Object.entries(value)) {
        walk(inner, path === '' ? name : `${path}.${name}`, depth + 1);
      }
    } else if (value !== undefined) {
      found.set(path, typeof value === 'string' ? value : JSON.stringify(value));
    }
  };
  if (values) walk(values, '', 0);
  return found;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function cut(text: string | null): string | null {
  return text !== null && text.length > longest ? `${text.slice(0, longest)}…` : text;
}
