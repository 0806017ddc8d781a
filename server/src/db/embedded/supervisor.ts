import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { answers, prepareEndpoint, removeEndpoint, type ServerEndpoint } from './endpoint.ts';
import { EmbeddedPostgresError, explainOutput } from './error.ts';
import {
  commandLine,
  follow,
  logSince,
  logSize,
  type ServerPlan,
  spawnServer,
  trimLog,
  whenReady,
} from './launch.ts';
import type { Lock } from './lock.ts';
import { killOrphans, type Postmaster, readPidFile, terminate, terminateBlocking } from './postmaster.ts';
import { isServerOf } from './process.ts';

/**
 * The message of a server that finds the remains of another one: its children, or its socket. They usually disappear without
 * intervention.
 */
const STILL_OCCUPIED = /is still in use|already exists|Address already in use|another postmaster/i;
const OCCUPIED_PATIENCE_MS = 15_000;
const ORPHANS_KILLED_AFTER_MS = 1_000;
const RETRY_MS = 50;

const FIRST_BACKOFF_MS = 100;
const LONGEST_BACKOFF_MS = 5_000;
/** A server that has run this long was healthy: its end counts as a new failure, not as a repetition of the last one. */
const STEADY_MS = 10_000;
const LOG_LOOK_MS = 3_600_000;

/** Keeps one server running, at one address, from start() until stop(). */
export class Supervisor {
  readonly #plan: ServerPlan;
  readonly #locks: Lock[];
  #current: Postmaster | undefined;
  #revival: Promise<void> | undefined;
  #end: Promise<void> | undefined;
  readonly #stopNow = new AbortController();
  #backoffMs = FIRST_BACKOFF_MS;
  #logLook: NodeJS.Timeout | undefined;

  constructor(plan: ServerPlan, locks: Lock[]) {
    this.#plan = plan;
    this.#locks = locks;
  }

  get pid(): number {
    return this.#current?.identity.pid ?? 0;
  }

  /** Uses a postmaster that already runs, or starts one. */
  async start(running: Postmaster | undefined): Promise<void> {
    process.once('exit', this.#onExit);
    this.#logLook = setInterval(() => this.#trimLog(), LOG_LOOK_MS).unref();
    if (running === undefined) await this.#launch();
    else this.#watch(running);
  }

  /** Safe to call twice, and during a restart. */
  stop(): Promise<void> {
    this.#end ??= this.#shutDown();
    return this.#end;
  }

  async #shutDown(): Promise<void> {
    this.#stopNow.abort();
    try {
      if (this.#mayStop() && this.#current !== undefined)
        await terminate(this.#current.identity, this.#plan.binaries.pgCtl);
      await this.#revival; // the restart notices the stop and gives up
    } finally {
      this.#cleanUp();
    }
  }

  /** Leaves nothing running after process.exit() without stop(), or after an uncaught error. */
  readonly #onExit = (): void => {
    if (this.#mayStop() && this.#current !== undefined)
      terminateBlocking(this.#current.identity, this.#plan.binaries.pgCtl);
    this.#cleanUp();
  };

  #trimLog(): void {
    try {
      trimLog(this.#plan.logFile);
    } catch (error) {
      this.#plan.log(`failed to rotate the database log: ${(error as Error).message}`);
    }
  }

  #cleanUp(): void {
    clearInterval(this.#logLook);
    process.removeListener('exit', this.#onExit);
    if (this.#mayStop()) removeEndpoint(this.#plan.endpoint);
    for (const lock of this.#locks) lock.release();
  }

  /** The process that took the directory over has taken the server over as well, so the server must not be stopped here. */
  #mayStop(): boolean {
    return !this.#locks.some((lock) => lock.lost());
  }

  async #launch(): Promise<void> {
    const plan = this.#plan;
    const begun = Date.now();
    for (;;) {
      prepareEndpoint(plan.endpoint, plan.account);
      const offset = logSize(plan.logFile);
      this.#current = spawnServer(plan);
      const ready = await whenReady(plan, this.#current);
      if (ready !== undefined) return this.#watch(ready);
      if (this.#end !== undefined)
        throw new EmbeddedPostgresError('The database was stopped while it was starting.');

      const output = logSince(plan.logFile, offset) || (await this.#current.gone);
      const waited = Date.now() - begun;
      if (!STILL_OCCUPIED.test(output) || waited > OCCUPIED_PATIENCE_MS)
        throw explainOutput('to start', output, plan.dataDir, plan.logFile);
      if (waited > ORPHANS_KILLED_AFTER_MS) killOrphans(plan.cluster);
      await delay(RETRY_MS);
      if (this.#end !== undefined)
        throw new EmbeddedPostgresError('The database was stopped while it was starting.');
    }
  }

  #watch(running: Postmaster): void {
    this.#current = running;
    const since = Date.now();
    void running.gone.then((reason) => {
      if (this.#end !== undefined) return;
      if (Date.now() - since > STEADY_MS) this.#backoffMs = FIRST_BACKOFF_MS;
      this.#plan.log(`the database stopped unexpectedly (${reason}); starting it again`);
      this.#revival = this.#revive();
    });
  }

  async #revive(): Promise<void> {
    while (this.#end === undefined) {
      // The timer does not keep the process alive: without other work the restarted server is not needed.
      await delay(this.#backoffMs, undefined, { ref: false, signal: this.#stopNow.signal }).catch(() => {});
      if (this.#end !== undefined) return;
      this.#backoffMs = Math.min(this.#backoffMs * 2, LONGEST_BACKOFF_MS);
      try {
        await this.#launch();
        this.#plan.log(`the database is running again (process ${this.pid})`);
        return;
      } catch (error) {
        if (this.#end === undefined) this.#plan.log(error instanceof Error ? error.message : String(error));
      }
    }
  }
}

interface Leftover {
  postmaster: Postmaster;
  endpoint: ServerEndpoint;
}

/**
 * A Carillon that was killed leaves its server running. We hold the lock, so no other process uses the server: it is taken over
 * if it works and runs with our settings, otherwise stopped, so that a new one can start.
 */
export async function takeOverLeftover(plan: Omit<ServerPlan, 'endpoint'>): Promise<Leftover | undefined> {
  for (;;) {
    const file = readPidFile(plan.cluster);
    if (file === undefined) return undefined;
    const postmaster = isServerOf(file.pid, plan.cluster) ? follow(file.pid) : undefined;
    if (postmaster === undefined) {
      removeEndpoint(file.endpoint);
      return undefined;
    }
    if (
      file.status === 'ready' &&
      runsAs({ ...plan, endpoint: file.endpoint }) &&
      (await answers(file.endpoint))
    ) {
      plan.log(`the database was still running (process ${file.pid}); reusing it`);
      return { postmaster, endpoint: file.endpoint };
    }
    if (file.status === 'ready' || file.status === 'stopping') {
      plan.log(`stopping the database that was still running (process ${file.pid})`);
      await terminate(postmaster.identity, plan.binaries.pgCtl);
      removeEndpoint(file.endpoint);
      return undefined;
    }
    await delay(20); // the server is starting
  }
}

/** Returns whether the server's command line matches ours; the server keeps it beside its pid file. */
function runsAs(plan: ServerPlan): boolean {
  const quoted = [plan.binaries.postgres, ...commandLine(plan).map((part) => `"${part}"`)].join(' ');
  try {
    return readFileSync(path.join(plan.cluster, 'postmaster.opts'), 'utf8').trim() === quoted;
  } catch {
    return false;
  }
}
