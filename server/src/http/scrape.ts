import { collectDefaultMetrics, Gauge } from 'prom-client';
import type { Deps } from '../deps.ts';
import { answerWithinMs, within } from './readiness.ts';

type ScrapeDeps = Pick<Deps, 'metrics' | 'queue' | 'pool' | 'log'>;

/** The answer of /metrics: the counters of the service, and gauges that are read at the time of the scrape. */
export function createScrape(deps: ScrapeDeps): () => Promise<string> {
  let gauges: ReturnType<typeof createGauges> | null = null;
  return async () => {
    gauges ??= createGauges(deps);
    const { waiting, connections } = gauges;
    connections.set({ state: 'idle' }, deps.pool.idleCount);
    connections.set({ state: 'busy' }, deps.pool.totalCount - deps.pool.idleCount);
    connections.set({ state: 'awaited' }, deps.pool.waitingCount);
    // When the database is down the other metrics are needed even more: only the queue depth is left out.
    const depths = await within(answerWithinMs, deps.queue.depth()).catch((error: unknown) => {
      deps.log.warn({ err: error }, 'failed to read the queue depth');
      return [];
    });
    waiting.reset();
    for (const { kind, lane, waiting: count } of depths) waiting.set({ kind, lane }, count);
    return deps.metrics.registry.metrics();
  };
}

/** Gauges are created at the first scrape: the process's own metrics need observers that always cost a little, used or not. */
function createGauges({ metrics: { registry } }: ScrapeDeps) {
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    waiting: new Gauge({
      name: 'carillon_queue_waiting',
      help: 'Ready jobs that wait for a worker, across all processes; counting stops at a cap.',
      labelNames: ['kind', 'lane'],
      registers,
    }),
    connections: new Gauge({
      name: 'carillon_database_connections',
      help: 'PostgreSQL connections of this process, and callers that wait for one.',
      labelNames: ['state'],
      registers,
    }),
  };
}
