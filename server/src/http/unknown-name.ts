import { Problem } from '../kernel/errors.ts';
import { createKnownNames, foldName, type KnownNames } from '../kernel/known-names.ts';
import { foreignNameOf, unsupportedPartOf } from './foreign-names.ts';

/** The part of a schema that has field names: an object with properties, or a list of such objects. */
export type FieldShape = ObjectShape | { kind: 'list'; items: FieldShape };

export interface ObjectShape {
  kind: 'object';
  names: KnownNames;
  fields: ReadonlyMap<string, Field>;
  /** Other names are data of the caller. */
  isOpen: boolean;
}

interface Field {
  /** The field is optional, and null is not one of its values. */
  isNullLeftOut: boolean;
  /** The named fields inside; null for a value and for a free-form object. */
  inside: FieldShape | null;
}

interface SchemaNode {
  type?: string | string[];
  properties?: Record<string, SchemaNode>;
  additionalProperties?: unknown;
  required?: string[];
  items?: SchemaNode;
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  allOf?: SchemaNode[];
}

export function shapeOf(schema: SchemaNode): FieldShape | null {
  const { anyOf = [], oneOf = [], allOf = [] } = schema;
  return joined([ownShape(schema), ...[...anyOf, ...oneOf, ...allOf].map(shapeOf)]);
}

function ownShape({ items, properties, required = [], additionalProperties }: SchemaNode): FieldShape | null {
  if (items) {
    const inside = shapeOf(items);
    return inside && { kind: 'list', items: inside };
  }
  if (!properties) return null;
  const fields = Object.entries(properties).map(([name, field]): [string, Field] => [
    name,
    { isNullLeftOut: !required.includes(name) && refusesNull(field), inside: shapeOf(field) },
  ]);
  return objectShape(new Map(fields), !!additionalProperties);
}

/** The names of all forms of a union: which form a value has is decided by its schema, after the names. */
function joined(parts: (FieldShape | null)[]): FieldShape | null {
  const [first = null, ...others] = parts.filter((part) => part !== null);
  return others.reduce((shape, other) => {
    if (shape?.kind === 'list' && other.kind === 'list')
      return { kind: 'list', items: joined([shape.items, other.items]) ?? shape.items };
    if (shape?.kind !== 'object' || other.kind !== 'object')
      throw new Error('A union has either objects or lists.');
    const fields = new Map(shape.fields);
    for (const [name, field] of other.fields) {
      const same = fields.get(name);
      fields.set(
        name,
        same
          ? {
              isNullLeftOut: same.isNullLeftOut && field.isNullLeftOut,
              inside: joined([same.inside, field.inside]),
            }
          : field,
      );
    }
    return objectShape(fields, shape.isOpen || other.isOpen);
  }, first);
}

const objectShape = (fields: Map<string, Field>, isOpen: boolean): ObjectShape => ({
  kind: 'object',
  names: createKnownNames(fields.keys()),
  fields,
  isOpen,
});

const refusesNull = ({ type }: SchemaNode): boolean => type !== undefined && ![type].flat().includes('null');

/** The dotted path of a field. */
export const joinPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** What an operation knows about names that its body or query does not have. */
export interface NameHints {
  /** Names in the path of the URL. */
  params?: readonly string[];
  headers?: readonly string[];
  /** For a change: the resource as the operation returns it. */
  resource?: FieldShape | null;
  /** Other names that the resource has, and what to do instead of changing it. */
  fixed?: { names?: readonly string[]; instead: string } | undefined;
}

interface UnknownName {
  given: string;
  /** The object that has the name, and its place in the request. */
  object: ObjectShape;
  path: string;
  noun: string;
  hints: NameHints;
}

/** Longer names are cut: the caller chooses their length, and the answer repeats them. */
const maxShown = 100;

export function unknownName(unknown: UnknownName): Problem {
  const { given, path, noun } = unknown;
  const param = joinPath(path, given.length > maxShown ? `${given.slice(0, maxShown)}…` : given);
  const message = fixedSentence(unknown, param) ?? `Unknown ${noun} ${param}${endingOf(unknown)}`;
  return new Problem('parameter_unknown', message, { param });
}

function fixedSentence({ given, path, hints }: UnknownName, param: string): string | null {
  const { params, resource, fixed } = hints;
  if (path === '' && params?.includes(given)) return `${given} belongs to the URL, not to the body.`;
  const isFixed = path === '' && fixed?.names?.includes(given);
  if (!isFixed && !fieldsAt(resource, path)?.has(given)) return null;
  return `${param} cannot be changed.${fixed ? ` ${fixed.instead}` : ''}`;
}

function fieldsAt(resource: FieldShape | null | undefined, path: string): ObjectShape['fields'] | null {
  const names = path
    .replaceAll(/\[\d+\]/g, '')
    .split('.')
    .filter((name) => name !== '');
  const at = names.reduce((shape, name) => objectOf(shape)?.fields.get(name)?.inside, resource);
  return objectOf(at)?.fields ?? null;
}

/** The end of the sentence about an unknown name among these fields, for bodies within a body. */
export function hintAmong(given: string, properties: Record<string, unknown>): string {
  const object = objectOf(shapeOf({ properties: properties as Record<string, SchemaNode> }));
  return object ? endingOf({ given, object, path: '', noun: 'field', hints: {} }) : '.';
}

const objectOf = (shape: FieldShape | null | undefined): ObjectShape | null =>
  shape?.kind === 'list' ? objectOf(shape.items) : (shape ?? null);

/** Another spelling of a known name is the best hint, then what other systems mean by the name, then a typo. */
function endingOf({ given, object, path, hints }: UnknownName): string {
  const didYouMean = (name: string) => `; did you mean ${joinPath(path, name)}?`;
  const near = object.names.nearest(given);
  if (near?.typos === 0) return didYouMean(near.name);
  const folded = foldName(given.slice(0, maxShown));
  const header = hints.headers?.find((name) => foldName(name) === folded);
  if (header) return `; send it as the header ${header}.`;
  const unsupported = object.fields.has('text_body') ? unsupportedPartOf(folded) : null;
  if (unsupported) return `. ${unsupported}.`;
  const candidates = foreignNameOf(folded);
  const meant = candidates.find((candidate) => hasField(object, candidate)) ?? near?.name;
  if (meant) return didYouMean(meant);
  const { names = [], instead } = (path === '' && hints.fixed) || {};
  const fixed = candidates
    .map((candidate) => candidate.split('.', 1)[0])
    .find((name) => name && names.includes(name));
  return fixed ? `; ${fixed} cannot be changed. ${instead}` : '.';
}

function hasField(object: ObjectShape, path: string): boolean {
  const [name = '', ...rest] = path.split('.');
  const field = object.fields.get(name);
  if (!field || rest.length === 0) return field !== undefined;
  return field.inside?.kind === 'object' && hasField(field.inside, rest.join('.'));
}
