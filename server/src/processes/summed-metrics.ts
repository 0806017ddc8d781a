import { AggregatorRegistry } from 'prom-client';
import type { MetricsSnapshot } from '../kernel/metrics.ts';

/**
 * The metrics of all processes as one text. Counters and histograms of processes that have ended stay in the sum: Prometheus
 * takes a sum that falls for a restart of everything, and would count the rest of the sum as new.
 */
export class SummedMetrics {
  #ended: Promise<MetricsSnapshot> = Promise.resolve([]);

  /** Adds the last known metrics of a process that has ended. */
  addEnded(snapshot: MetricsSnapshot): void {
    this.#ended = this.#ended.then(async (sum) => {
      try {
        return await AggregatorRegistry.aggregate([sum, growing(snapshot)]).getMetricsAsJSON();
      } catch {
        return sum; // a process of another release reported what this one cannot add
      }
    });
  }

  async text(snapshots: MetricsSnapshot[]): Promise<string> {
    return AggregatorRegistry.aggregate([...snapshots, await this.#ended]).metrics();
  }
}

/** The part of a snapshot that only grows: it is still true when the process does not answer, or is gone. */
export function growing(snapshot: MetricsSnapshot): MetricsSnapshot {
  // prom-client has the name of a type in its JSON and the number of an enum in its types.
  return snapshot.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}
