import {
  type Context,
  type Emitter,
  evalToken,
  type Hash,
  type Liquid,
  RenderTag,
  type TagToken,
  type Template,
  type TopLevelToken,
  toValue,
  type ValueToken,
} from 'liquidjs';
import { argumentUnits, type Budget, budgetOf } from './budget.ts';
import { TemplateFault } from './fault.ts';
import { walk } from './parsed-template.ts';

/** The sources of the partials that a template may render, by name. */
export type PartialSources = Readonly<Record<string, string>>;

/** The levels of partials within partials. */
export const maxDepth = 5;
/** Different partials of one template: bounds the time for parsing all of them. */
export const maxPartials = 50;

/** Internal parts of the tag of liquidjs. */
interface RenderTagParts {
  file: unknown;
  hash: Hash;
  with?: Binding;
  forBinding?: Binding;
}
interface Binding {
  value: ValueToken;
  alias?: string;
}

/**
 * `{% render 'name', title: x %}`: the tag of liquidjs, with a partial that is given by its source instead of a file. Its name is
 * written out, so that a save knows which partials a template uses.
 */
export class PartialTag extends RenderTag {
  readonly partialName: string;
  /** Set by `linkPartials`. */
  partial: Template[] = [];

  constructor(
    token: TagToken,
    rest: TopLevelToken[],
    liquid: Liquid,
    parser: ConstructorParameters<typeof RenderTag>[3],
  ) {
    super(token, rest, liquid, parser);
    const { file } = partsOf(this);
    if (typeof file !== 'string') throw new Error('render requires the name of a partial in quotes');
    this.partialName = file;
  }

  /** The partial sees its arguments only, not the variables of the template around it. */
  override *render(context: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const { hash, with: bound, forBinding } = partsOf(this);
    budgetOf(context).use(argumentUnits * Object.keys(hash.hash).length);
    const inner = context.spawn();
    const scope = inner.bottom() as Record<string, unknown>;
    Object.assign(scope, yield hash.render(context));
    if (bound) scope[bound.alias ?? this.partialName] = yield evalToken(bound.value, context);
    if (!forBinding) {
      yield this.liquid.renderer.renderTemplates(this.partial, inner, emitter);
      return;
    }
    const items = listOf(toValue(yield evalToken(forBinding.value, context)));
    for (const [index, item] of items.entries()) {
      scope[forBinding.alias ?? this.partialName] = item;
      scope.forloop = loopState(index, items.length);
      yield this.liquid.renderer.renderTemplates(this.partial, inner, emitter);
    }
  }

  /** The analysis of variables follows partials; `walk` does not, because each partial is parsed and prepared once. */
  // biome-ignore lint/correctness/useYield: liquidjs calls it as a generator
  override *children(partials: boolean): Generator<unknown, Template[]> {
    return partials ? this.partial : [];
  }
}

function partsOf(tag: RenderTag): RenderTagParts {
  return tag as unknown as RenderTagParts;
}

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

function loopState(index: number, length: number): object {
  return {
    first: index === 0,
    last: index === length - 1,
    index: index + 1,
    index0: index,
    rindex: length - index,
    rindex0: length - index - 1,
    length,
  };
}

/** How faults name the source of a partial. */
const labelOf = (name: string): string => `partial ${name}`;

/**
 * Gives every `render` tag of a template its parsed partial. `parse` is called once for each partial. Throws a TemplateFault when
 * a partial does not exist, renders itself, or is nested too deeply.
 */
export function linkPartials(
  templates: Template[],
  sources: PartialSources,
  parse: (source: string, label: string) => Template[],
): void {
  const known = new Map<string, { templates: Template[]; depth: number }>();

  /** Returns how many levels of partials are below these templates. */
  function link(within: Template[], path: string[]): number {
    let depth = 0;
    for (const tag of walk(within)) {
      if (!(tag instanceof PartialTag)) continue;
      const { partialName: name } = tag;
      if (path.includes(name)) throw faultAt(tag, `the partial ${name} renders itself`);
      if (!Object.hasOwn(sources, name)) throw faultAt(tag, `there is no partial ${name}`);
      const partial = known.get(name) ?? read(tag, [...path, name]);
      tag.partial = partial.templates;
      depth = Math.max(depth, 1 + partial.depth);
      if (path.length + depth > maxDepth)
        throw faultAt(tag, `partials are nested more than ${maxDepth} levels deep`);
    }
    return depth;
  }

  function read(tag: PartialTag, path: string[]): { templates: Template[]; depth: number } {
    if (known.size >= maxPartials) throw faultAt(tag, `more than ${maxPartials} different partials`);
    const name = tag.partialName;
    const parsed = parse(sources[name] ?? '', labelOf(name));
    const partial = { templates: parsed, depth: link(parsed, path) };
    known.set(name, partial);
    return partial;
  }

  link(templates, []);
}

function faultAt(tag: PartialTag, message: string): TemplateFault {
  const [line, column] = tag.token.getPosition() as [number, number];
  return new TemplateFault({ message, line, column, source: tag.token.file ?? null });
}

/** Lists names that a source may render; the parsed template decides. Linear, for loading partials before a check. */
export function namedPartials(source: string): string[] {
  const names = [...source.matchAll(/\brender\s+(?:'([^'\n]{1,100})'|"([^"\n]{1,100})")/g)];
  return [...new Set(names.map(([, single, double]) => single ?? double ?? ''))];
}

/** Charges for parsing a source and the partials that it may render, directly or through others; each before it is searched. */
export function useForReadingAll(budget: Budget, source: string, partials: PartialSources): void {
  budget.useForReading(source);
  const names = new Set(namedPartials(source));
  for (const name of names) {
    const partial = Object.hasOwn(partials, name) ? (partials[name] ?? '') : '';
    budget.useForReading(partial);
    for (const inner of namedPartials(partial)) names.add(inner);
  }
}
