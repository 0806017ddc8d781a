import { LRUCache } from 'lru-cache';

export type Cache<Value extends {}> = LRUCache<string, Value>;

/**
 * Caches the `size` most recently used values, each for `ms` when given. lru-cache preallocates for a limit given as a number
 * of entries, which for all of our caches was a tenth of a start; it does not for a limit given as a sum of sizes.
 */
export function createCache<Value extends {}>(size: number, ms?: number): Cache<Value> {
  return new LRUCache({ ...limitOf(size), ...(ms === undefined ? {} : { ttl: ms }) });
}

/** Caches a value while it is loaded, so that concurrent callers share the load, and from then on unless the load fails. */
export function cacheLoad<Value>(
  cache: Cache<Promise<Value>>,
  name: string,
  loading: Promise<Value>,
): Promise<Value> {
  cache.set(name, loading);
  loading.catch(() => {
    if (cache.peek(name) === loading) cache.delete(name);
  });
  return loading;
}

/** A cache whose values must be closed when they make room for others. */
export function createClosingCache<Value extends {}>(
  size: number,
  close: (value: Value) => void,
): Cache<Value> {
  return new LRUCache({
    ...limitOf(size),
    dispose(value, _key, reason) {
      if (reason === 'evict') close(value);
    },
  });
}

const limitOf = (size: number) => ({ maxSize: size, sizeCalculation: () => 1 });
