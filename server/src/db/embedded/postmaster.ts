import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServerEndpoint } from './endpoint.ts';
import { isAlive, isServerOf, type ProcessIdentity } from './process.ts';

/** PostgreSQL's main process: our own child, or one that an earlier Carillon left behind. */
export interface Postmaster {
  identity: ProcessIdentity;
  /** Resolves, with the reason, once the process is gone. */
  gone: Promise<string>;
}

/** The server's own record in its data directory. */
interface PidFile {
  pid: number;
  endpoint: ServerEndpoint;
  status: 'starting' | 'stopping' | 'ready' | 'standby' | undefined;
}

export function pidFileOf(cluster: string): string {
  return path.join(cluster, 'postmaster.pid');
}

/** Reading the file shows readiness without a connection or a process, so it can be done every 10 ms. */
export function readPidFile(cluster: string): PidFile | undefined {
  let lines: string[];
  try {
    lines = readFileSync(pidFileOf(cluster), 'utf8')
      .split('\n')
      .map((line) => line.trim());
  } catch {
    return undefined;
  }
  const [pid, , , port, socketDirectory, address, , status] = lines;
  return {
    pid: Number(pid),
    endpoint: { host: socketDirectory || address || '', port: Number(port) },
    status: status as PidFile['status'],
  };
}

/**
 * Fast shutdown ends sessions and flushes everything; immediate shutdown leaves recovery to the next start. Nothing is lost
 * either way.
 */
const ESCALATION = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 6_000],
  ['SIGKILL', 2_000],
] as const;

const POLL_MS = 10;

export async function terminate(target: ProcessIdentity, pgCtl: string): Promise<void> {
  for (const [signal, patienceMs] of ESCALATION) {
    send(target, signal, pgCtl);
    for (const end = Date.now() + patienceMs; Date.now() < end; await delay(POLL_MS)) {
      if (!isAlive(target)) return;
    }
  }
}

/** The same for an exit handler, which cannot run asynchronous code. */
export function terminateBlocking(target: ProcessIdentity, pgCtl: string): void {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (const [signal, patienceMs] of ESCALATION) {
    send(target, signal, pgCtl);
    for (const end = Date.now() + patienceMs; Date.now() < end; Atomics.wait(clock, 0, 0, POLL_MS)) {
      if (!isAlive(target)) return;
    }
  }
}

/**
 * When only the postmaster was killed, its children exit as soon as they notice, but one that is busy computing does not; it
 * holds the shared memory and so blocks a new server. Killing it loses nothing: its session is over.
 */
export function killOrphans(cluster: string): void {
  if (process.platform !== 'linux') return; // no cheap way to find their cluster
  for (const pid of readdirSync('/proc').map(Number)) {
    if (pid > 0 && isServerOf(pid, cluster)) signalIfThere(pid, 'SIGKILL');
  }
}

function send(target: ProcessIdentity, signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL', pgCtl: string): void {
  if (!isAlive(target)) return;
  // Windows has no signals and node's kill() is a hard one there; PostgreSQL has a pipe of its own for them.
  if (process.platform === 'win32' && signal !== 'SIGKILL')
    spawnSync(pgCtl, ['kill', signal.slice(3), String(target.pid)], { windowsHide: true });
  else signalIfThere(target.pid, signal);
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // already gone
  }
}
