import type { Complete, Completion } from '../../../editor/index.ts';
import { channelNames, common } from '../../../strings/common.ts';
import { type Body, endTarget, isObject, kinds } from '../definition.ts';

/** The names of the environment that a body can refer to. */
export interface Names {
  templates: string[];
  categories: string[];
}

/** Completes the JSON of a body from the published schema and from the names of the environment. */
export function completeBody(schema: unknown, names: Names, body: Body | null): Complete {
  return ({ path, kind, inLiquid }) => {
    if (inLiquid || !path || !isObject(schema)) return [];
    const [area, index, ...rest] = path;
    if (kind === 'key') return keysAt(schema, path, body);
    if (area !== 'steps' || typeof index !== 'number') return [];
    const field = rest.findLast((part) => typeof part === 'string');
    return field === undefined ? [] : valuesOf(schema, String(field), stepKind(body, index), names, body);
  };
}

function keysAt(schema: Schema, path: (string | number)[], body: Body | null): Completion[] {
  if (path.length === 0) return propertiesOf(schema);
  const [area, index, ...rest] = path;
  if (area !== 'steps' || typeof index !== 'number') return [];
  const kind = stepKind(body, index);
  if (rest.length === 0)
    return [...propertiesOf(stepSchema(schema)), ...propertiesOf(kindSchema(schema, kind))];
  if (rest[0] === 'branches') return options(['when', 'goto']);
  if (rest[0] === 'recipient') return options(['address', 'external_user_id']);
  return [];
}

function valuesOf(
  schema: Schema,
  field: string,
  kind: string,
  names: Names,
  body: Body | null,
): Completion[] {
  switch (field) {
    case 'kind':
      return options([...kinds]);
    case 'channel':
      return channelNames.map((label) => ({ label, info: common.channel(label) }));
    case 'template_key':
      return options(names.templates);
    case 'category':
      return options(names.categories);
    case 'priority':
      return options(['critical', 'normal', 'bulk']);
    case 'next':
    case 'goto':
    case 'else':
    case 'on_timeout':
    case 'on_error':
      return options([...(body?.steps ?? []).map(({ id }) => id).filter(Boolean), endTarget]);
    default: {
      const property = asSchema(asSchema(kindSchema(schema, kind).properties)[field]);
      return options(Array.isArray(property.enum) ? property.enum.map(String) : []);
    }
  }
}

type Schema = Record<string, unknown>;

function asSchema(value: unknown): Schema {
  return isObject(value) ? value : {};
}

function stepSchema(schema: Schema): Schema {
  return asSchema(asSchema(schema.$defs).step);
}

/** The part of the schema for steps of this kind. */
function kindSchema(schema: Schema, kind: string): Schema {
  const rules = stepSchema(schema).allOf;
  const found = (Array.isArray(rules) ? rules : []).map(asSchema).find((rule) => {
    const condition = asSchema(asSchema(asSchema(rule.if).properties).kind);
    return condition.const === kind;
  });
  return asSchema(found?.then);
}

/** A half-written step has the kind of the last valid text. */
function stepKind(body: Body | null, index: number): string {
  return body?.steps[index]?.kind ?? '';
}

function propertiesOf(schema: Schema): Completion[] {
  return Object.entries(asSchema(schema.properties)).map(([label, property]) => {
    const { description } = asSchema(property);
    return typeof description === 'string' ? { label, info: description } : { label };
  });
}

function options(labels: readonly string[]): Completion[] {
  return labels.map((label) => ({ label }));
}
