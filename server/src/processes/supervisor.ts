import cluster from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { type EmbeddedPostgres, EmbeddedPostgresError, startEmbeddedPostgres } from '../db/embedded/index.ts';
import { neededConnections } from '../db/pool-settings.ts';
import { createLog } from '../kernel/log.ts';
import { Child, type ProcessEnd } from './child.ts';
import { exitCodes } from './invocation.ts';
import { handleStopSignals } from './stop-signals.ts';
import { SummedMetrics } from './summed-metrics.ts';

const firstBackoffMs = 100;
const longestBackoffMs = 30_000;
/** A process that ran for this long did not end because of its start. */
const steadyMs = 10_000;
const defaultMaxConnections = 100;

/** One of the processes to run. The process in it changes with crashes and restarts. */
interface Slot {
  current: Child | null;
  backoffMs: number;
}

/**
 * Runs CARILLON_PROCESSES processes of the service on one port, and the bundled database for them. A process that crashes is
 * replaced; SIGHUP replaces all of them, one at a time. `program` is the file that each process runs.
 */
export async function supervise(config: Config, program: string): Promise<void> {
  const log = createLog(config.LOG_LEVEL).child({ pid: process.pid });
  const metrics = new SummedMetrics();
  const children = new Set<Child>();
  const slots = Array.from(
    { length: config.CARILLON_PROCESSES },
    (): Slot => ({ current: null, backoffMs: firstBackoffMs }),
  );
  let hasStarted = false;
  setUpCluster(program);
  const { stopFor, isStopping } = handleStopSignals({
    stop,
    stopNow() {
      for (const child of children) child.kill();
    },
    isSilent: config.LOG_LEVEL === 'silent',
  });
  const requestRestart = oneAtATime(restartAll);
  process.on('SIGHUP', () => {
    // On a terminal, a hangup means that its window was closed.
    if (process.stdout.isTTY) void stopFor('SIGHUP');
    else requestRestart();
  });

  const databaseStart = config.DATABASE_URL ? Promise.resolve(null) : startDatabase(config);
  let database: EmbeddedPostgres | null;
  try {
    database = await databaseStart;
  } catch (error) {
    console.error(error instanceof EmbeddedPostgresError ? error.message : error);
    process.exit(exitCodes.failure);
  }

  // The first process migrates the database, prints the banner, and meets most errors; the others follow together.
  const [first, ...others] = slots;
  for (const group of [[first], others]) {
    const failures = await Promise.all(group.map((slot) => slot && fill(slot, slot === first)));
    if (isStopping()) return;
    const failure = failures.find((end) => end);
    if (failure) {
      await stop();
      process.exit(failure.code || exitCodes.failure);
    }
  }
  hasStarted = true;
  log.info({ processes: slots.length }, 'all processes are running');

  /** Returns the end of a process that did not start; the process has said why. */
  async function fill(slot: Slot, isFirst: boolean): Promise<ProcessEnd | null> {
    if (isStopping()) return null;
    const child = launch(isFirst);
    slot.current = child;
    return (await child.started) ? null : child.ended;
  }

  function launch(isFirst = false): Child {
    const child: Child = new Child({ bundledDatabase: database?.url ?? null, isFirst }, async (own) => {
      const rest = [...children].filter((each) => each !== child && each.isReady);
      const snapshots = await Promise.all(rest.map((each) => each.collect()));
      // The counts of a process that ended meanwhile are among those of ended processes.
      return metrics.text([
        own,
        ...rest.flatMap((each, index) => (children.has(each) ? [snapshots[index] ?? []] : [])),
      ]);
    });
    children.add(child);
    void child.ended.then((end) => afterEnd(child, end));
    return child;
  }

  async function afterEnd(child: Child, { code, signal }: ProcessEnd): Promise<void> {
    children.delete(child);
    metrics.addEnded(child.counters);
    const slot = slots.find(({ current }) => current === child);
    const isFailedStart = !hasStarted && !child.isReady;
    if (!slot || isStopping() || isFailedStart) return;
    slot.current = null;
    if (Date.now() - child.startedAt > steadyMs) slot.backoffMs = firstBackoffMs;
    const { backoffMs } = slot;
    log.error(
      { ended: child.pid, code, signal, again_in_ms: backoffMs },
      'a process ended unexpectedly; starting another',
    );
    slot.backoffMs = Math.min(backoffMs * 2, longestBackoffMs);
    await delay(backoffMs);
    if (!isStopping() && slot.current === null) slot.current = launch();
  }

  async function restartAll(): Promise<void> {
    if (!hasStarted) return;
    log.info('restarting one process at a time');
    for (const slot of slots) {
      if (isStopping()) return;
      const fresh = launch();
      if (!(await fresh.started)) {
        log.error('the new process did not start, so the others are not restarted');
        return;
      }
      const replaced = slot.current;
      slot.current = fresh;
      await replaced?.stop('retire');
    }
    log.info('all processes were restarted');
  }

  async function stop(): Promise<void> {
    await databaseStart.catch(() => null);
    await Promise.all([...children].map((child) => child.stop('stop')));
    await database?.stop();
  }
}

function setUpCluster(program: string): void {
  // SCHED_RR, Node's default on Linux, is named because it matters: the supervisor accepts connections and hands them out in
  // turn. With SCHED_NONE a few processes get most connections, and clients keep connections for long.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({
    exec: program,
    args: [],
    execArgv: [...process.execArgv, '--enable-source-maps'],
    serialization: 'advanced', // JSON has no NaN, which some gauges report
  });
}

/** Returns a function that runs `work`. A call while it runs causes one more run: the settings may have changed since. */
function oneAtATime(work: () => Promise<void>): () => void {
  let running: Promise<void> | null = null;
  let isWanted = false;
  return function request() {
    isWanted = true;
    if (running) return;
    isWanted = false;
    running = work().finally(() => {
      running = null;
      if (isWanted) request();
    });
  };
}

function startDatabase(config: Config): Promise<EmbeddedPostgres> {
  const connections = Math.max(neededConnections(config.CARILLON_PROCESSES), defaultMaxConnections);
  return startEmbeddedPostgres({
    dataDir: config.CARILLON_DATA_DIR,
    log: (line) => console.log(line),
    settings: { max_connections: String(connections) },
  });
}
