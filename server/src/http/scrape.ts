import { collectDefaultMetrics, Gauge } from 'prom-client';
import type { Deps } from '../deps.ts';
import type { MetricsSnapshot, Scrape } from '../kernel/metrics.ts';
import { answerWithinMs, within } from './readiness.ts';

type ScrapeDeps = Pick<Deps, 'metrics' | 'queue' | 'pool' | 'log'>;

/** `sum` adds the metrics of the other processes of this service. */
export function createScrape(deps: ScrapeDeps, sum?: (own: MetricsSnapshot) => Promise<string>): Scrape {
  const { registry } = deps.metrics;
  let gauges: ReturnType<typeof createGauges> | null = null;

  function read(): ReturnType<typeof createGauges> {
    gauges ??= createGauges(deps);
    const { waiting, connections } = gauges;
    waiting.reset();
    connections.set({ state: 'idle' }, deps.pool.idleCount);
    connections.set({ state: 'busy' }, deps.pool.totalCount - deps.pool.idleCount);
    connections.set({ state: 'awaited' }, deps.pool.waitingCount);
    return gauges;
  }

  return {
    async text() {
      // When the database is down the other metrics are needed even more: only the queue depth is left out.
      const depths = await within(answerWithinMs, deps.queue.depth()).catch((error: unknown) => {
        deps.log.warn({ err: error }, 'failed to read the queue depth');
        return [];
      });
      // The depth is the same for every process, so only the one that answers the scrape reads it.
      const { waiting } = read();
      for (const { kind, lane, waiting: count } of depths) waiting.set({ kind, lane }, count);
      return sum ? sum(await registry.getMetricsAsJSON()) : registry.metrics();
    },
    async snapshot() {
      read();
      return registry.getMetricsAsJSON();
    },
  };
}

/** Gauges are created at the first scrape: the process's own metrics need observers that always cost a little, used or not. */
function createGauges({ metrics: { registry } }: ScrapeDeps) {
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  // Gauges with the suffix of counters, which promtool refuses; each is the sum of another.
  for (const sum of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${sum}_total`);
  new Gauge({
    name: 'carillon_processes',
    help: 'Processes that serve this port.',
    registers,
  }).set(1);
  return {
    waiting: new Gauge({
      name: 'carillon_queue_waiting',
      help: 'Ready jobs that wait for a worker, across all processes; counting stops at a cap.',
      labelNames: ['kind', 'lane'],
      registers,
    }),
    connections: new Gauge({
      name: 'carillon_database_connections',
      help: 'PostgreSQL connections of this service, and callers that wait for one.',
      labelNames: ['state'],
      registers,
    }),
  };
}
