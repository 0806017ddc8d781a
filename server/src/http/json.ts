import { Problem } from '../kernel/errors.ts';

/** Only bodies that contain one of these need the walk below; everything else goes through at the speed of JSON.parse. */
const suspicious = /__proto__|\\u(?:0000|[dD][89a-fA-F]|005[fF])/;

const maxDepth = 100;

/**
 * Parses a request body. Four things that JSON allows must not come further: NUL (PostgreSQL cannot store it: refused),
 * `__proto__` keys (prototype pollution: refused), lone surrogates (not text: replaced by U+FFFD), and nesting without end
 * (whoever walks it would run out of stack: refused).
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem('invalid_json', 'The body is not valid JSON.');
  }
  if (isDeeperThan(value, maxDepth))
    throw new Problem('invalid_json', `The body is nested more than ${maxDepth} levels deep.`);
  return suspicious.test(text) ? cleaned(value, '') : value;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const entries: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return entries.some((entry) => isDeeperThan(entry, levels - 1));
}

function cleaned(value: unknown, path: string): unknown {
  if (typeof value === 'string') {
    if (value.includes('\0')) {
      throw new Problem('parameter_invalid', `${path || 'The body'} must not contain the NUL character.`, {
        param: path || null,
      });
    }
    return value.toWellFormed();
  }
  if (Array.isArray(value)) return value.map((entry, index) => cleaned(entry, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) {
    const entryPath = path ? `${path}.${key}` : key;
    if (key === '__proto__' || key.includes('\0')) {
      throw new Problem('parameter_invalid', `${JSON.stringify(key)} is not allowed as a field name.`, {
        param: path || null,
      });
    }
    copy[key.toWellFormed()] = cleaned(entry, entryPath);
  }
  return copy;
}

/** The same text for the same JSON value, whatever the order of its keys: two bodies are compared by it, not by bytes. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, entry]) => entry !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry)}`);
  return `{${entries.join(',')}}`;
}
