import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { MetricsSnapshot } from '../kernel/metrics.ts';
import type { StartOrder, StopMode, ToProcess, ToSupervisor } from './link.ts';
import { growing } from './summed-metrics.ts';

/** A process that has not ended by then is killed: it gives its own work 15 s, and its connections a few more. */
const endWithinMs = 30_000;
const collectWithinMs = 1_000;

export interface ProcessEnd {
  code: number | null;
  signal: string | null;
}

/** One process of the service as its supervisor sees it, from the fork to the end. */
export class Child {
  readonly startedAt = Date.now();
  /** Resolves to true once the process serves requests, and to false when it ended before. */
  readonly started: Promise<boolean>;
  /** Resolves when the process is gone and its last message was read. */
  readonly ended: Promise<ProcessEnd>;
  isReady = false;
  /** The metrics that the process reported last, without gauges: those are outdated. */
  counters: MetricsSnapshot = [];
  readonly #worker: Worker;
  #stopMode: StopMode | null = null;
  #collections = 0;

  /** `sum` returns the metrics of all processes as text. */
  constructor(order: StartOrder, sum: (own: MetricsSnapshot) => Promise<string>) {
    this.#worker = cluster.fork();
    this.ended = endOf(this.#worker);
    this.started = new Promise((resolve) => {
      void this.ended.then(() => resolve(false));
      this.#worker.on('message', (message: ToSupervisor) => {
        switch (message.type) {
          case 'hello':
            this.#send({ type: 'start', ...order });
            // A message from before the hello is lost.
            if (this.#stopMode) this.#send({ type: 'stop', mode: this.#stopMode });
            return;
          case 'ready':
            this.isReady = true;
            return resolve(true);
          case 'sum':
            this.counters = growing(message.snapshot);
            void this.#answer(message.id, sum(message.snapshot));
            return;
          case 'collected':
          case 'ended':
            this.counters = growing(message.snapshot);
        }
      });
    });
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  /** Returns the metrics of the process now; when it does not answer, those that are still true. */
  async collect(): Promise<MetricsSnapshot> {
    this.#collections += 1;
    const id = this.#collections;
    const done = new AbortController();
    const collected = new Promise<MetricsSnapshot>((resolve) => {
      const listen = (message: ToSupervisor): void => {
        if (message.type === 'collected' && message.id === id) resolve(message.snapshot);
      };
      this.#worker.on('message', listen);
      done.signal.addEventListener('abort', () => this.#worker.off('message', listen));
    });
    this.#send({ type: 'collect', id });
    const late = delay(collectWithinMs, null, { signal: done.signal }).catch(() => null);
    const snapshot = await Promise.race([collected, late, this.ended.then(() => null)]);
    done.abort();
    return snapshot ?? this.counters;
  }

  /** Resolves when the process has ended. */
  async stop(mode: StopMode): Promise<void> {
    this.#stopMode ??= mode;
    this.#send({ type: 'stop', mode: this.#stopMode });
    const timer = setTimeout(() => this.kill(), endWithinMs);
    await this.ended.finally(() => clearTimeout(timer));
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  async #answer(id: number, sum: Promise<string>): Promise<void> {
    // Without an answer the scrape fails after a deadline: processes of two releases may disagree about a metric.
    const text = await sum.catch(() => null);
    if (text !== null) this.#send({ type: 'sum', id, text });
  }

  #send(message: ToProcess): void {
    // The channel may close at any time: the end of the process follows.
    if (this.#worker.isConnected()) this.#worker.send(message, () => {});
  }
}

function endOf(worker: Worker): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    const closed = new Promise((close) => worker.once('disconnect', close));
    worker.once('exit', (code, signal) => void closed.then(() => resolve({ code, signal })));
    worker.on('error', () => {
      // The process could not be created (no memory, too many processes): it has no exit.
      if (worker.process.pid === undefined) resolve({ code: null, signal: null });
    });
  });
}
