/** A row of the tables in this folder. Validation, `--help`, docs/config.md and the schema of the Helm chart derive from it. */
export interface SettingRow<Value> {
  /** Throws BadValue. */
  read: (text: string) => Value;
  fallback: Value;
  /** The displayed default; the value itself when absent. */
  shown?: string;
  meaning: string;
  secret?: true;
}

export function setting<Value>(row: SettingRow<Value>): SettingRow<Value> {
  return row;
}

/** The values of a table. While problems are collected, a value that could not be parsed is undefined. */
export type ValuesOf<Table> = {
  [Name in keyof Table]: Table[Name] extends SettingRow<infer Value> ? Value : never;
};

/** A text that a setting cannot have. The message describes a valid text. */
export class BadValue extends Error {}

export const text = (value: string): string => value;

export const integer = (min: number, max: number) => (value: string) => {
  if (!/^\d+$/.test(value) || Number(value) < min || Number(value) > max)
    throw new BadValue(`must be a whole number from ${min} to ${max}`);
  return Number(value);
};

export const positive = (value: string): number => {
  const number = Number(value);
  if (!Number.isFinite(number) || number <= 0) throw new BadValue('must be a number above 0');
  return number;
};

export const oneOf =
  <Value extends string>(...values: Value[]) =>
  (value: string): Value => {
    const found = values.find((candidate) => candidate === value);
    if (!found) throw new BadValue(`must be one of ${values.join(', ')}`);
    return found;
  };

export const url =
  (...protocols: string[]) =>
  (value: string): string => {
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
      throw new BadValue(
        `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
      );
    }
    return value.replace(/\/+$/, '');
  };
