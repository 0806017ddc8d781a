import {
  CaptureTag,
  CaseTag,
  Context,
  CycleTag,
  defaultOperators,
  EchoTag,
  type Emitter,
  evalToken,
  Liquid,
  type Operators,
  Output,
  type Tag,
  type Template,
  toValue,
  toValueSync,
  Value,
  type ValueToken,
} from 'liquidjs';
import { type Budget, budgetOf, type FilterThis } from './budget.ts';
import { failureOf, TemplateFault } from './fault.ts';
import { filtersFor } from './filters.ts';
import { createJsonEmitter, JsonOutput } from './json-output.ts';
import { markText } from './marks.ts';
import { type NameUse, nameUses } from './name-uses.ts';
import { boundRanges, quickenPositions, walk } from './parsed-template.ts';
import { linkPartials, type PartialSources, PartialTag } from './partials.ts';
import { quicken, renderTemplates } from './quick.ts';
import { createTextEmitter, escapeHtml, SafeHtml, toText } from './text.ts';
import { type Translation, type TranslationUses, translationUses } from './translation.ts';
import { within } from './watchdog.ts';

quickenPositions();

/** The output format: HTML that does not execute, plain text, JSON that stays JSON, and such JSON with marks (marks.ts). */
export type Flavour = 'html' | 'text' | 'json' | 'marked';

export interface CompiledTemplate {
  /** Throws a TemplateFault. */
  render(data: object, budget: Budget, limit: number, settings?: RenderSettings): string;
  /** What the template itself uses, without its partials. */
  uses(): TemplateUses;
}

interface RenderSettings {
  /** The value of variables that the data does not have. */
  otherwise?: object;
  /** The messages of the filter `t`, which fails without them. */
  translation?: Translation;
}

export interface TemplateUses extends TranslationUses {
  partials: string[];
}

/** The time for parsing a template grows with the square of its tags: 50,000 take seconds, this many some hundredths of one. */
const maxTags = 2_000;
const readLimitMs = 3_000;

interface EngineOptions {
  /** The locale of the body, for month names and the like. */
  locale: string | null;
  /** Undefined variables are faults. */
  strict?: boolean;
  partials?: PartialSources;
  /** How faults name the source, e.g. `layout main`; absent for a template. */
  label?: string;
}

/** Throws a TemplateFault with the position of the mistake. */
export function compile(source: string, flavour: Flavour, options: EngineOptions): CompiledTemplate {
  const engine = engineFor(flavour, options);
  const templates = read(engine, source, options);
  // Set only after parsing: the first syntax error in a template is enough, and collecting 1,000 of them took a second.
  if (options.strict) engine.options.catchAllErrors = true;
  return {
    uses: () => usesOf(templates),
    render(data, budget, limit, settings) {
      const emitter = createEmitter(flavour, limit);
      try {
        toValueSync(
          engine.renderer.renderTemplates(templates, newContext(engine, data, budget, settings), emitter),
        );
      } catch (error) {
        throw failureOf(error);
      }
      return emitter.buffer.replaceAll('\0', '').toWellFormed();
    },
  };
}

function usesOf(templates: Template[]): TemplateUses {
  const partials = new Set<string>();
  for (const tag of walk(templates)) if (tag instanceof PartialTag) partials.add(tag.partialName);
  return { ...translationUses(templates), partials: [...partials].sort() };
}

function createEmitter(flavour: Flavour, limit: number): Emitter {
  switch (flavour) {
    case 'json':
      return createJsonEmitter(limit);
    case 'marked':
      return createJsonEmitter(limit, markText);
    default:
      return createTextEmitter(limit);
  }
}

/** Returns the value itself, not its text; undefined when the data does not have it. Throws a TemplateFault. */
type CompiledOutput = (data: object, budget: Budget) => unknown;

/**
 * Compiles a source that is exactly one `{{ … }}`; returns null for any other. Throws a TemplateFault with the position of the
 * mistake.
 */
export function compileOutput(source: string): CompiledOutput | null {
  if (!source.startsWith('{{') || !source.endsWith('}}')) return null;
  const engine = engineFor('value', { locale: null });
  const [output, more] = read(engine, source, {});
  if (!(output instanceof Output) || more) return null;
  return (data, budget) => {
    try {
      const value: unknown = toValue(
        toValueSync(output.value.value(newContext(engine, data, budget), false) as never),
      );
      budget.useFor(value);
      return value;
    } catch (error) {
      throw failureOf(error);
    }
  };
}

function read(engine: Liquid, source: string, options: Omit<EngineOptions, 'locale'>): Template[] {
  const { strict = false, partials = {}, label } = options;
  const parse = (text: string, name: string | undefined): Template[] => {
    if (text.split(/\{[{%]/, maxTags + 2).length > maxTags + 1)
      throw new TemplateFault({
        message: `more than ${maxTags} tags and outputs`,
        line: null,
        column: null,
        source: name ?? null,
      });
    const parsed = engine.parse(text, name);
    boundRanges(parsed);
    if (!strict) quicken(parsed);
    return parsed;
  };
  try {
    return within(readLimitMs, () => {
      const parsed = parse(source, label);
      linkPartials(parsed, partials, parse);
      return parsed;
    });
  } catch (error) {
    throw failureOf(error);
  }
}

function jsonOutput(this: FilterThis, value: unknown): JsonOutput {
  budgetOf(this.context).useFor(value);
  return new JsonOutput(toValue(value));
}

const outputEscapes: Record<Flavour, (this: FilterThis, value: unknown) => unknown> = {
  html(value) {
    const budget = budgetOf(this.context);
    budget.useFor(value);
    const html = escapeHtml(value);
    // Every escaped character costs some 100 ns, and becomes four or five characters.
    if (typeof value === 'string') budget.use(2 * (html.length - value.length));
    return html;
  },
  text(value) {
    budgetOf(this.context).useFor(value);
    return toText(value);
  },
  json: jsonOutput,
  marked: jsonOutput,
};

type BinaryOperator = (left: unknown, right: unknown, context: Context) => boolean;

function charged(name: string, charge: (budget: Budget, one: unknown, other: unknown) => void): Operators {
  const operate = defaultOperators[name] as BinaryOperator;
  return {
    [name](one: unknown, other: unknown, context: Context) {
      const budget = budgetOf(context);
      budget.use(operatorUnits);
      charge(budget, one, other);
      return operate(one, other, context);
    },
  };
}

/** One tag may hold thousands of operators. */
const operatorUnits = 50;
const cycleUnits = 100;
const nothing = () => {};
const equality = (budget: Budget, one: unknown, other: unknown) => budget.useForEquality(one, other);
const order = (budget: Budget, one: unknown, other: unknown) => budget.useForOrder(one, other);

const operators: Operators = {
  ...defaultOperators,
  ...charged('and', nothing),
  ...charged('or', nothing),
  ...charged('==', equality),
  ...charged('!=', equality),
  ...charged('<', order),
  ...charged('>', order),
  ...charged('<=', order),
  ...charged('>=', order),
  ...charged('contains', (budget, whole, part) => {
    const isList = Array.isArray(toValue(whole));
    budget.useFor(whole, isList ? 3 : 1);
    if (!isList) budget.useForSearch(toText(whole), toText(part));
  }),
};

/** Templates never read files: the tags that name one are removed. `render` takes partials (partials.ts). */
const withoutTags = ['include', 'layout', 'block'];

/**
 * An engine keeps nothing of what it parses or renders. Making one takes longer than parsing a small template, so the usual
 * ones are shared.
 */
const shared = new Map<string, Liquid>();

function engineFor(flavour: Flavour | 'value', options: EngineOptions): Liquid {
  if (options.locale !== null || options.strict) return createEngine(flavour, options);
  const known = shared.get(flavour) ?? createEngine(flavour, options);
  shared.set(flavour, known);
  return known;
}

function createEngine(flavour: Flavour | 'value', { locale, strict = false }: EngineOptions): Liquid {
  const engine = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: strict,
    lenientIf: true,
    operators,
    ...(flavour === 'value' ? {} : { outputEscape: outputEscapes[flavour] as (value: unknown) => string }),
    timezoneOffset: 0,
    locale: locale ?? 'en-US',
    relativeReference: false,
    templates: {},
  });
  for (const name of withoutTags) delete engine.tags[name];
  for (const name of Object.keys(engine.filters)) delete engine.filters[name];
  Object.assign(engine.filters, filtersFor[flavour === 'value' ? 'text' : flavour]);
  engine.registerTag('render', PartialTag);
  engine.registerTag('case', ChargedCase);
  engine.registerTag('cycle', ChargedCycle);
  engine.registerTag('echo', EscapedEcho);
  if (flavour === 'html') engine.registerTag('capture', HtmlCapture);
  if (!strict) Object.assign(engine, { renderer: { renderTemplates } });
  return engine;
}

/** The tag of liquidjs compares without charging; this one compares like `==`, which is charged. */
class ChargedCase extends CaseTag {
  override *render(context: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const { renderer } = this.liquid;
    const { lenientIf, operators } = context.opts;
    const isEqual = operators['=='] as BinaryOperator;
    const target = toValue(yield this.value.value(context, lenientIf));
    let isHit = false;
    for (const { values, templates } of this.branches) {
      for (const token of values) {
        const value = yield evalToken(token, context, lenientIf);
        if (!(yield isEqual(target, value, context))) continue;
        yield renderer.renderTemplates(templates, context, emitter);
        isHit = true;
        break;
      }
    }
    if (!isHit) yield renderer.renderTemplates(this.elseTemplates, context, emitter);
  }
}

/** Internal parts of the tags of liquidjs that write a value. */
interface EchoParts {
  value?: Value;
}
interface CycleParts {
  candidates: { getText(): string }[];
  group?: ValueToken;
}

/** As in an output: the tags of liquidjs escape the text of a value, which no longer shows that it is HTML. */
function escapedBy(tag: Tag, { filters }: Value, shown: unknown, context: Context): unknown {
  const { outputEscape } = tag.liquid.options as { outputEscape?: (this: object, value: unknown) => unknown };
  if (!outputEscape || filters.at(-1)?.raw) return toValue(shown);
  return outputEscape.call({ context, token: tag.token, liquid: tag.liquid }, shown);
}

class EscapedEcho extends EchoTag {
  override *render(context: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const { value } = this as unknown as EchoParts;
    if (value) emitter.write(escapedBy(this, value, yield value.value(context, false), context));
  }
}

/** The tag of liquidjs reads all of its values to identify its cycle, so they are charged. */
class ChargedCycle extends CycleTag {
  override *render(context: Context, _emitter: Emitter): Generator<unknown, unknown, unknown> {
    const { candidates, group } = this as unknown as CycleParts;
    budgetOf(context).use(cycleUnits * (candidates.length + (group ? 1 : 0)));
    const name = `cycle:${yield evalToken(group, context)}:${candidates.map((each) => each.getText()).join(',')}`;
    const places: Record<string, number> = context.getRegister('cycle', {});
    const place = places[name] ?? 0;
    places[name] = (place + 1) % candidates.length;
    const value = new Value(candidates[place] as ConstructorParameters<typeof Value>[0], this.liquid);
    return escapedBy(this, value, yield value.value(context, false), context);
  }
}

/** Captured output has been escaped already. */
class HtmlCapture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    yield* super.render(context);
    const scope = context.bottom();
    scope[this.variable] = new SafeHtml(toText(scope[this.variable]));
  }
}

function newContext(
  engine: Liquid,
  data: object,
  budget: Budget,
  { otherwise = noGlobals, translation }: RenderSettings = {},
): TemplateContext {
  // The scope is a copy without a prototype: `increment` writes into it, and only names that the caller gave are known.
  const scope = Object.assign(Object.create(null), data);
  const { options } = engine;
  const locale = translation?.locale;
  return new TemplateContext(
    scope,
    locale ? { ...options, locale } : options,
    { sync: true, globals: otherwise },
    limitsOf(engine, budget),
    translation,
  );
}

const noGlobals: object = {};

function limitsOf(liquid: unknown, budget: Budget) {
  // liquidjs calls only `use` and `check` of a limit; its type also has private members.
  const limiter = budget as unknown as Context['memoryLimit'];
  return { memoryLimit: limiter, renderLimit: limiter, liquid };
}

/** The cost of a property that liquidjs reads with generators; quick.ts charges for its own reads. */
const propertyUnits = 40;
const hidden: ReadonlySet<unknown> = new Set(['__proto__', 'constructor', 'prototype']);

class TemplateContext extends Context {
  /** Read by the filter `t` (translation.ts). */
  readonly translation: Translation | undefined;
  constructor(
    scope: object,
    options: Liquid['options'],
    renderOptions: ConstructorParameters<typeof Context>[2],
    limits: ConstructorParameters<typeof Context>[3],
    translation: Translation | undefined,
  ) {
    super(scope, options, renderOptions, limits);
    this.translation = translation;
  }
  /** liquidjs hides inherited properties, but not those of its own objects (`forloop.constructor`). */
  override readProperty(object: Parameters<Context['readProperty']>[0], key: string | number): unknown {
    const budget = budgetOf(this);
    budget.use(propertyUnits);
    // A list as a key is converted to text.
    if (typeof key === 'object') budget.useFor(key);
    return this.readQuickly(object, key);
  }
  readQuickly(object: Parameters<Context['readProperty']>[0], key: string | number): unknown {
    return hidden.has(toValue(key)) ? undefined : super.readProperty(object, key);
  }
  override spawn(scope: object = {}): TemplateContext {
    const { sync, globals, strictVariables, ownPropertyOnly } = this;
    return new TemplateContext(
      scope,
      this.opts,
      { sync, globals, strictVariables, ownPropertyOnly },
      limitsOf(this.liquid, budgetOf(this)),
      this.translation,
    );
  }
}

/** Lists the variables that a rendering reads and does not find. Variables that `if` or `default` test are not included. */
export function undefinedVariables(
  source: string,
  flavour: Flavour,
  data: object,
  options: Omit<EngineOptions, 'strict'> & { budget: Budget; limit: number } & RenderSettings,
): string[] {
  try {
    const { budget, limit } = options;
    compile(source, flavour, { ...options, strict: true }).render(data, budget, limit, options);
    return [];
  } catch (error) {
    if (error instanceof TemplateFault && error.fault.undefinedVariables)
      return error.fault.undefinedVariables;
    throw error;
  }
}

/**
 * Lists the variables that a template reads from the data, as paths: `order.total`, `items[0].name`. Its own assignments and
 * loop variables are not included.
 */
export function variablesOf(source: string, flavour: Flavour, partials: PartialSources = {}): string[] {
  const engine = engineFor(flavour, { locale: null });
  // The template is parsed without quicken(), which would replace the parts that the analysis reads.
  const parsed = read(engine, source, { strict: true, partials });
  try {
    return within(readLimitMs, () => engine.globalFullVariablesSync(parsed));
  } catch (error) {
    throw failureOf(error);
  }
}

/** Lists where a template reads one of its variables. Throws a TemplateFault. */
export function usesOfName(source: string, flavour: Flavour, name: string): NameUse[] {
  return nameUses(read(engineFor(flavour, { locale: null }), source, { strict: true }), name); // parsed as for variablesOf
}
