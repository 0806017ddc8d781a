import { createHash } from 'node:crypto';
import { canonicalJson } from '../kernel/json.ts';
import type { Definition, EventPattern, Json, JsonObject } from './contract.ts';

/**
 * Resolves paths such as `order.lines.0.sku`: own properties and list indexes only. Returns undefined when the path does not
 * exist.
 */
function valueAt(data: Json, path: string): Json | undefined {
  let value: Json | undefined = data;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    if (Array.isArray(value)) value = /^\d+$/.test(name) ? value[Number(name)] : undefined;
    else value = value[name];
  }
  return value;
}

/** A hash, because values may be long and an index entry may not. Throws a RangeError when a value is too deep. */
export function keyOfValues(values: Readonly<Record<string, Json>>): string {
  const pairs = Object.keys(values)
    .sort()
    .map((path) => [path, values[path] ?? null]);
  return createHash('sha256').update(canonicalJson(pairs)).digest('base64url');
}

/**
 * The key of an event's data under a set of paths; null when a path is missing (or too deep), because then no such wait
 * matches.
 */
export function matchKeyOf(paths: readonly string[], data: JsonObject): string | null {
  const values: Record<string, Json> = {};
  for (const path of paths) {
    const value = valueAt(data, path);
    if (value === undefined) return null;
    values[path] = value;
  }
  try {
    return keyOfValues(values);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The distinct (event, paths) of the wait_for_event steps, which are needed to find the runs that an event wakes. */
export function eventPatterns(definition: Definition): EventPattern[] {
  const patterns = new Map<string, EventPattern>();
  for (const step of definition.steps) {
    if (step.kind !== 'wait_for_event' || step.event === null) continue;
    const paths = Object.keys(step.match).sort();
    const key = JSON.stringify([step.event, paths]);
    const lookback = step.lookback || (patterns.get(key)?.lookback ?? false);
    patterns.set(key, { eventName: step.event, paths, lookback });
  }
  return [...patterns.values()];
}
