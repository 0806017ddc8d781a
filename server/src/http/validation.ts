import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { type TSchema, Type } from 'typebox';
import { invalidParameter, notFound, Problem } from '../kernel/errors.ts';
import { isUuid } from '../kernel/ids.ts';
import { isRecord, type JsonRecord } from '../kernel/json.ts';
import { invalidCursor } from '../kernel/page.ts';
import { mustMatch } from '../kernel/patterns.ts';
import { vendorHint, wireNameWithVendor } from '../kernel/vendors.ts';
import { type Route, refusesUnknownNames } from './route.ts';
import {
  type FieldShape,
  joinPath,
  type NameHints,
  type ObjectShape,
  shapeOf,
  unknownName,
} from './unknown-name.ts';

const formats = {
  uuid: isUuid,
  'date-time': isDateTime,
  uri: (value: string) => URL.canParse(value),
};

// Bodies are not coerced: "5" is not 5. Query strings are all text, so there numbers and booleans are parsed. One error is
// enough for an answer, and collecting all of them would let a caller cause work.
const strict = new Ajv({ strict: false, allErrors: false, formats });
const coercing = new Ajv({ strict: false, allErrors: false, coerceTypes: true, useDefaults: true, formats });

/** RFC 3339. Date.parse alone reads the 31st of November as the 1st of December, and 24:00 as the next day. */
function isDateTime(value: string): boolean {
  const [, year, month, day] =
    /^(\d{4})-(\d\d)-(\d\d)[Tt](?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/.exec(
      value,
    ) ?? [];
  return (
    new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day) &&
    !Number.isNaN(Date.parse(value))
  );
}

type RequestPart = 'body' | 'query' | 'params';

export function compileValidator(schema: TSchema, part: RequestPart): (value: unknown) => void {
  let validate: ValidateFunction | null = null;
  const integers = part === 'body' ? [] : integersOf(schema);
  return (value) => {
    // Schemas are compiled at first use: compiling those of every route took 0.3 s of the start.
    validate ??= (part === 'body' ? strict : coercing).compile(schema);
    refuseOtherNotations(value as JsonRecord, integers, part);
    if (validate(value)) {
      if (part !== 'body') refuseNul(value as object, part);
      return;
    }
    if (part === 'params') throw notFound('resource'); // a malformed id names no resource
    throw problemOf(validate.errors?.[0], part, value);
  };
}

const integersOf = ({ properties = {} }: { properties?: Record<string, { type?: unknown }> }): string[] =>
  Object.entries(properties).flatMap(([name, { type }]) => (type === 'integer' ? [name] : []));

/** The coercion reads every text that JavaScript reads as a number, such as `0x5`, `1e1` or ` 5`. */
function refuseOtherNotations(values: JsonRecord, integers: string[], part: RequestPart): void {
  for (const param of integers) {
    const value = values[param];
    if (typeof value !== 'string' || /^-?\d{1,15}$/.test(value)) continue;
    if (part === 'params') throw notFound('resource');
    throw invalidParameter(param, `${param} must be an integer, written in digits.`);
  }
}

/**
 * Checks the names of the fields, then their values: for a misspelt required field, the right name is a better answer than
 * "missing".
 */
export function compileRequestCheck(
  schema: TSchema,
  part: 'body' | 'query',
  hints: NameHints = {},
  nullMeaning: NullMeaning = 'left_out',
): FieldCheck {
  const checkFields = compileFieldCheck(schema, part, hints, nullMeaning);
  const validate = compileValidator(schema, part);
  return (value) => {
    checkFields?.(value);
    validate(value);
  };
}

type Checks = Record<
  'checkBody' | 'checkQuery' | 'checkParams',
  ((value: unknown) => void) | null | undefined
>;

/** An operation without a body or a query has no names. */
const nameless = Type.Object({});

export function compileRouteChecks(route: Route): Checks {
  const { body, query, params } = route;
  const checkParams = params && compileValidator(params, 'params');
  if (!refusesUnknownNames(route)) {
    const checkBody = body && compileValidator(body, 'body');
    return { checkBody, checkQuery: query && compileValidator(query, 'query'), checkParams };
  }
  const hints = nameHintsOf(route);
  const nullMeaning = changes(route) ? 'clears' : 'left_out';
  return {
    checkBody: body
      ? compileRequestCheck(body, 'body', hints, nullMeaning)
      : compileFieldCheck(nameless, 'body', hints),
    checkQuery: query ? compileRequestCheck(query, 'query') : compileFieldCheck(nameless, 'query'),
    checkParams,
  };
}

const changes = ({ method }: Route): boolean => method === 'PATCH' || method === 'PUT';

function nameHintsOf(route: Route): NameHints {
  const { path, headers = {}, fixed, responses } = route;
  const params = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const hints = { params, headers: Object.keys(headers) };
  if (!changes(route)) return hints;
  const resource = responses[200] ?? responses[201];
  return { ...hints, fixed, resource: resource ? shapeOf(resource) : null };
}

/** PostgreSQL cannot store NUL, so no resource has it in a name. In bodies the parser refuses it. */
function refuseNul(values: object, part: 'query' | 'params'): void {
  for (const [param, value] of Object.entries(values)) {
    if (typeof value !== 'string' || !value.includes('\0')) continue;
    if (part === 'params') throw notFound('resource');
    if (isCursor(param)) throw invalidCursor(param);
    throw new Problem('parameter_invalid', `${param} must not contain the NUL character.`, { param });
  }
}

function problemOf(error: ErrorObject | undefined, part: RequestPart, value: unknown): Problem {
  if (!error || (part === 'body' && error.instancePath === '' && error.keyword === 'type')) {
    return new Problem('parameter_invalid', 'The body must be a JSON object.');
  }
  const at = dotted(error.instancePath);
  if (part === 'query' && isCursor(at)) return invalidCursor(at);
  if (error.keyword === 'required') {
    const param = [at, String(error.params.missingProperty)].filter(Boolean).join('.');
    return new Problem('parameter_missing', `${param} is required.`, { param });
  }
  const vendor = error.keyword === 'enum' ? vendorHint(String(valueAt(value, error.instancePath))) : null;
  const hint = vendor && error.params.allowedValues.includes(vendor.wireName) ? `: ${vendor.hint}` : '';
  return new Problem('parameter_invalid', `${at} ${describe(error)}${hint}.`, { param: at || null });
}

function valueAt(value: unknown, pointer: string): unknown {
  return keysOf(pointer).reduce((part, key) => (part as JsonRecord | undefined)?.[key], value);
}

/** Cursors are never written by hand: an invalid one did not come from a list. */
const isCursor = (param: string): boolean => param === 'cursor' || param === 'page_token';

/** `/attachments/2/filename` → `attachments[2].filename`. */
function dotted(pointer: string): string {
  return keysOf(pointer).reduce(
    (path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part),
    '',
  );
}

function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function describe(error: ErrorObject): string {
  const { keyword, params } = error;
  switch (keyword) {
    case 'type':
      return `must be ${[params.type].flat().join(' or ')}`;
    case 'enum':
      return `must be one of ${params.allowedValues.map((value: unknown) => wireNameWithVendor(String(value))).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case 'anyOf':
    case 'oneOf':
      return 'has a value that is not allowed';
    case 'format':
      return `must be a valid ${params.format}`;
    case 'pattern':
      return mustMatch(params.pattern);
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    case 'minItems':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} elements`;
    case 'maxItems':
      return `must have at most ${params.limit} elements`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'maxProperties':
      return `must have at most ${params.limit} fields`;
    default:
      return error.message ?? 'is not valid';
  }
}

/**
 * Refuses the fields of a request that its schema does not have, at every depth that the schema describes: a caller who sets a
 * field that does nothing does not get what they asked for.
 */
type FieldCheck = (value: unknown) => void;

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
