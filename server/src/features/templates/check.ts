import { anything } from '../../channels/shape.ts';
import { type BodyField, bodyFields } from '../../channels/template-rule.ts';
import { templateRules } from '../../channels/template-rules.ts';
import { invalidParameter, missingParameter, Problem } from '../../kernel/errors.ts';
import { HeavyWork } from '../../kernel/threads/effort.ts';
import type { Budget } from '../../templating/budget.ts';
import { type CompiledTemplate, compile } from '../../templating/compile.ts';
import { describeFault, TemplateFault } from '../../templating/fault.ts';
import { withinEffort } from '../../templating/watchdog.ts';
import { type BodyFields, canonicalLocale, missingField } from './bodies.ts';
import { Placeholder, parseWithPlaceholders } from './placeholder.ts';
import { flavours, outputLimits, parseUnits } from './render.ts';

/** How the request names a field of the body, e.g. `bodies[2].html_template`. */
export type ParamOf = (field: BodyField) => string;

/** Checks everything about a body that can be known without data. Throws a Problem that names the field, or HeavyWork. */
export function checkBody(body: BodyFields, paramOf: ParamOf, budget: Budget): void {
  const missing = missingField(body);
  if (missing) throw missingParameter(paramOf(missing));
  checkFields(body, paramOf, budget);
}

export function checkLocale(text: string, param: string): string {
  const locale = canonicalLocale(text);
  if (!locale) throw invalidParameter(param, `${param} must be a language tag such as de or de-AT.`);
  return locale;
}

/** Checks only the fields that are present; a draft need not be complete. */
export function checkFields(body: BodyFields, paramOf: ParamOf, budget: Budget): void {
  for (const field of bodyFields) {
    if (body[field] === '') continue;
    budget.useForReading(body[field]);
    const template = read(body, field, paramOf(field));
    if (field === 'structured_template') checkStructured(body, template, paramOf(field), budget);
  }
}

function read(body: BodyFields, field: BodyField, param: string): CompiledTemplate {
  try {
    return compile(body[field], flavours[field], { locale: body.locale });
  } catch (error) {
    throw syntaxProblem(error, param);
  }
}

/** Parsing a character of JSON costs more when placeholders are searched for. */
const placeholderUnits = 3 * parseUnits;

/** Placeholders stand for the data, which is not known yet. */
function checkStructured(body: BodyFields, template: CompiledTemplate, param: string, budget: Budget): void {
  let json: string;
  try {
    json = withinEffort(budget.effort, () =>
      template.render({}, budget, outputLimits.structured_template, { otherwise: new Placeholder() }),
    );
    budget.use(placeholderUnits * json.length);
  } catch (error) {
    throw error instanceof HeavyWork ? error : syntaxProblem(error, param);
  }
  let value: unknown;
  try {
    value = parseWithPlaceholders(json);
  } catch (error) {
    throw new Problem(
      'template_syntax_error',
      `${param}: with placeholders for the data it is not valid JSON: ${(error as Error).message}`,
      { param },
    );
  }
  const { structuredProblem } = templateRules[body.channel];
  const problem = value === anything ? null : structuredProblem?.(value);
  if (problem) throw invalidParameter(param, `${param}: with placeholders for the data, ${problem}.`);
}

function syntaxProblem(error: unknown, param: string): Problem {
  const message =
    error instanceof TemplateFault ? describeFault(error.fault) : error instanceof Error ? error.message : '';
  return new Problem('template_syntax_error', `${param}: ${message}.`, { param, cause: error });
}
