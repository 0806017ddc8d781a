import { createKnownNames, type KnownNames } from '../kernel/known-names.ts';

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
