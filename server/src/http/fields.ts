import type { TSchema } from 'typebox';
import { isRecord } from '../kernel/record.ts';
import { type FieldShape, joinPath, type ObjectShape, shapeOf } from './field-shape.ts';
import { type NameHints, unknownName } from './unknown-name.ts';

/**
 * Refuses the fields of a request that its schema does not have, at every depth that the schema describes: a caller who sets a
 * field that does nothing does not get what they asked for. A `null` in an optional field that does not allow null is removed:
 * it means that the field is left out.
 */
export type FieldCheck = (value: unknown) => void;

/** Returns null when the schema names no fields. */
export function compileFieldCheck(
  schema: TSchema,
  part: 'body' | 'query',
  hints: NameHints = {},
): FieldCheck | null {
  const shape = shapeOf(schema);
  const noun = part === 'body' ? 'field' : 'query parameter';
  return (
    shape &&
    ((value) =>
      checkShape(value, shape, '', (given, object, path) =>
        unknownName({ given, object, path, noun, hints }),
      ))
  );
}

type Refuse = (given: string, object: ObjectShape, path: string) => Error;

function checkShape(value: unknown, shape: FieldShape, path: string, refuse: Refuse): void {
  if (shape.kind === 'list') {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) checkShape(item, shape.items, `${path}[${index}]`, refuse);
  } else if (isRecord(value)) {
    for (const name in value) {
      const field = shape.fields.get(name);
      if (field === undefined) {
        if (!shape.isOpen) throw refuse(name, shape, path);
      } else if (field.isNullLeftOut && value[name] === null) delete value[name];
      else if (field.inside) checkShape(value[name], field.inside, joinPath(path, name), refuse);
    }
  }
}
