import { LRUCache } from 'lru-cache';

export type Cache<Value extends {}> = LRUCache<string, Value>;

/**
 * Remembers the `size` values that were asked for last, each for `ms` if told. A limit that lru-cache knows as a number of
 * entries is set aside at once, which for all of ours was a tenth of a start; one that it knows as a sum of sizes is not.
 */
export function createCache<Value extends {}>(size: number, ms?: number): Cache<Value> {
  return new LRUCache({ maxSize: size, sizeCalculation: () => 1, ...(ms === undefined ? {} : { ttl: ms }) });
}
