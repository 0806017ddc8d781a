import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { type App, startApp } from '../app.ts';
import type { Config } from '../config.ts';
import { diskFull, passwordName } from '../db/embedded/index.ts';
import { isDatabaseUnavailable, isDiskFull } from '../db/sql.ts';
import { createLog, createStartOutput } from '../kernel/log.ts';
import { findOperatorCommand } from '../operator/index.ts';
import { banner, helpText } from './banner.ts';
import { shrinkWhenIdle } from './idle-heap.ts';
import { exitCodes } from './invocation.ts';
import { connectSupervisor, type SupervisorLink } from './link.ts';
import { handleStopSignals } from './stop-signals.ts';

/** Runs the service in this process: alone, or as one of the processes of a supervisor. */
export async function runService(config: Config): Promise<void> {
  boundHeapGrowth();
  shrinkWhenIdle();
  const link = await connectSupervisor();
  const printsBanner = !link || link.order.isFirst;
  const output = createStartOutput();
  // Software that reads redirected output gets each line at once.
  if (!printsBanner || !process.stdout.isTTY) output.release();
  process.on('exit', output.release);
  const log = createLog(config.LOG_LEVEL, output);
  const stopping = new AbortController();
  const starting = startApp(config, {
    signal: stopping.signal,
    progress: (line) => console.log(line),
    onDatabaseLost(silentMs) {
      console.error(databaseLost(silentMs));
      process.exit(exitCodes.databaseLost);
    },
    log: link ? log.child({ pid: process.pid }) : log, // the lines of all processes are in one stream
    ...(link && {
      processes: config.CARILLON_PROCESSES,
      bundledDatabase: link.order.bundledDatabase,
      sumMetrics: link.sumMetrics,
    }),
  });
  const isStopping = link
    ? followSupervisor(link, starting, stopping)
    : stopOnSignals(config, starting, stopping);

  let app: App;
  try {
    app = await starting;
  } catch (error) {
    output.release();
    if (isStopping()) return; // a signal ended the start, and ends the process
    console.error(startFailure(error, config));
    process.exit(exitCodes.failure);
  }
  if (isStopping()) return;
  if (printsBanner) console.log(banner(app, { isTerminal: process.stdout.isTTY }));
  output.release();
  link?.onCollect(app.deps.scrape.snapshot);
  link?.reportReady();
}

/** Signals are handled from the beginning: a Ctrl-C during the start stops the parts that were started so far. */
function stopOnSignals(config: Config, starting: Promise<App>, stopping: AbortController): () => boolean {
  const { isStopping } = handleStopSignals({
    async stop() {
      stopping.abort();
      await (await starting.catch(() => null))?.stop();
    },
    isSilent: config.LOG_LEVEL === 'silent',
  });
  return isStopping;
}

/** The supervisor decides when a process stops: a Ctrl-C or the end of a terminal reaches the processes too. */
function followSupervisor(
  link: SupervisorLink,
  starting: Promise<App>,
  stopping: AbortController,
): () => boolean {
  let isStopping = false;
  const stop = async (mode: 'stop' | 'retire'): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    stopping.abort();
    const app = await starting.catch(() => null);
    try {
      await app?.[mode]();
      if (app) await link.reportEnd(await app.deps.scrape.snapshot());
    } finally {
      process.exit();
    }
  };
  link.onStop((mode) => void stop(mode));
  process.on('SIGTERM', () => void stop('stop'));
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  return () => isStopping;
}

/** Runs the operator command of the command line; returns false when there is none. */
export async function runCommand(argv: readonly string[], config: Config): Promise<boolean> {
  const command = findOperatorCommand(argv);
  if (!command) return false;
  try {
    process.exitCode = await command.run(config, (line) => console.log(line), command.args);
  } catch (error) {
    console.error(startFailure(error, config));
    process.exitCode = exitCodes.failure;
  }
  return true;
}

export { helpText };

/**
 * Garbage is collected when the heap has grown to twice what is in use, not four times: under load that is a third less memory,
 * and it no longer depends on how long the load lasts.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=100');
}

type Settings = Pick<Config, 'HOST' | 'PORT' | 'DATABASE_URL' | 'CARILLON_DATA_DIR'>;

/** The last line of a process whose database stays silent. */
export function databaseLost(silentMs: number): string {
  const seconds = Math.round(silentMs / 1000);
  return `The database has not answered for ${seconds} s. Exiting with code ${exitCodes.databaseLost}, so that a supervisor starts a new process.`;
}

/** A sentence for the person at the terminal; the stack is shown only for unexpected errors. */
export function startFailure(error: unknown, config: Settings): string {
  if (!(error instanceof Error)) return String(error);
  const { code, syscall, hostname } = error as NodeJS.ErrnoException & { hostname?: string };
  if (code === 'EADDRINUSE')
    return `Port ${config.PORT} on ${config.HOST} is in use. Set PORT to another port (PORT=0 picks a free one).`;
  if (code === 'EACCES' && syscall === 'listen')
    return `This user cannot listen on port ${config.PORT}. Set PORT to 1024 or higher (PORT=0 picks a free one).`;
  if (
    (code === 'EADDRNOTAVAIL' && syscall === 'listen') ||
    (code === 'ENOTFOUND' && hostname === config.HOST)
  )
    return `${config.HOST} is not an address of this machine. Set HOST to an address of this machine (127.0.0.1, or 0.0.0.0 for all of them).`;
  if (code === '28P01' && !config.DATABASE_URL)
    return `The bundled database refuses the password in ${join(config.CARILLON_DATA_DIR, passwordName)}. Put the right file back, or delete it and start again: the service then sets a new password, and the data stays.`;
  if (code === 'EACCES') return `Not allowed: ${error.message}.`;
  if (isDiskFull(error) && !config.DATABASE_URL) return diskFull(config.CARILLON_DATA_DIR, error).message;
  if (config.DATABASE_URL && /unsupported startup parameter/.test(error.message))
    return `DATABASE_URL leads to a connection pooler, which says: ${error.message}. Also set CARILLON_DATABASE_DIRECT_URL to a URL that leads to the database itself (docs/guides/high-availability.md).`;
  // 28: wrong password or no access; 3D: no such database.
  if (
    config.DATABASE_URL &&
    (code === 'ENOTFOUND' || /^(28|3D)/.test(code ?? '') || isDatabaseUnavailable(error))
  )
    return `The database in DATABASE_URL cannot be used: ${error.message}`;
  return code === undefined || code.length === 5 ? error.message : (error.stack ?? error.message);
}
