import type { TSchema } from 'typebox';
import { unknownParameter } from '../kernel/errors.ts';
import { createKnownNames, type KnownNames, type NameBudget, newNameBudget } from '../kernel/known-names.ts';
import { isRecord } from '../kernel/record.ts';

/**
 * Checks the field names of a request against its schema, at every depth that the schema describes: an unknown field that is
 * close to a known one is a mistake and refused with the right name, any other unknown field is ignored. A `null` in an
 * optional field that does not take null is removed: it means that the field is left out.
 */
export type FieldCheck = (value: unknown, budget?: NameBudget) => void;

/** Null where the schema names no fields. */
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
  /** Optional, and null is not one of their values. */
  nullLeftOut: readonly string[];
  /** Those with named fields inside; a free-form object is not among them. */
  nested: readonly { name: string; shape: Shape }[];
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
  const entries = Object.entries(properties);
  return {
    kind: 'object',
    names: createKnownNames(Object.keys(properties)),
    nullLeftOut: entries
      .filter(([name, field]) => !required.includes(name) && refusesNull(field))
      .map(([name]) => name),
    nested: entries.flatMap(([name, field]) => {
      const shape = shapeOf(field);
      return shape ? [{ name, shape }] : [];
    }),
  };
}

const refusesNull = ({ type }: SchemaNode): boolean => type !== undefined && ![type].flat().includes('null');

function checkShape(value: unknown, shape: Shape, path: string, check: Check): void {
  if (shape.kind === 'list') {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) checkShape(item, shape.items, `${path}[${index}]`, check);
  } else if (isRecord(value)) {
    const misspelt = shape.names.findMisspelt(value, check.budget);
    if (misspelt) throw unknownParameter(join(path, misspelt.given), join(path, misspelt.meant), check.noun);
    for (const name of shape.nullLeftOut) if (value[name] === null) delete value[name];
    for (const { name, shape: inside } of shape.nested)
      if (value[name] !== undefined) checkShape(value[name], inside, join(path, name), check);
  }
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
