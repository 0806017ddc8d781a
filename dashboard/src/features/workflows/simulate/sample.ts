import { type Body, isObject, type Step, textOf } from '../definition.ts';

/** Returns sample trigger data, from the schema or else from the variables of the steps. */
export function sampleData(body: Body): Record<string, unknown> {
  const sample = sampleOf(body.trigger_data_schema, '', 0);
  const data = isObject(sample) ? sample : {};
  for (const name of mentionedNames(body.steps)) data[name] ??= sampleText(name);
  return data;
}

const maxDepth = 8;

function sampleOf(schema: unknown, name: string, depth: number): unknown {
  if (!isObject(schema) || depth > maxDepth) return null;
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  for (const list of [schema.examples, schema.enum]) {
    if (Array.isArray(list) && list.length > 0) return list[0] as unknown;
  }
  const type: unknown = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object' || isObject(schema.properties)) {
    const properties = isObject(schema.properties) ? schema.properties : {};
    return Object.fromEntries(
      Object.entries(properties).map(([key, each]) => [key, sampleOf(each, key, depth + 1)]),
    );
  }
  if (type === 'array') return [sampleOf(schema.items, name, depth + 1)];
  if (type === 'integer' || type === 'number') return typeof schema.minimum === 'number' ? schema.minimum : 1;
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  return sampleText(name, textOf(schema.format));
}

/** The addresses are those of the sandbox, so that no real person is contacted. */
function sampleText(name: string, format = ''): string {
  const word = name.toLowerCase();
  if (format === 'email' || word.includes('email')) return 'delivered@sandbox.test';
  if (format === 'date-time' || word.endsWith('_at')) return '2030-01-15T09:00:00Z';
  if (format === 'date') return '2030-01-15';
  if (format === 'uri' || word.endsWith('url')) return 'https://example.com/';
  if (word.includes('phone')) return '+15005550001';
  if (word.includes('timezone')) return 'Europe/Rome';
  if (word.endsWith('name')) return 'Ada';
  if (word.endsWith('id')) return `${name.replace(/_?id$/i, '') || 'id'}_1`;
  return name || 'text';
}

function mentionedNames(steps: Step[]): string[] {
  const text = JSON.stringify(steps);
  return [...new Set([...text.matchAll(/\btrigger\.\??([A-Za-z_]\w*)/g)].map(([, name]) => name ?? ''))];
}

interface ScriptedEvent {
  event_name: string;
  event_data: Record<string, unknown>;
  at: string;
}

/** The event that a step waits for, with matching data. */
export function sampleEvent(step: Step, data: Record<string, unknown>): ScriptedEvent {
  const event: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(isObject(step.match) ? step.match : {})) {
    place(event, path.split('.'), resolveValue(value, data));
  }
  return { event_name: textOf(step.event), event_data: event, at: '' };
}

/** `{{ trigger.order.id }}` → the value in the data; other expressions stay as they are. */
function resolveValue(value: unknown, data: Record<string, unknown>): unknown {
  const path = typeof value === 'string' ? /^\{\{\s*trigger\.([\w.]+)\s*\}\}$/.exec(value)?.[1] : undefined;
  if (path === undefined) return value;
  return path
    .split('.')
    .reduce<unknown>((each, name) => (isObject(each) && Object.hasOwn(each, name) ? each[name] : ''), data);
}

function place(target: Record<string, unknown>, [name, ...rest]: string[], value: unknown): void {
  if (name === undefined || name === '__proto__') return;
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const inner = target[name];
  const next = isObject(inner) ? inner : {};
  target[name] = next;
  place(next, rest, value);
}
