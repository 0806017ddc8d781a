import { invalidParameter } from '../../../kernel/errors.ts';
import { type Attributes, type AttributeValue, attributeLimits } from './schema.ts';

const keyPattern = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

export function isAttributeKey(key: string): boolean {
  return keyPattern.test(key);
}

export function isAttributeValue(value: unknown): value is AttributeValue {
  if (typeof value === 'string') return value.length <= attributeLimits.text;
  return typeof value === 'number' || typeof value === 'boolean';
}

/** Checks attributes one by one, so that the error names the attribute. A null clears its attribute, like a null field. */
export function readAttributes(given: Record<string, unknown>): Attributes {
  const entries = Object.entries(given).filter(([, value]) => value !== null);
  if (entries.length > attributeLimits.keys)
    throw invalidParameter('attributes', `A user can have at most ${attributeLimits.keys} attributes.`);
  for (const [key, value] of entries) {
    if (!isAttributeKey(key))
      throw invalidParameter(
        'attributes',
        'The name of an attribute must be 1 to 64 of a–z, A–Z, 0–9 and “_”, and not begin with a digit.',
      );
    if (!isAttributeValue(value))
      throw invalidParameter(
        `attributes.${key}`,
        `attributes.${key} must be a number, a boolean, or a text of at most ${attributeLimits.text} characters.`,
      );
  }
  const attributes = Object.fromEntries(entries) as Attributes;
  if (Buffer.byteLength(JSON.stringify(attributes)) > attributeLimits.bytes)
    throw invalidParameter(
      'attributes',
      `attributes must have at most ${attributeLimits.bytes} bytes as JSON.`,
    );
  return attributes;
}
