import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTimeOf } from '../../src/db/embedded/process.ts';
import { freePort } from '../crash/service-process.ts';
import { waitUntil } from '../harness/app.ts';

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const startWithinMs = 60_000;
export const testKey = 'crl_test_0123456789abcdefghijABCDEFGHIJ';

/** The built service with several processes, as operators run it. */
export interface Supervised {
  url: string;
  port: number;
  folder: string;
  supervisor: ChildProcess;
  /** Everything that was written to standard output and standard error. */
  output(): string;
  /** The ids of all processes that ever served the port, in the order of their start. */
  pids(): number[];
  alive(): number[];
  whenRunning(): Promise<void>;
  exitCode(): Promise<number | null>;
  /** Kills what is left, and removes the folder. */
  cleanUp(): Promise<void>;
}

/** `launch` wraps the command of the service in another. */
export async function startSupervised(
  settings: Record<string, string> = {},
  launch: (command: string[]) => string[] = (command) => command,
): Promise<Supervised> {
  const port = settings.PORT ? Number(settings.PORT) : await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'carillon-processes-'));
  chmodSync(folder, 0o711); // the account that root runs PostgreSQL under must be able to pass through
  const [file = '', ...args] = launch([process.execPath, program]);
  const supervisor = spawn(file, args, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      CARILLON_PROCESSES: '2',
      CARILLON_DATA_DIR: join(folder, 'data'),
      CARILLON_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      CARILLON_BOOTSTRAP_TEST_KEY: testKey,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(supervisor, 'exit');
  let output = '';
  for (const stream of [supervisor.stdout, supervisor.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const pids = (): number[] =>
    output
      .split('\n')
      .filter((line) => line.includes('"msg":"listening"'))
      .map((line) => JSON.parse(line).pid);
  const alive = (): number[] => pids().filter(isAlive);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    folder,
    supervisor,
    output: () => output,
    pids,
    alive,
    async whenRunning() {
      await waitUntil(
        async () =>
          output.includes('all processes are running') ||
          new Error(`exit code ${supervisor.exitCode}: ${output}`),
        startWithinMs,
      );
    },
    async exitCode() {
      await exited;
      return supervisor.exitCode;
    },
    async cleanUp() {
      for (const pid of [supervisor.pid ?? 0, ...alive()]) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A process that has ended and was not reaped yet is gone. */
export function isAlive(pid: number): boolean {
  return startTimeOf(pid) !== undefined;
}
