import type { TSchema } from 'typebox';
import { unknownParameter } from '../kernel/errors.ts';
import { createKnownNames, type KnownNames, type NameBudget, newNameBudget } from '../kernel/known-names.ts';
import { isRecord } from '../kernel/record.ts';

/**
 * Checks the field names of a request against its schema, at every depth that the schema describes: an unknown field that is
 * close to a known one is a mistake and refused with the right name, any other unknown field is ignored. A `null` in an
 * optional field that does not allow null is removed: it means that the field is left out.
 */
export type FieldCheck = (value: unknown, budget?: NameBudget) => void;

/** Returns null when the schema names no fields. */
export function compileFieldCheck(schema: TSchema, part: 'body' | 'query'): FieldCheck | null {
  const shape = shapeOf(schema);
  const noun = part === 'body' ? 'field' : 'query parameter';
  return shape && ((value, budget = newNameBudget()) => checkShape(value, shape, '', { noun, budget }));
}

interface Check {
  noun: string;
  budget: NameBudget;
}

/** The part of a schema that has field names: an object with properties, or a list of such objects. */
type Shape = ObjectShape | { kind: 'list'; items: Shape };

interface ObjectShape {
  kind: 'object';
  names: KnownNames;
  fields: ReadonlyMap<string, FieldShape>;
}

interface FieldShape {
  /** The field is optional, and null is not one of its values. */
  isNullLeftOut: boolean;
  /** The named fields inside; null for a value and for a free-form object. */
  inside: Shape | null;
}

interface SchemaNode {
  type?: string | string[];
  properties?: Record<string, SchemaNode>;
  required?: string[];
  items?: SchemaNode;
}

function shapeOf(schema: SchemaNode): Shape | null {
  if (schema.items) {
    const items = shapeOf(schema.items);
    return items && { kind: 'list', items };
  }
  const { properties, required = [] } = schema;
  if (!properties) return null;
  const fields = Object.entries(properties).map(([name, field]): [string, FieldShape] => [
    name,
    { isNullLeftOut: !required.includes(name) && refusesNull(field), inside: shapeOf(field) },
  ]);
  return { kind: 'object', names: createKnownNames(Object.keys(properties)), fields: new Map(fields) };
}

const refusesNull = ({ type }: SchemaNode): boolean => type !== undefined && ![type].flat().includes('null');

function checkShape(value: unknown, shape: Shape, path: string, check: Check): void {
  if (shape.kind === 'list') {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) checkShape(item, shape.items, `${path}[${index}]`, check);
  } else if (isRecord(value)) {
    const misspelt = shape.names.findMisspelt(value, check.budget);
    if (misspelt) throw unknownParameter(join(path, misspelt.given), join(path, misspelt.meant), check.noun);
    for (const name in value) {
      const field = shape.fields.get(name);
      if (field?.isNullLeftOut && value[name] === null) delete value[name];
      else if (field?.inside) checkShape(value[name], field.inside, join(path, name), check);
    }
  }
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
