import type { TSchema } from 'typebox';
import { isRecord } from '../kernel/record.ts';
import { type FieldShape, joinPath, type ObjectShape, shapeOf } from './field-shape.ts';
import { type NameHints, unknownName } from './unknown-name.ts';

/**
 * Refuses the fields of a request that its schema does not have, at every depth that the schema describes: a caller who sets a
 * field that does nothing does not get what they asked for.
 */
export type FieldCheck = (value: unknown) => void;

/**
 * What `null` means in an optional field that does not allow it. When something is made, the field is left out: the null is
 * removed. A change clears what null is given for, and such a field cannot be cleared: the null stays, and the schema refuses it.
 */
export type NullMeaning = 'left_out' | 'clears';

/** Returns null when the schema names no fields. */
export function compileFieldCheck(
  schema: TSchema,
  part: 'body' | 'query',
  hints: NameHints = {},
  nullMeaning: NullMeaning = 'left_out',
): FieldCheck | null {
  const shape = shapeOf(schema);
  const noun = part === 'body' ? 'field' : 'query parameter';
  const rules: Rules = {
    refuse: (given, object, path) => unknownName({ given, object, path, noun, hints }),
    nullMeaning,
  };
  return shape && ((value) => checkShape(value, shape, '', rules));
}

interface Rules {
  refuse(given: string, object: ObjectShape, path: string): Error;
  nullMeaning: NullMeaning;
}

function checkShape(value: unknown, shape: FieldShape, path: string, rules: Rules): void {
  if (shape.kind === 'list') {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) checkShape(item, shape.items, `${path}[${index}]`, rules);
  } else if (isRecord(value)) {
    for (const name in value) {
      const field = shape.fields.get(name);
      if (field === undefined) {
        if (!shape.isOpen) throw rules.refuse(name, shape, path);
      } else if (value[name] === null) {
        if (field.isNullLeftOut && rules.nullMeaning === 'left_out') delete value[name];
      } else if (field.inside) checkShape(value[name], field.inside, joinPath(path, name), rules);
    }
  }
}
