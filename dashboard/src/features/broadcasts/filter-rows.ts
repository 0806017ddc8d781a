import type { Audience } from '@carillon/sdk';
import { broadcasts } from '../../strings/broadcasts.ts';

const text = broadcasts.filter;

type Filter = NonNullable<Audience['filter']>;

/** One condition of a filter as it is typed: values are separated by commas, and may be in quotes. */
export interface FilterRow {
  id: string;
  condition: keyof typeof text.conditions;
  /** The name of the attribute, for the condition `attributes`. */
  attribute: string;
  values: string;
}

export function emptyRow(): FilterRow {
  return { id: crypto.randomUUID(), condition: 'locales', attribute: '', values: '' };
}

/** Two rows of one condition could mean either or both, so each can be used once. */
export function problemOfRows(rows: readonly FilterRow[]): string | null {
  if (rows.length === 0) return text.rowNeeded;
  if (rows.some(({ condition, attribute }) => condition === 'attributes' && attribute.trim() === ''))
    return text.attributeNeeded;
  if (rows.some(({ values }) => valuesOf(values).length === 0)) return text.valueNeeded;
  const names = rows.map(({ condition, attribute }) =>
    condition === 'attributes' ? `attribute ${attribute.trim()}` : condition,
  );
  return new Set(names).size < names.length ? text.repeated : null;
}

export function filterOf(rows: readonly FilterRow[]): Filter {
  const filter: Filter = {};
  for (const { condition, attribute, values } of rows) {
    if (condition === 'attributes')
      filter.attributes = { ...filter.attributes, [attribute.trim()]: valuesOf(values).map(scalarOf) };
    else filter[condition] = valuesOf(values).map(textOf);
  }
  return filter;
}

/** `pro, "Rome, Italy"` has two values. */
function valuesOf(values: string): string[] {
  const parts = values.match(/\s*"(?:[^"\\]|\\.)*"\s*(?=,|$)|[^,]+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** An attribute is a number or a boolean when it looks like one; in quotes, it is a text. */
function scalarOf(value: string): string | number | boolean {
  const parsed = parse(value);
  return typeof parsed === 'number' || typeof parsed === 'boolean' ? parsed : textOf(value);
}

function textOf(value: string): string {
  const parsed = parse(value);
  return typeof parsed === 'string' ? parsed : value;
}

function parse(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
