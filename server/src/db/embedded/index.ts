import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findBinaries } from './binaries.ts';
import { type ClusterLocation, clusterOf, ensureCluster, readPassword, resetPassword } from './cluster.ts';
import { answers, newEndpoint, urlOf } from './endpoint.ts';
import { diskFull, EmbeddedPostgresError, explainSystemError } from './error.ts';
import { findHome, openInstallation } from './home.ts';
import { serverSettings } from './launch.ts';
import type { Lock } from './lock.ts';
import { readPidFile, terminate } from './postmaster.ts';
import { isServerOf } from './process.ts';
import { Supervisor, takeOverLeftover } from './supervisor.ts';

export { passwordName } from './backup-files.ts';
export { diskFull, EmbeddedPostgresError };

export interface EmbeddedPostgres {
  /** The URL for node's `pg` and for libpq; it stays the same when the server is restarted. */
  url: string;
  /** The id of the server's main process; it changes with a restart. */
  readonly pid: number;
  stop(): Promise<void>;
}

interface EmbeddedOptions {
  /** The directory of the password, the log and the cluster, which is in `${dataDir}/postgres`. */
  dataDir: string;
  /** Receives progress lines for people. */
  log: (line: string) => void;
  /** Extra PostgreSQL settings, which override ours. */
  settings?: Record<string, string>;
}

/** Starts the bundled PostgreSQL on this data directory, or takes over the one that a killed Carillon left running. */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const locks: Lock[] = [];
  try {
    return await start(options, locks);
  } catch (error) {
    for (const lock of locks) lock.release();
    throw explainSystemError(error, path.resolve(options.dataDir));
  }
}

async function start(
  { dataDir: given, log, settings = {} }: EmbeddedOptions,
  locks: Lock[],
): Promise<EmbeddedPostgres> {
  const { dataDir, home, account } = await openInstallation(given, locks, log);
  const binaries = await findBinaries(account, log);
  const place: ClusterLocation = { dataDir, home, account, binaries, durable: settings.fsync !== 'off', log };
  await ensureCluster(place);

  const plan = {
    dataDir,
    cluster: clusterOf(home),
    account,
    binaries,
    settings: { ...serverSettings(binaries), ...settings },
    logFile: path.join(dataDir, 'postgres.log'),
    log,
  };
  let leftover = await takeOverLeftover(plan);
  if (readPassword(dataDir) === undefined) {
    if (leftover !== undefined) await terminate(leftover.postmaster.identity, binaries.pgCtl);
    leftover = undefined;
    log('the database password file is missing; setting a new password');
    await resetPassword(place);
  }

  const password = readPassword(dataDir);
  if (password === undefined) throw new Error('the database password was not written');

  const endpoint = leftover?.endpoint ?? (await newEndpoint(account));
  const supervisor = new Supervisor({ ...plan, endpoint }, locks);
  try {
    await supervisor.start(leftover?.postmaster);
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
  return {
    url: urlOf(endpoint, password),
    get pid() {
      return supervisor.pid;
    },
    stop: () => supervisor.stop(),
  };
}

/**
 * Returns the URL of the bundled PostgreSQL that a Carillon runs on this data directory; null when none runs. Callers must not
 * stop it.
 */
export async function findRunningPostgres(dataDir: string): Promise<string | null> {
  if (!existsSync(dataDir)) return null;
  const directory = realpathSync(dataDir);
  const cluster = clusterOf(findHome(directory) ?? directory);
  const file = readPidFile(cluster);
  const password = readPassword(directory);
  if (!file || password === undefined || file.status !== 'ready' || !isServerOf(file.pid, cluster))
    return null;
  return (await answers(file.endpoint)) ? urlOf(file.endpoint, password) : null;
}

/** A server for tests, benchmarks and checks, in a directory of its own that is removed with it. */
export async function startTemporaryPostgres(
  settings: Record<string, string> = {},
): Promise<EmbeddedPostgres> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'carillon-temporary-'));
  // mkdtemp makes it 0700; the account that root runs the server under must be able to pass through.
  chmodSync(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {}, settings });
  return {
    url: postgres.url,
    get pid() {
      return postgres.pid;
    },
    async stop() {
      await postgres.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
