import { CaptureTag, Output, Tag, type Template, TypeGuards, Value } from 'liquidjs';
import { walk } from './parsed-template.ts';

/** Where a template reads one of its variables. */
export interface NameUse {
  /** `captured`: an output within `capture`, whose text goes on under another name. */
  in: 'output' | 'captured' | 'condition' | 'tag';
  /** The filters of the output. */
  filters: string[];
  /** False for a part of the variable, such as `name[0]`, and where only the data says which variable is read (`[other]`). */
  isWhole: boolean;
}

/** Lists the uses of a variable by the templates as parsed: their source alone does not say where a tag ends, or what is a text. */
export function nameUses(templates: Template[], name: string): NameUse[] {
  const captured = new Set<Template>();
  for (const tag of walk(templates))
    if (tag instanceof CaptureTag) for (const inner of walk(tag.templates)) captured.add(inner);
  const uses: NameUse[] = [];
  for (const template of walk(templates)) {
    const isOutput = template instanceof Output;
    const found: Reads = { wholes: [], filters: [] };
    for (const value of isOutput ? [template.value] : (template.arguments?.() ?? []))
      collect(value, name, found);
    if (found.wholes.length === 0) continue;
    uses.push({
      in: isOutput
        ? captured.has(template)
          ? 'captured'
          : 'output'
        : isCondition(template)
          ? 'condition'
          : 'tag',
      filters: found.filters,
      isWhole: found.wholes.every((isWhole) => isWhole),
    });
  }
  return uses;
}

const isCondition = (template: Template): boolean =>
  template instanceof Tag && (template.name === 'if' || template.name === 'unless');

interface Reads {
  /** For each place at which the variable is read: whether all of it is. */
  wholes: boolean[];
  /** All filters, wherever they stand. */
  filters: string[];
}

function collect(value: unknown, name: string, found: Reads): void {
  if (value instanceof Value || TypeGuards.isFilteredValueToken(value)) {
    const { filters, initial } = value;
    for (const token of initial.postfix) collect(token, name, found);
    for (const filter of filters) {
      if (/^\w/.test(filter.name)) found.filters.push(filter.name); // that of the escape of an output is no word
      for (const argument of filter.args)
        collect(Array.isArray(argument) ? argument[1] : argument, name, found);
    }
  } else if (TypeGuards.isRangeToken(value)) {
    collect(value.lhs, name, found);
    collect(value.rhs, name, found);
  } else if (TypeGuards.isPropertyAccessToken(value)) {
    collect(value.variable, name, found);
    for (const property of value.props) collect(property, name, found);
    if (value.variable !== undefined) return; // of a literal or of an expression in parentheses
    const [root, ...parts] = value.props;
    const isNamed = TypeGuards.isWordToken(root) || TypeGuards.isQuotedToken(root);
    if (!isNamed) found.wholes.push(false);
    else if (root.content === name) found.wholes.push(parts.length === 0);
  }
}
