import { type ChildProcess, spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { inheritOwner } from '../../kernel/owner.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import { endpointSettings, type ServerEndpoint } from './endpoint.ts';
import { type Postmaster, pidFileOf, readPidFile } from './postmaster.ts';
import { identify, isServerOf, surroundings } from './process.ts';

export interface ServerPlan {
  dataDir: string;
  cluster: string;
  account: Account | undefined;
  binaries: Binaries;
  endpoint: ServerEndpoint;
  settings: Record<string, string>;
  logFile: string;
  log: (line: string) => void;
}

const LARGEST_LOG_BYTES = 10 * 1024 * 1024;
/** Root may be writing into another user's directory. */
const NO_LINK = constants.O_NOFOLLOW ?? 0;
const POLL_MS = 10;
const LONG_START_MS = 3000;

export function commandLine(plan: ServerPlan): string[] {
  const settings = { ...plan.settings, ...endpointSettings(plan.endpoint) };
  return [
    '-D',
    plan.cluster,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

/** Starts the server's process; whenReady finds out whether it comes up. */
export function spawnServer(plan: ServerPlan): Postmaster {
  removeDeadPidFile(plan.cluster);
  const log = openLog(plan.logFile);
  try {
    const windows = process.platform === 'win32';
    // postgres.exe refuses an administrator; pg_ctl drops those rights first, waits until the server is ready, and ends.
    const child = windows
      ? spawn(plan.binaries.pgCtl, ['start', '-w', '-t', '600', ...windowsArguments(plan)], {
          ...surroundings(undefined),
          stdio: ['ignore', log, log],
        })
      : spawn(plan.binaries.postgres, commandLine(plan), {
          ...surroundings(plan.account),
          // The server gets a session of its own, so that Ctrl-C in the terminal stops us first and not the database that we
          // drain into.
          detached: true,
          // An open file, not a path: the account may be unable to access the path.
          stdio: ['ignore', log, log],
        });
    child.unref();
    const identity = identify(child.pid ?? 0) ?? { pid: child.pid ?? 0, startedAt: 'never' };
    return { identity, gone: endOf(child) };
  } finally {
    closeSync(log);
  }
}

/**
 * Returns the postmaster once it accepts connections, or undefined if it ended before. There is no deadline: after a crash it
 * first replays the WAL since the last checkpoint, and killing it would only restart that.
 */
export async function whenReady(plan: ServerPlan, started: Postmaster): Promise<Postmaster | undefined> {
  let ended = false;
  void started.gone.then(() => {
    ended = true;
  });
  let sayAfter = Date.now() + LONG_START_MS;
  for (;;) {
    const file = readPidFile(plan.cluster);
    if (file?.status === 'ready' && file.pid === started.identity.pid) return started;
    if (ended && process.platform === 'win32' && file?.status === 'ready') return follow(file.pid);
    if (ended) return undefined;
    if (Date.now() > sayAfter) {
      plan.log('the database is still starting; after a crash it first replays its log');
      sayAfter = Number.POSITIVE_INFINITY;
    }
    await delay(POLL_MS);
  }
}

/** Follows a postmaster that is not our child: only polling detects its end. */
export function follow(pid: number): Postmaster | undefined {
  const identity = identify(pid);
  if (identity === undefined) return undefined;
  const gone = new Promise<string>((resolve) => {
    const timer = setInterval(() => {
      if (identify(pid)?.startedAt === identity.startedAt) return;
      clearInterval(timer);
      resolve('it disappeared');
    }, 200);
    timer.unref();
  });
  return { identity, gone };
}

/** Returns the log from that byte on, to quote when a start fails. */
export function logSince(logFile: string, offset: number): string {
  return readFileSync(logFile).subarray(offset).toString();
}

export function logSize(logFile: string): number {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  return size > LARGEST_LOG_BYTES ? 0 : size; // the log is about to be rotated
}

/** Rotates the log while the server runs. The server keeps its open file, so the content is copied elsewhere. */
export function trimLog(logFile: string): void {
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) <= LARGEST_LOG_BYTES) return;
  const aside = `${logFile}.1`;
  const log = openSync(logFile, constants.O_RDWR | NO_LINK);
  try {
    rmSync(aside, { force: true });
    writeFileSync(aside, readFileSync(log), { flag: 'wx', mode: 0o600 });
    inheritOwner(aside);
    ftruncateSync(log);
  } finally {
    closeSync(log);
  }
}

function openLog(logFile: string): number {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size;
  if (size !== undefined && size > LARGEST_LOG_BYTES) renameSync(logFile, `${logFile}.1`);
  const log = openSync(logFile, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | NO_LINK, 0o600);
  if (size === undefined) inheritOwner(logFile);
  return log;
}

/**
 * PostgreSQL ignores the pid file of a server that is gone, but not if that pid is another process by now (likely in a
 * restarted container) or a zombie that is never reaped (a container without an init). We hold the lock, so the file is stale.
 * The real protection of the files, the shared memory of children still alive, is found without the pid file.
 */
function removeDeadPidFile(cluster: string): void {
  const file = readPidFile(cluster);
  if (file !== undefined && !isServerOf(file.pid, cluster)) rmSync(pidFileOf(cluster), { force: true });
}

function windowsArguments(plan: ServerPlan): string[] {
  const [, , ...settings] = commandLine(plan);
  return ['-D', plan.cluster, '-o', settings.map((part) => (part === '-c' ? part : `"${part}"`)).join(' ')];
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `exit code ${code}` : `killed by ${signal}`),
    );
  });
}

/**
 * PostgreSQL tuned for a small machine with a high rate of writes. The settings are given on the command line, so they apply to
 * a cluster of any age, and an upgrade of Carillon can change them.
 */
export function serverSettings(binaries: Binaries): Record<string, string> {
  return {
    cluster_name: 'carillon', // identifies our processes in ps
    max_connections: '100',
    timezone: 'UTC',
    log_timezone: 'UTC',

    // Guaranteed: a request that was answered with success survives a power cut.
    fsync: 'on',
    synchronous_commit: 'on',

    // The buffers are the limit to which PostgreSQL's memory grows: 21 MB (PSS) fresh, 86 MB idle after a load that filled
    // them. With 128MB it was 25 and 153 MB, beyond Carillon's memory budget beside Node, and inserts (50 rows a transaction,
    // four connections) were no faster.
    shared_buffers: '64MB',
    // Backends read for themselves, as up to PostgreSQL 17: workers for that and the room for their requests took 5 MB, and made
    // neither scans nor lookups of a table of 300 MB faster.
    io_method: 'sync',
    io_max_concurrency: '4',
    max_logical_replication_workers: '0', // one process less; there are no subscriptions
    jit: 'off', // our queries are short: compiling one costs more than running it

    // Few, large checkpoints: after each of them every page is written to the WAL in full once more.
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    // pglz, the only other choice, wrote a quarter less under constant checkpoints, but for CPU time that the inserts need:
    // fewer rows/s in three of four runs side by side (38k to 63k, 49k to 52k, 47k to 92k; 63k to 57k).
    wal_compression: binaries.lz4 ? 'lz4' : 'off',

    // Queue tables turn over completely within seconds, so autovacuum runs every 10 s rather than every minute, and with a
    // higher cost limit.
    autovacuum_naptime: '10s',
    autovacuum_vacuum_cost_limit: '1000',

    // The log may end up in a bug report: no statements, no values of rows (they contain addresses and bodies).
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
  };
}
