import { headerNameProblem } from '../kernel/header-name.ts';
import { canonicalJson } from '../kernel/json.ts';
import { isTimeZone } from '../kernel/time-zone.ts';
import { type Budget, createBudget } from '../templating/budget.ts';
import type { Effort } from '../threads/effort.ts';
import type {
  DelayStep,
  DigestStep,
  FetchEffect,
  FetchStep,
  Json,
  JsonObject,
  RunInput,
  RunState,
  SendStep,
  StepResult,
  ThrottleStep,
  WaitForEventStep,
} from './contract.ts';
import {
  ExpressionFault,
  type ExpressionScope,
  type Meter,
  newMeter,
  spentOf,
  useForReading,
} from './expression.ts';
import { engineLimits } from './limits.ts';
import { keyOfValues } from './match.ts';
import { htmlFields, type Program } from './program.ts';
import {
  durationHint,
  maxDurationMs,
  nextLocalTime,
  nextOpening,
  parseDuration,
  parseTimestamp,
} from './time.ts';
import { evaluateValue, isTemplate, isTemplated, ValueFault } from './value.ts';

/** As the `timezone` of a delay: that of the user that the run is about. */
export const recipientZone = 'recipient';

/** The reason why a step cannot be performed. It ends the run, and its message is shown to users. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
}

/** A run at a moment: the scope in which the fields of its steps are evaluated. */
export interface Setting {
  program: Program;
  run: RunInput;
  state: RunState;
  now: number;
  /** The work allowance of the current step. */
  allowance: Allowance;
}

/** The work that a step may spend on CEL and on Liquid. */
interface Allowance {
  meter: Meter;
  budget: Budget;
}

export function newAllowance(effort: Effort): Allowance {
  return { meter: newMeter(effort), budget: createBudget(effort) };
}

/** A unit of CEL is as much work as this many of Liquid. */
const liquidUnits = 10;
export const workOf = ({ meter, budget }: Allowance): number => spentOf(meter) + budget.spent() / liquidUnits;

function scopeOf({ run, state, now }: Setting): ExpressionScope {
  return {
    trigger: run.triggerData,
    steps: state.results,
    event: (state.eventStep === null ? null : resultOf(state, state.eventStep)?.output) ?? null,
    digest: state.digest,
    run: {
      id: run.id,
      workflow_key: run.workflowKey,
      version: run.version,
      source: run.source,
      created_at: new Date(run.createdAt).toISOString(),
      now: new Date(now).toISOString(),
    },
  };
}

/** Own properties only: a step may have the name of an inherited property, such as `toString`. */
export function resultOf({ results }: RunState, stepId: string): StepResult | undefined {
  return Object.hasOwn(results, stepId) ? results[stepId] : undefined;
}

/** Returns true or false; any other value fails the step, so that a typing error is not mistaken for false. */
export function evaluateCondition(setting: Setting, source: string, field: string): boolean {
  const result = evaluateExpression(setting, source, field);
  if (typeof result !== 'boolean') throw new StepFailure(`${field} must return true or false`);
  return result;
}

function evaluateExpression(setting: Setting, source: string, field: string): unknown {
  const { program, allowance } = setting;
  try {
    if (!program.hasRead(source)) useForReading(allowance.meter, source);
    return program.expressionOf(source).evaluate(scopeOf(setting), allowance.meter);
  } catch (error) {
    if (error instanceof ExpressionFault) throw new StepFailure(`${field}: ${error.message}`);
    throw error;
  }
}

function evaluate(setting: Setting, value: Json, field: string, html?: ReadonlySet<string>): Json {
  if (!isTemplated(value)) return value;
  try {
    return evaluateValue(setting.program.templates, value, scopeOf(setting), setting.allowance.budget, html);
  } catch (error) {
    if (!(error instanceof ValueFault)) throw error;
    const path = `${field}${error.pointer.replaceAll('/', '.')}`.replace(/^\./, '');
    throw new StepFailure(`${path}: ${error.message}`);
  }
}

const evaluateText = (setting: Setting, value: Json, field: string): string =>
  textOf(evaluate(setting, value, field), field);

function textOf(text: Json | undefined, field: string): string {
  if (typeof text === 'number' || typeof text === 'boolean') return String(text);
  if (typeof text !== 'string') throw new StepFailure(`${field} has no value`);
  return text;
}

export function durationOf(setting: Setting, text: string, field: string): number {
  const given = evaluateText(setting, text, field);
  const ms = parseDuration(given);
  if (ms === null) throw new StepFailure(`${field}: "${given.slice(0, 60)}" is not ${durationHint}`);
  return ms;
}

/** Returns the end of a delay that begins now. */
export function endOfDelay(setting: Setting, step: DelayStep): number {
  const zone = zoneOf(setting, step);
  let end = setting.now;
  if (step.duration !== null) end += durationOf(setting, step.duration, 'duration');
  else if (step.until !== null) end = momentOf(setting, step.until, zone);
  if (end - setting.now > maxDurationMs) throw new StepFailure('until is more than a year in the future');
  const from = Math.max(end, setting.now);
  if (step.window !== null) return nextOpening(from, step.window, zone);
  return step.at === null ? end : nextLocalTime(from, step.at, zone);
}

function zoneOf(setting: Setting, { timezone, fallbackTimezone, window }: DelayStep): string {
  const wanted = timezone ?? (window === null ? null : recipientZone);
  if (wanted === null) return 'utc';
  if (wanted !== recipientZone) return namedZone(setting, wanted, 'timezone');
  const { recipientTimezone: known } = setting.run;
  if (known !== null && isTimeZone(known)) return known;
  return fallbackTimezone === null ? 'utc' : namedZone(setting, fallbackTimezone, 'fallback_timezone');
}

function namedZone(setting: Setting, text: string, field: string): string {
  const zone = evaluateText(setting, text, field);
  if (!isTimeZone(zone)) throw new StepFailure(`${field}: there is no time zone "${zone.slice(0, 60)}"`);
  return zone;
}

function momentOf(setting: Setting, until: string, zone: string): number {
  const fixed = isTemplate(until) ? null : parseTimestamp(until, zone);
  if (fixed !== null) return fixed;
  const given = isTemplate(until)
    ? evaluate(setting, until, 'until')
    : evaluateExpression(setting, until, 'until');
  if (given instanceof Date && !Number.isNaN(given.getTime())) return given.getTime();
  const moment = typeof given === 'string' ? parseTimestamp(given, zone) : null;
  if (moment === null) throw new StepFailure('until must return an ISO 8601 timestamp');
  return moment;
}

/** Builds a body for POST /v1/notifications. */
export function notificationOf(setting: Setting, step: SendStep): JsonObject {
  const content = evaluate(setting, step.content, '', htmlFields) as JsonObject;
  return { ...content, channel: step.channel };
}

export function requestOf(setting: Setting, step: FetchStep): FetchEffect['request'] {
  const evaluated = evaluate(setting, { url: step.url, headers: step.headers, body: step.body }, '');
  const { url: given, headers: values, body } = evaluated as { url: Json; headers: JsonObject; body: Json };
  const url = textOf(given, 'url');
  if (url.length > engineLimits.url || !URL.canParse(url)) throw new StepFailure('url is not a valid URL');
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    // Versions that were activated before names were checked still run.
    const problem = headerNameProblem(name, ['idempotency-key']);
    if (problem !== null) throw new StepFailure(`headers.${name} ${problem}`);
    const text = textOf(value, `headers.${name}`);
    if (/[^\t\x20-\x7e\x80-\xff]/.test(text)) throw new StepFailure(`headers.${name} is not a valid header`);
    headers[name] = text;
  }
  return { url, method: step.method, headers, body: step.body === null ? null : JSON.stringify(body) };
}

/** The key of a digest or a throttle. */
export function keyOf(setting: Setting, step: DigestStep | ThrottleStep): string {
  const value = evaluate(setting, step.key, 'key');
  if (value === null || value === '') throw new StepFailure('key has no value');
  const key = typeof value === 'string' ? value : unlessDeep('key', () => canonicalJson(value));
  if (key.length > engineLimits.digestKey)
    throw new StepFailure(`key is longer than ${engineLimits.digestKey} characters`);
  return key;
}

/**
 * Evaluates the match values, which are fixed from here on. A missing value is a mistake: the run would wait for an event that
 * never matches.
 */
export function matchKeyFor(setting: Setting, step: WaitForEventStep): string {
  const values = evaluate(setting, step.match, 'match') as JsonObject;
  for (const [path, template] of Object.entries(step.match))
    if (values[path] === null && template !== null) throw new StepFailure(`match.${path} has no value`);
  return unlessDeep('match', () => keyOfValues(values));
}

/** Data may be nested deeper than the stack allows: recursion into it throws a RangeError. */
function unlessDeep<Result>(what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) throw new StepFailure(`${what} is nested too deeply`);
    throw error;
  }
}
