import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { within } from '../kernel/liquid/watchdog.ts';
import type { DataViolation, Definition, JsonObject } from './contract.ts';
import { limits } from './limits.ts';
import { parseTimestamp } from './local-time.ts';
import { escapePointer } from './value.ts';

const maxViolations = 10;
const compileLimitMs = 2_000;
const validateLimitMs = 500;

/** Formats that are checked; any other is an annotation, as JSON Schema 2020-12 has it. */
const formats = {
  'date-time': (text: string) => /(Z|[+-]\d{2}:?\d{2})$/i.test(text) && parseTimestamp(text) !== null,
  date: (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && parseTimestamp(`${text}T00:00`) !== null,
  email: (text: string) => text.length <= 320 && /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text: string) => URL.canParse(text),
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
};

let metaSchema: Ajv2020 | null = null;

const compiled = new WeakMap<Definition, ValidateFunction>();

/** Why a schema cannot be used; null when it can. References lead within the schema: nothing is fetched. */
export function triggerSchemaProblem(schema: JsonObject | boolean): string | null {
  if (JSON.stringify(schema).length > limits.triggerSchema)
    return `it is larger than ${limits.triggerSchema} characters`;
  try {
    compile(schema);
    return null;
  } catch (error) {
    return (error as Error).message.slice(0, 300);
  }
}

/** At most ten violations; empty when the data fits (or there is no schema). */
export function validateTriggerData(definition: Definition, data: unknown): DataViolation[] {
  if (definition.triggerDataSchema === null) return [];
  let validate = compiled.get(definition);
  if (!validate) {
    validate = compile(definition.triggerDataSchema);
    compiled.set(definition, validate);
  }
  const run = validate;
  try {
    // The schema's author chose the regular expressions, and the caller the data: the clock stops what they do together.
    if (within(validateLimitMs, () => run(data))) return [];
  } catch (error) {
    return [{ pointer: '', message: `it cannot be checked: ${(error as Error).message}`.slice(0, 300) }];
  }
  return (run.errors ?? []).slice(0, maxViolations).map(violation);
}

function violation({ instancePath, keyword, message, params }: ErrorObject): DataViolation {
  if (keyword === 'required') {
    const { missingProperty } = params as { missingProperty: string };
    return { pointer: `${instancePath}/${escapePointer(missingProperty)}`, message: 'is required' };
  }
  return { pointer: instancePath, message: message ?? 'does not fit the schema' };
}

/**
 * A schema gets an instance of its own, because ids within it stay registered. Only the check against the meta-schema is shared:
 * preparing it takes a hundred times as long as the rest.
 */
function compile(schema: JsonObject | boolean): ValidateFunction {
  metaSchema ??= new Ajv2020({ strict: false, logger: false });
  const meta = metaSchema;
  return within(compileLimitMs, () => {
    if (!meta.validateSchema(schema)) throw new Error(meta.errorsText(meta.errors, { dataVar: 'schema' }));
    return new Ajv2020({
      allErrors: true,
      strict: false,
      meta: false,
      validateSchema: false,
      formats,
      logger: false,
    }).compile(schema);
  });
}
