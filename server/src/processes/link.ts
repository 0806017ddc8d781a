import cluster from 'node:cluster';
import { Problem } from '../kernel/errors.ts';
import type { MetricsSnapshot } from '../kernel/metrics.ts';

/** The messages from the supervisor to a process. */
export type ToProcess =
  | ({ type: 'start' } & StartOrder)
  /** `retire`: another process has taken over, so callers can be given time to move to it. */
  | { type: 'stop'; mode: StopMode }
  | { type: 'collect'; id: number }
  | { type: 'sum'; id: number; text: string };

/** The messages from a process to the supervisor. */
export type ToSupervisor =
  | { type: 'hello' }
  | { type: 'ready' }
  | { type: 'collected'; id: number; snapshot: MetricsSnapshot }
  | { type: 'sum'; id: number; snapshot: MetricsSnapshot }
  | { type: 'ended'; snapshot: MetricsSnapshot };

export type StopMode = 'stop' | 'retire';

export interface StartOrder {
  /** The URL of the bundled database, which the supervisor runs; null with DATABASE_URL. */
  bundledDatabase: string | null;
  /** The first process of a start alone prints the banner. */
  isFirst: boolean;
}

/** The connection of a process to its supervisor. */
export interface SupervisorLink {
  order: StartOrder;
  onStop(listener: (mode: StopMode) => void): void;
  /** Answers the supervisor when another process was asked for the metrics of all. */
  onCollect(collect: () => Promise<MetricsSnapshot>): void;
  reportReady(): void;
  /** Returns the metrics of all processes as text. */
  sumMetrics(own: MetricsSnapshot): Promise<string>;
  /** The last message of a process. Its counters stay in the sum. */
  reportEnd(snapshot: MetricsSnapshot): Promise<void>;
}

const sumWithinMs = 3_000;

/** Connects to the supervisor; returns null when this process was not started by one. */
export async function connectSupervisor(): Promise<SupervisorLink | null> {
  const { worker } = cluster;
  if (!worker) return null;
  let stopMode: StopMode | null = null;
  let stopListener: (mode: StopMode) => void = () => {};
  let collect: (() => Promise<MetricsSnapshot>) | null = null;
  let sums = 0;
  const awaitedSums = new Map<number, (text: string) => void>();

  const send = (message: ToSupervisor): Promise<void> =>
    new Promise((resolve) => {
      if (!worker.isConnected()) resolve();
      else worker.send(message, () => resolve());
    });
  const stop = (mode: StopMode): void => {
    stopMode ??= mode;
    stopListener(stopMode);
  };

  const order = await new Promise<StartOrder>((resolve) => {
    worker.on('message', (message: ToProcess) => {
      switch (message.type) {
        case 'start':
          return resolve(message);
        case 'stop':
          return stop(message.mode);
        case 'sum':
          return awaitedSums.get(message.id)?.(message.text);
        case 'collect':
          void collect?.().then(
            (snapshot) => send({ type: 'collected', id: message.id, snapshot }),
            () => {}, // the supervisor uses the counters that it has
          );
      }
    });
    // The supervisor is gone. Node would exit at once here, and sends in progress would read outcome_unknown.
    worker.on('disconnect', () => {
      worker.exitedAfterDisconnect = true;
      stop('stop');
    });
    void send({ type: 'hello' });
  });

  return {
    order,
    onStop(listener) {
      stopListener = listener;
      if (stopMode) listener(stopMode);
    },
    onCollect(given) {
      collect = given;
    },
    reportReady: () => void send({ type: 'ready' }),
    async sumMetrics(snapshot) {
      sums += 1;
      const id = sums;
      let timer: NodeJS.Timeout | undefined;
      const text = new Promise<string>((resolve, reject) => {
        awaitedSums.set(id, resolve);
        timer = setTimeout(
          () =>
            reject(
              new Problem('temporarily_unavailable', 'The metrics of the other processes are not available.'),
            ),
          sumWithinMs,
        );
      });
      void send({ type: 'sum', id, snapshot });
      return text.finally(() => {
        clearTimeout(timer);
        awaitedSums.delete(id);
      });
    },
    reportEnd: (snapshot) => send({ type: 'ended', snapshot }),
  };
}
