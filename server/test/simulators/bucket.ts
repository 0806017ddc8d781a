/** A token bucket: `burst` at once, then one every `everyMs`. */
interface Bucket {
  /** 0: taken; else how many milliseconds until there is one. */
  take(now: number): number;
  /** How many could be taken now. */
  left(): number;
}

function createBucket(burst: number, everyMs: number): Bucket {
  let tokens = burst;
  let at = 0;
  return {
    take(now) {
      tokens = at === 0 ? burst : Math.min(burst, tokens + (now - at) / everyMs);
      at = now;
      if (tokens < 1) return Math.ceil((1 - tokens) * everyMs);
      tokens -= 1;
      return 0;
    },
    left: () => Math.floor(tokens),
  };
}

/** One for each name, made when it is first asked for. */
export function createBuckets(burst: number, everyMs: number): (name: string) => Bucket {
  const buckets = new Map<string, Bucket>();
  return (name) => {
    const bucket = buckets.get(name) ?? createBucket(burst, everyMs);
    buckets.set(name, bucket);
    return bucket;
  };
}
