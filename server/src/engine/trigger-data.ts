import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { type LinearRegExp, linearRegExp, UnsupportedPattern } from '../kernel/linear-regexp.ts';
import type { DataViolation, DefinitionProblem, JsonObject } from './contract.ts';
import { engineLimits } from './limits.ts';
import { parseTimestamp } from './time.ts';
import { escapePointer } from './value.ts';

export type TriggerDataSchema = JsonObject | boolean;

const maxViolations = 10;

/** Formats that are checked; any other is an annotation, as in JSON Schema 2020-12. */
const formats = {
  'date-time': (text: string) => /(Z|[+-]\d{2}:?\d{2})$/i.test(text) && parseTimestamp(text) !== null,
  date: (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && parseTimestamp(`${text}T00:00`) !== null,
  email: (text: string) => text.length <= 320 && /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text: string) => URL.canParse(text),
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
};

let metaSchema: Ajv2020 | null = null;

/** Returns why a schema cannot be used; null when it can. References must stay within the schema: nothing is fetched. */
export function triggerSchemaProblem(schema: TriggerDataSchema): DefinitionProblem | null {
  const problem = (message: string, pointer: string): DefinitionProblem => ({
    code: 'invalid_field',
    message: `trigger_data_schema cannot be used: ${message.slice(0, 300)}.`,
    pointer: `/trigger_data_schema${pointer}`,
  });
  if (JSON.stringify(schema).length > engineLimits.triggerSchema)
    return problem(`it is larger than ${engineLimits.triggerSchema} characters`, '');
  try {
    metaSchema ??= new Ajv2020({ strict: false, logger: false });
    if (!metaSchema.validateSchema(schema))
      return problem(metaSchema.errorsText(metaSchema.errors, { dataVar: 'schema' }), '');
    compile(schema, (pattern) => {
      try {
        return linearRegExp(pattern);
      } catch (error) {
        throw error instanceof UnsupportedPattern ? new RefusedPattern(pattern, error.message) : error;
      }
    });
    return null;
  } catch (error) {
    if (!(error instanceof RefusedPattern)) return problem((error as Error).message, '');
    const shown = error.pattern.length > 100 ? `${error.pattern.slice(0, 100)}…` : error.pattern;
    return problem(
      `the pattern ${JSON.stringify(shown)} cannot be checked in linear time: ${error.message}`,
      pointerOf(schema, error.pattern) ?? '',
    );
  }
}

class RefusedPattern extends Error {
  readonly pattern: string;
  constructor(pattern: string, message: string) {
    super(message);
    this.pattern = pattern;
  }
}

/** Returns the pointer of a pattern: a `pattern`, or a name in `patternProperties`. */
function pointerOf(schema: unknown, pattern: string, pointer = ''): string | null {
  if (typeof schema !== 'object' || schema === null) return null;
  for (const [key, part] of Object.entries(schema)) {
    const here = `${pointer}/${escapePointer(key)}`;
    if (key === 'pattern' && part === pattern) return here;
    if (key === 'patternProperties' && Object.hasOwn(part as object, pattern))
      return `${here}/${escapePointer(pattern)}`;
    const found = pointerOf(part, pattern, here);
    if (found !== null) return found;
  }
  return null;
}

/** Returns at most ten violations; empty when the data fits. */
export function violationsOf(validate: ValidateFunction, data: unknown): DataViolation[] {
  return validate(data) ? [] : (validate.errors ?? []).slice(0, maxViolations).map(violation);
}

function violation({ instancePath, keyword, message, params }: ErrorObject): DataViolation {
  if (keyword === 'required') {
    const { missingProperty } = params as { missingProperty: string };
    return { pointer: `${instancePath}/${escapePointer(missingProperty)}`, message: 'is required' };
  }
  return { pointer: instancePath, message: message ?? 'does not match the schema' };
}

/** For schemas that passed the check when they were saved. */
export function compileTriggerSchema(schema: TriggerDataSchema): ValidateFunction {
  return compile(schema, linearOrNative);
}

/**
 * Versions saved when every pattern was accepted keep working: patterns that linear time does not support use the native
 * engine. They run only in a thread (see tasks.ts), which is stopped when it takes too long.
 */
function linearOrNative(pattern: string): LinearRegExp {
  try {
    return linearRegExp(pattern);
  } catch {
    return new RegExp(pattern, 'u');
  }
}

/** Each schema gets its own instance, because ids within it stay registered. */
function compile(
  schema: TriggerDataSchema,
  regExp: (pattern: string, flags: string) => LinearRegExp,
): ValidateFunction {
  return new Ajv2020({
    allErrors: true,
    strict: false,
    meta: false,
    validateSchema: false,
    formats,
    logger: false,
    code: { regExp: Object.assign(regExp, { code: 'linearRegExp' }) },
  }).compile(schema);
}
