import { LRUCache } from 'lru-cache';

export type Cache<Value extends {}> = LRUCache<string, Value>;

/**
 * Caches the `size` most recently used values, each for `ms` when given. lru-cache preallocates for a limit given as a number
 * of entries, which for all of our caches was a tenth of a start; it does not for a limit given as a sum of sizes.
 */
export function createCache<Value extends {}>(size: number, ms?: number): Cache<Value> {
  return new LRUCache({ maxSize: size, sizeCalculation: () => 1, ...(ms === undefined ? {} : { ttl: ms }) });
}
