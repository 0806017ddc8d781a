import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * One process of the service as operators run it: the built bundle, and somebody who starts it again whenever it ends by
 * itself. It can be killed at any moment.
 */
export interface ServiceProcess {
  readonly name: string;
  readonly url: string;
  /** Resolves once it is ready, or was killed before it got there. */
  start(): Promise<void>;
  /** kill -9; it stays down until the next start. */
  kill(): Promise<void>;
  /** SIGTERM; resolves to its exit code. */
  stop(): Promise<number | null>;
  /** Ends that nobody asked for after it had been ready: there it should have lived on. */
  readonly unexpectedEnds: string[];
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const readyWithinMs = 60_000;

export async function buildService(tree = root): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/build.mjs', '--service'], { cwd: tree });
}

export async function createServiceProcess(options: {
  name: string;
  settings: Record<string, string>;
  logFile: string;
  /** The checkout whose bundle runs, when it is not this one. */
  tree?: string;
}): Promise<ServiceProcess> {
  const { name, logFile, tree = root } = options;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const unexpectedEnds: string[] = [];
  let current: ChildProcess | null = null;
  let ready: ChildProcess | null = null;

  function launch(): ChildProcess {
    const log = openSync(logFile, 'a');
    const child = spawn(process.execPath, ['server/dist/main.js'], {
      cwd: tree,
      env: {
        PATH: process.env.PATH,
        LOG_LEVEL: 'warn',
        CARILLON_PROCESSES: '1',
        ...options.settings,
        PORT: String(port),
      },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    child.once('exit', (code, signal) => {
      if (current !== child) return;
      // It may end when it finds no database at its start; when one goes away later it may not.
      if (ready === child) unexpectedEnds.push(`${name} ended (${signal ?? code}): ${tail(logFile)}`);
      setTimeout(() => {
        if (current === child) current = launch();
      }, 100);
    });
    return child;
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    const child = current;
    current = null;
    if (child === null) return null;
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
    }
    return child.exitCode;
  }

  return {
    name,
    url,
    unexpectedEnds,
    async start() {
      current = launch();
      for (const deadline = Date.now() + readyWithinMs; Date.now() < deadline; await delay(20)) {
        if (current === null) return;
        const asked: ChildProcess = current;
        const isReady = await fetch(`${url}/readyz`).then(
          (response) => response.ok,
          () => false,
        );
        if (!isReady || current !== asked) continue;
        ready = asked;
        return;
      }
      throw new Error(`${name} was not ready within ${readyWithinMs} ms: ${tail(logFile)}`);
    },
    async kill() {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
  };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').split('\n').slice(-12).join('\n');
}
