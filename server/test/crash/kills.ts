import { setTimeout as delay } from 'node:timers/promises';
import type { Processes, Worker } from './processes.ts';

interface Takeover {
  /** What the worker held when it was killed. */
  leases: number;
  /** Until the last of it was in other hands. */
  tookMs: number;
  /** The database was killed meanwhile: its outage comes on top, and the time that workers then have to be heard again. */
  hadOutage: boolean;
}

type Victim = 'api' | 'worker' | 'database';

export interface KillOptions {
  kills: number;
  /** Before each. */
  pause: (next: Victim) => Promise<unknown>;
  /** Once all have been killed and run again; what they held may still be waiting to be taken over. */
  afterKills: () => Promise<unknown>;
}

export interface KillReport {
  kills: Record<Victim, number>;
  takeovers: Takeover[];
  /** Of those without an outage of the database, and of those with one. */
  longestTakeoverMs: { calm: number; outage: number };
}

const giveUpAfterMs = 60_000;

/** Kills the API, the database, a worker, the API, … in turn, and starts again what does not start by itself. */
export async function killProcesses(processes: Processes, options: KillOptions): Promise<KillReport> {
  const kills = { api: 0, worker: 0, database: 0 };
  const takeovers: Promise<Takeover>[] = [];
  const starts: Promise<void>[] = [];
  const [first, second] = processes.workers;
  const kill: Record<Victim, () => Promise<void>> = {
    worker: () => killWorker(kills.worker % 2 === 0 ? first : second),
    api: killApi,
    database: killDatabase,
  };

  async function killWorker(worker: Worker): Promise<void> {
    const workerId = worker.workerId();
    await worker.kill();
    kills.worker += 1;
    takeovers.push(watchTakeover(processes, workerId, () => kills.database));
    await worker.start();
  }
  async function killApi(): Promise<void> {
    await processes.api.kill();
    kills.api += 1;
    starts.push(processes.api.start()); // the database is next: it may well be gone before this has started
  }
  async function killDatabase(): Promise<void> {
    processes.killDatabase();
    kills.database += 1;
  }

  for (let turn = 0; turn < options.kills; turn += 1) {
    const victim = (['api', 'database', 'worker'] as const)[turn % 3] ?? 'worker';
    await options.pause(victim);
    await kill[victim]();
  }
  await Promise.all(starts);
  await options.afterKills();
  const watched = await Promise.all(takeovers);
  return {
    kills,
    takeovers: watched,
    longestTakeoverMs: {
      calm: longest(watched.filter(({ hadOutage }) => !hadOutage)),
      outage: longest(watched.filter(({ hadOutage }) => hadOutage)),
    },
  };
}

const longest = (takeovers: Takeover[]): number => Math.max(0, ...takeovers.map(({ tookMs }) => tookMs));

async function watchTakeover(
  processes: Processes,
  workerId: string,
  outages: () => number,
): Promise<Takeover> {
  const killedAt = Date.now();
  const outagesBefore = outages();
  let leases = 0;
  for (const deadline = killedAt + giveUpAfterMs; ; await delay(50)) {
    const [row] = await processes.ask<{ held: number }>(
      'select count(*)::int as held from queue_leased where worker_id = $1',
      [workerId],
    );
    leases = Math.max(leases, row?.held ?? 0);
    if (row?.held === 0 || Date.now() > deadline)
      return { leases, tookMs: Date.now() - killedAt, hadOutage: outages() > outagesBefore };
  }
}
