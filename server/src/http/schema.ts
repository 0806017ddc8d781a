import { type Static, type TSchema, Type } from 'typebox';
import { oneLine } from '../kernel/patterns.ts';

/** Schema parts that every feature uses. */
export const Uuid = Type.String({ format: 'uuid' });
export const DateTime = Type.String({ format: 'date-time' });

/** `type: [T, "null"]` rather than a union, so that a wrong value gets one clear error ("must be string or null"). */
export function Nullable<Schema extends TSchema>(schema: Schema) {
  const { type, enum: values, ...rest } = schema as { type?: string; enum?: unknown[] };
  if (type === undefined) throw new Error('Nullable takes a schema with a type');
  return Type.Unsafe<Static<Schema> | null>({
    ...rest,
    type: [type, 'null'],
    ...(values ? { enum: [...values, null] } : {}),
  });
}

export function OneOf<const Values extends readonly string[]>(values: Values, options: object = {}) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options });
}

/** A free-form JSON object. */
export const JsonObject = Type.Unsafe<Record<string, unknown>>({ type: 'object' });

export const IdParams = Type.Object({ id: Uuid });
export const EnvironmentParams = Type.Object({ envId: Uuid });

export function PageOf(item: TSchema) {
  return Type.Object({ data: Type.Array(item), next_cursor: Nullable(Type.String()) });
}

export const Search = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: oneLine, description }));

export const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
};

/** A second name for the cursor of a list. */
export const sameAs = (param: 'cursor' | 'page_token') =>
  Type.Optional(Type.String({ maxLength: 200, description: `The same as \`${param}\`.` }));
