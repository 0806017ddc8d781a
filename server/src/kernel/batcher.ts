import { Problem } from './errors.ts';

/**
 * Micro-batching: items that arrive while the previous batch is being written are written together in the next one. No timer:
 * on a quiet system an item is written at once, on a busy one batches grow with the load (measured: 2.5× the throughput of one
 * transaction per item, and a lower p99).
 */
export interface BatcherOptions<In> {
  /** The number of batches written concurrently. */
  concurrency: number;
  maxItems: number;
  /** The weight of an item, so that a batch of large ones stays bounded in memory. */
  weigh?: (item: In) => number;
  maxWeight?: number;
  /** Decides whether the halves of a failed batch are tried. Not when nothing can be written at all. */
  splitOn?: (error: unknown) => boolean;
  /** The queue is full from here on; it is unbounded when absent. */
  maxWaiting?: { items: number; weight: number };
}

export interface Batcher<In, Out> {
  /** Rejects with a Problem when the queue is full. An item that is abandoned before it is written is not written. */
  add(item: In, isAbandoned?: () => boolean): Promise<Out>;
  isFull(): boolean;
  /** Resolves when everything added so far has been written. */
  idle(): Promise<void>;
}

interface Waiting<In, Out> {
  item: In;
  weight: number;
  isAbandoned: (() => boolean) | undefined;
  resolve: (out: Out) => void;
  reject: (error: unknown) => void;
}

/**
 * `write` returns one result per item, in order. If it throws for a batch, the batch is split until the bad item is isolated.
 */
export function createBatcher<In, Out>(
  write: (items: In[]) => Promise<Out[]>,
  options: BatcherOptions<In>,
): Batcher<In, Out> {
  const waiting: Waiting<In, Out>[] = [];
  let waitingWeight = 0;
  let underWay = 0;
  let idleWaiters: (() => void)[] = [];

  function take(): Waiting<In, Out>[] {
    const { maxItems, maxWeight = Number.POSITIVE_INFINITY } = options;
    let weight = 0;
    let count = 0;
    for (const next of waiting) {
      weight += next.weight;
      if (count === maxItems || (count > 0 && weight > maxWeight)) break;
      waitingWeight -= next.weight;
      count += 1;
    }
    const taken = waiting.splice(0, count);
    const abandoned = taken.filter(({ isAbandoned }) => isAbandoned?.());
    if (abandoned.length === 0) return taken;
    for (const { reject } of abandoned) reject(truncatedJson());
    return taken.filter((entry) => !abandoned.includes(entry));
  }

  function isFull(): boolean {
    const { items = Number.POSITIVE_INFINITY, weight = Number.POSITIVE_INFINITY } = options.maxWaiting ?? {};
    return waiting.length >= items || waitingWeight >= weight;
  }

  /** Writes a batch and returns the function that answers its items. */
  async function flush(batch: Waiting<In, Out>[]): Promise<() => void> {
    try {
      const results = await write(batch.map((entry) => entry.item));
      return () => {
        batch.forEach((entry, index) => {
          entry.resolve(results[index] as Out);
        });
      };
    } catch (error) {
      if (batch.length === 1 || options.splitOn?.(error) === false) {
        return () => {
          for (const entry of batch) entry.reject(error);
        };
      }
      const middle = Math.ceil(batch.length / 2);
      (await flush(batch.slice(0, middle)))();
      return flush(batch.slice(middle));
    }
  }

  function pump(): void {
    while (underWay < options.concurrency && waiting.length > 0) {
      const batch = take();
      if (batch.length === 0) continue;
      underWay += 1;
      void flush(batch).then((answer) => {
        underWay -= 1;
        // The next batch starts before this one is answered, so that the database works while the answers are composed.
        pump();
        answer();
      });
    }
    if (underWay === 0 && waiting.length === 0) {
      for (const wake of idleWaiters) wake();
      idleWaiters = [];
    }
  }

  let scheduled = false;
  return {
    isFull,
    add(item, isAbandoned) {
      return new Promise<Out>((resolve, reject) => {
        if (isFull()) return reject(queueFull());
        const weight = options.weigh?.(item) ?? 0;
        waitingWeight += weight;
        waiting.push({ item, weight, isAbandoned, resolve, reject });
        if (scheduled || underWay >= options.concurrency) return;
        // Items that arrive in the same iteration of the event loop (one socket read, one claim) share a batch.
        scheduled = true;
        setImmediate(() => {
          scheduled = false;
          pump();
        });
      });
    },
    idle() {
      if (underWay === 0 && waiting.length === 0) return Promise.resolve();
      return new Promise((resolve) => {
        idleWaiters.push(resolve);
      });
    },
  };
}

/** For callers who send more than the database can store: what waits in memory is bounded. */
export function queueFull(): Problem {
  return new Problem('temporarily_unavailable', 'Too many requests wait to be written. Try again.', {
    headers: { 'retry-after': '1' },
  });
}

/** The client is gone and cannot read the answer; it is for the log and the metrics. */
export function truncatedJson(): Problem {
  return new Problem('invalid_json', 'The request is incomplete.');
}
