import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { isRecord } from '../kernel/json.ts';
import { mustMatch } from '../kernel/patterns.ts';
import type {
  Definition,
  DefinitionProblem,
  DeliveryWindow,
  Json,
  JsonObject,
  ParsedDefinition,
  Step,
  WaitFor,
} from './contract.ts';
import { engineLimits } from './limits.ts';
import { definitionSchema, stepFields } from './schema.ts';
import { weekdayNames } from './time.ts';
import { escapePointer, isTemplate } from './value.ts';

/** Codes of structural problems: `invalid_json`, `too_large`, `too_deep`, `missing_field`, `invalid_field`. */
const maxProblems = 20;

/**
 * Checks the structure and size of a body: a JSON text or its parsed value. The trigger data schema is checked on save. Never
 * throws.
 */
export function parseDefinition(given: unknown): ParsedDefinition {
  let body: unknown = given;
  if (typeof given === 'string') {
    if (Buffer.byteLength(given) > engineLimits.bodyBytes) return refuse('too_large', tooLarge, '');
    try {
      body = JSON.parse(given);
    } catch (error) {
      return refuse('invalid_json', `The body is not JSON: ${(error as Error).message}.`, '');
    }
  }
  const excess = excessIn(body);
  if (excess) return { ok: false, problems: [excess] };
  if (typeof given !== 'string' && Buffer.byteLength(JSON.stringify(body) ?? '') > engineLimits.bodyBytes)
    return refuse('too_large', tooLarge, '');

  const check = checkShape();
  if (!check(body)) return { ok: false, problems: problemsOf(check.errors ?? []) };
  return { ok: true, definition: read(body) };
}

const tooLarge = `The body is larger than ${engineLimits.bodyBytes / 1_024} KB.`;

function refuse(code: string, message: string, pointer: string): ParsedDefinition {
  return { ok: false, problems: [{ code, message, pointer }] };
}

/**
 * Returns the problem of a body that is too deep or has too many templates. Works without recursion, because it runs before all
 * recursive checks.
 */
function excessIn(body: unknown): DefinitionProblem | null {
  let templates = 0;
  const waiting: { value: unknown; pointer: string; depth: number }[] = [
    { value: body, pointer: '', depth: 0 },
  ];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, pointer, depth } = next;
    if (typeof value === 'string' && isTemplate(value)) templates += 1;
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= engineLimits.bodyDepth) {
      const message = `The body is nested more than ${engineLimits.bodyDepth} levels deep.`;
      return { code: 'too_deep', message, pointer };
    }
    for (const [key, part] of Object.entries(value))
      waiting.push({ value: part, pointer: `${pointer}/${escapePointer(key)}`, depth: depth + 1 });
  }
  if (templates <= engineLimits.templates) return null;
  return {
    code: 'too_large',
    message: `The body has more than ${engineLimits.templates} templates.`,
    pointer: '',
  };
}

let shape: ValidateFunction<Body> | null = null;
function checkShape(): ValidateFunction<Body> {
  shape ??= new Ajv2020({ allErrors: true, strict: false, logger: false }).compile<Body>(definitionSchema);
  return shape;
}

function problemsOf(errors: ErrorObject[]): DefinitionProblem[] {
  const problems = new Map<string, DefinitionProblem>();
  for (const error of errors) {
    if (error.keyword === 'if' || error.keyword === 'anyOf') continue;
    const problem = problemOf(error);
    if (!problems.has(problem.pointer)) problems.set(problem.pointer, problem);
    if (problems.size === maxProblems) break;
  }
  return [...problems.values()];
}

function problemOf(error: ErrorObject): DefinitionProblem {
  const { keyword, instancePath, params } = error;
  if (keyword === 'required') {
    const pointer = `${instancePath}/${escapePointer(params.missingProperty)}`;
    return { code: 'missing_field', message: `${pointer} is required.`, pointer };
  }
  return {
    code: 'invalid_field',
    message: `${instancePath === '' ? 'The body' : instancePath} ${reasonOf(error)}.`,
    pointer: instancePath,
  };
}

function reasonOf({ keyword, params, message }: ErrorObject): string | undefined {
  switch (keyword) {
    case 'enum':
      return `must be one of ${params.allowedValues.join(', ')}`;
    case 'pattern':
      return mustMatch(params.pattern);
    case 'not':
      return 'is not an allowed name';
    default:
      return message;
  }
}

/** A body that satisfies the schema. */
interface Body {
  trigger_data_schema?: JsonObject | boolean | null;
  steps: WireStep[];
}
type WireStep = {
  id: string;
  kind: string;
  when?: string;
  next?: string;
  branches?: { when: string; goto: string }[];
} & Record<string, Json | undefined>;

interface WireWindow {
  start: string;
  end: string;
  days?: (typeof weekdayNames)[number][];
}

function windowOf(wire: WireWindow | undefined): DeliveryWindow | null {
  if (!wire) return null;
  const days = wire.days?.map((name) => weekdayNames.indexOf(name) + 1) ?? null;
  return { start: wire.start, end: wire.end, days };
}

function read(body: Body): Definition {
  return { triggerDataSchema: body.trigger_data_schema ?? null, steps: body.steps.map(readStep) };
}

/** Fields that belong to the send step, and not to the notification. */
const ownFields: ReadonlySet<string> = new Set([
  'id',
  'kind',
  'when',
  'next',
  'channel',
  'wait_for',
  'timeout',
]);

function readStep(wire: WireStep): Step {
  const base = { id: wire.id, when: wire.when ?? null, next: wire.next ?? null };
  const text = (name: string): string | null => (wire[name] as string | undefined) ?? null;
  switch (wire.kind) {
    case 'send':
      return {
        ...base,
        kind: 'send',
        channel: text('channel') ?? '',
        content: Object.fromEntries(
          Object.entries(wire).filter(
            (entry): entry is [string, Json] => !ownFields.has(entry[0]) && entry[1] != null,
          ),
        ),
        waitFor: (wire.wait_for as WaitFor | undefined) ?? 'accepted',
        timeout: text('timeout'),
      };
    case 'delay':
      return {
        ...base,
        kind: 'delay',
        duration: text('duration'),
        until: text('until'),
        at: text('at'),
        window: windowOf(wire.window as WireWindow | undefined),
        timezone: text('timezone'),
        fallbackTimezone: text('fallback_timezone'),
      };
    case 'branch':
      return {
        ...base,
        kind: 'branch',
        branches: wire.branches ?? [],
        otherwise: text('else'),
      };
    case 'wait_for_event':
      return {
        ...base,
        kind: 'wait_for_event',
        event: text('event') || null,
        match: (wire.match as JsonObject | undefined) ?? {},
        timeout: text('timeout'),
        onTimeout: text('on_timeout'),
        lookback: wire.lookback === true,
      };
    case 'digest':
      return {
        ...base,
        kind: 'digest',
        key: wire.key ?? null,
        window: text('window') ?? '',
        maxItems: (wire.max_items as number | undefined) ?? null,
      };
    case 'throttle':
      return {
        ...base,
        kind: 'throttle',
        key: wire.key ?? null,
        limit: wire.limit as number,
        window: text('window') ?? '',
        mode: (wire.mode as 'skip' | 'wait' | undefined) ?? 'skip',
        onLimit: text('on_limit'),
      };
    case 'fetch':
      return {
        ...base,
        kind: 'fetch',
        url: text('url') ?? '',
        method: text('method') ?? 'GET',
        headers: (wire.headers as JsonObject | undefined) ?? {},
        body: wire.body ?? null,
        onError: text('on_error'),
      };
    case 'cancel':
    case 'noop':
      return { ...base, kind: wire.kind };
    default:
      return { ...base, kind: 'unknown', named: wire.kind };
  }
}

/** A name that the language does not have. */
interface UnknownField {
  pointer: string;
  given: string;
  /** The fields of the object that has the name. */
  fields: JsonObject;
}

/**
 * Finds the first unknown field of a body, at every level whose fields are known: a field of another kind of step is unknown too.
 * parseDefinition must ignore unknown fields, because versions that were saved with one still run; this check applies when a body
 * is saved. Free-form objects (`template_data`, `match`, `headers`, `body`) and steps of an unknown kind are not checked.
 */
export function findUnknownField(body: unknown): UnknownField | null {
  if (!isRecord(body)) return null;
  const found = unknownIn(body, definitionSchema, '');
  if (found || !Array.isArray(body.steps)) return found;
  for (const [index, step] of body.steps.entries()) {
    const fields = isRecord(step) && stepFields.get(String(step.kind));
    const inStep = fields ? unknownIn(step, { properties: fields }, `/steps/${index}`) : null;
    if (inStep) return inStep;
  }
  return null;
}

/** Longer names are cut: the caller chooses their length, and the answer repeats them. */
const maxShown = 100;

function unknownIn(value: unknown, { properties, items }: JsonObject, pointer: string): UnknownField | null {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = unknownIn(item, (items ?? {}) as JsonObject, `${pointer}/${index}`);
      if (found) return found;
    }
    return null;
  }
  if (!isRecord(value) || !properties) return null;
  const fields = properties as JsonObject;
  for (const given in value) {
    const at = `${pointer}/${escapePointer(given.length > maxShown ? `${given.slice(0, maxShown)}…` : given)}`;
    if (!Object.hasOwn(fields, given)) return { pointer: at, given, fields };
    const found = unknownIn(value[given], fields[given] as JsonObject, at);
    if (found) return found;
  }
  return null;
}
