import { Drop } from 'liquidjs';
import { anything } from '../../../channels/shape.ts';
import { type BodyField, bodyFields } from '../../../channels/template-rule.ts';
import { templateRules } from '../../../channels/template-rules.ts';
import { invalidParameter, missingParameter, Problem } from '../../../kernel/errors.ts';
import { isRecord } from '../../../kernel/json.ts';
import type { Budget } from '../../../templating/budget.ts';
import { type CompiledTemplate, compile } from '../../../templating/compile.ts';
import { describeFault, TemplateFault } from '../../../templating/fault.ts';
import { type PartialSources, useForReadingAll } from '../../../templating/partials.ts';
import { noTranslation } from '../../../templating/translation.ts';
import { withinEffort } from '../../../templating/watchdog.ts';
import { HeavyWork } from '../../../threads/effort.ts';
import { type BodyFields, canonicalLocale, type DerivedBody, missingField } from './bodies.ts';
import { flavours, outputLimits, parseUnits } from './render.ts';

/** A Unicode noncharacter, which does not occur in text. */
const mark = '\ufdd3';

/**
 * Stands for the unknown data when a structured body is checked: a placeholder has every property, is a list of one element,
 * and reads as 1, which is valid as text, as a number and as a boolean. A placeholder that is a whole value matches any type.
 */
class Placeholder extends Drop {
  readonly 0 = this;
  readonly length = 1;
  override liquidMethodMissing(key: string | number): unknown {
    return key === 'size' ? 1 : this;
  }
  override toString(): string {
    return '1';
  }
  toJSON(): object {
    return { [mark]: 1 };
  }
  *[Symbol.iterator](): Generator<Placeholder> {
    yield this;
  }
}

/** Throws the errors of JSON.parse. */
function parseWithPlaceholders(json: string): unknown {
  return JSON.parse(json, (_key, value) => (isRecord(value) && mark in value ? anything : value));
}

/** How the request names a field of the body, e.g. `bodies[2].html_template`. */
export type ParamOf = (field: BodyField | 'layout') => string;

/**
 * Checks everything about a body that can be known without data, and returns what follows from its sources. Throws a Problem
 * that names the field, or HeavyWork.
 */
export function checkBody(
  body: BodyFields,
  paramOf: ParamOf,
  budget: Budget,
  partials: PartialSources = {},
): DerivedBody | null {
  const missing = missingField(body);
  if (missing) throw missingParameter(paramOf(missing));
  return checkFields(body, paramOf, budget, partials);
}

export function checkLocale(text: string, param: string): string {
  const locale = canonicalLocale(text);
  if (!locale) throw invalidParameter(param, `${param} must be a language tag such as de or de-AT.`);
  return locale;
}

/** Checks only the fields that are present; a draft need not be complete. */
export function checkFields(
  body: BodyFields,
  paramOf: ParamOf,
  budget: Budget,
  partials: PartialSources = {},
): DerivedBody | null {
  const used = { partials: new Set<string>(), keys: new Set<string>(), translates: false };
  // Every partial that was loaded may be read, however a source writes its name.
  for (const each of Object.values(partials)) budget.useForReading(each);
  for (const field of bodyFields) {
    if (body[field] === '') continue;
    const template = read(body[field], field);
    if (field === 'structured_template') checkStructured(body, template, paramOf(field), budget);
    const uses = template.uses();
    for (const name of uses.partials) used.partials.add(name);
    for (const key of uses.keys) used.keys.add(key);
    used.translates ||= uses.translates;
  }
  const html = body.derived?.html;
  // The source of MJML was read above, so that faults have its lines; the HTML is what will be rendered.
  if (html !== undefined) read(html, 'html_template');
  const isNothing = !used.translates && used.partials.size === 0 && html === undefined;
  return isNothing
    ? null
    : {
        partials: [...used.partials].sort(),
        keys: [...used.keys].sort(),
        translates: used.translates,
        ...(html === undefined ? {} : { html }),
      };

  function read(source: string, field: BodyField): CompiledTemplate {
    useForReadingAll(budget, source, partials);
    return readField(source, field, { param: paramOf(field), locale: body.locale, partials });
  }
}

function readField(
  source: string,
  field: BodyField,
  { param, locale, partials }: { param: string; locale: string | null; partials: PartialSources },
): CompiledTemplate {
  try {
    return compile(source, flavours[field], { locale, partials });
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
      template.render({}, budget, outputLimits.structured_template, {
        otherwise: new Placeholder(),
        translation: noTranslation,
      }),
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
