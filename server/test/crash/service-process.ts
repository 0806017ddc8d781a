import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * One process of the service as operators run it: the built bundle, and somebody who starts it again whenever it ends. It
 * can be killed at any moment.
 */
export interface ServiceProcess {
  readonly name: string;
  readonly url: string;
  /** Resolves once it is ready, however often it had to be started until then. */
  start(): Promise<void>;
  /** kill -9. Whether and when it comes back is for the caller to say. */
  kill(): Promise<void>;
  /** SIGTERM; resolves to the exit code. */
  stop(): Promise<number | null>;
  /** Ends that nobody asked for, after it had been ready: it should have survived. */
  readonly unexpectedEnds: string[];
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const readyWithinMs = 60_000;
const pauseMs = 100;

export async function buildService(): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/build.mjs'], { cwd: root });
}

export async function createServiceProcess(options: {
  name: string;
  settings: Record<string, string>;
  logFile: string;
}): Promise<ServiceProcess> {
  const { name, logFile } = options;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const unexpectedEnds: string[] = [];
  let child: ChildProcess | null = null;
  /** Nobody starts it again while it is down on purpose. */
  let wanted = false;

  function spawnOnce(): void {
    const log = openSync(logFile, 'a');
    const spawned = spawn(process.execPath, ['server/dist/main.js'], {
      cwd: root,
      env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...options.settings, PORT: String(port) },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    child = spawned;
    let ready = false;
    void whenReady(spawned).then(() => {
      ready = true;
    });
    spawned.once('exit', (code, signal) => {
      if (child !== spawned || !wanted) return;
      // Ending because there is no database to start with is right; ending because it went away is not.
      if (ready) unexpectedEnds.push(`${name} ended (${signal ?? code}): ${lastLines(logFile)}`);
      setTimeout(() => {
        if (wanted) spawnOnce();
      }, pauseMs);
    });
  }

  async function isReady(): Promise<boolean> {
    return fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
  }

  async function whenReady(spawned: ChildProcess | null): Promise<void> {
    const end = Date.now() + readyWithinMs;
    while (Date.now() < end) {
      if (spawned !== null && spawned.exitCode !== null) return new Promise(() => {});
      if (await isReady()) return;
      await delay(20);
    }
    throw new Error(`${name} was not ready within ${readyWithinMs} ms: ${lastLines(logFile)}`);
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    wanted = false;
    const running = child;
    child = null;
    if (running === null) return null;
    if (running.exitCode !== null || running.signalCode !== null) return running.exitCode;
    const gone = once(running, 'exit');
    running.kill(signal);
    await gone;
    return running.exitCode;
  }

  return {
    name,
    url,
    unexpectedEnds,
    async start() {
      wanted = true;
      spawnOnce();
      await whenReady(null);
    },
    async kill() {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

function lastLines(logFile: string): string {
  return readFileSync(logFile, 'utf8').split('\n').slice(-12).join('\n');
}
