import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Account } from './account.ts';

/** A pid alone is not an identity, because the kernel reuses it. Together with the start time it is. */
export interface ProcessIdentity {
  pid: number;
  startedAt: string;
}

/** The start time on systems where reading it would cost more than it is worth (Windows). */
export const UNKNOWN_START = 'unknown';

/** Returns the start time of the process, in the unit of the system; undefined when it is gone (a zombie is gone). */
export function startTimeOf(pid: number): string | undefined {
  if (process.platform === 'linux') {
    const stat = tryRead(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
    // The program's name is in brackets and may contain anything, so fields are counted from the last bracket.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields === undefined || fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  }
  if (process.platform === 'win32') return tryRead(() => process.kill(pid, 0)) ? UNKNOWN_START : undefined;
  const [state, ...started] = ps(pid, 'state=,lstart=').split(/\s+/);
  return !state || state.startsWith('Z') ? undefined : String(Date.parse(started.join(' ')));
}

export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = startTimeOf(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return startTimeOf(identity.pid) === identity.startedAt;
}

/**
 * Returns whether the pid is a PostgreSQL process that works in this cluster directory, and not another process with a reused
 * pid.
 */
export function isServerOf(pid: number, cluster: string): boolean {
  if (startTimeOf(pid) === undefined) return false;
  if (process.platform === 'linux') {
    const name = tryRead(() => readFileSync(`/proc/${pid}/comm`, 'utf8'));
    return (
      name?.startsWith('postgres') === true && tryRead(() => readlinkSync(`/proc/${pid}/cwd`)) === cluster
    );
  }
  if (process.platform === 'win32') return true; // the caller also checks that the server answers
  return ps(pid, 'command=').includes(cluster);
}

/**
 * Names the scope in which our pids are valid: this boot of this machine, this container. A pid from another scope identifies
 * no process here.
 */
export function pidSpace(): string {
  const boot = tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')) ?? hostname();
  const namespace = tryRead(() => readlinkSync('/proc/self/ns/pid')) ?? '';
  return createHash('sha256').update(`${boot}${namespace}`).digest('hex').slice(0, 12);
}

function ps(pid: number, format: string): string {
  const { stdout } = spawnSync('ps', ['-ww', '-o', format, '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  });
  return (stdout ?? '').trim();
}

function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

interface ToolResult {
  ok: boolean;
  output: string;
}

/**
 * The environment and directory of PostgreSQL's programs. Not our own environment: it contains secrets, which /proc would show
 * to the account, and PG* variables for other clients. Not our own directory: the account may be unable to enter it.
 */
export function surroundings(account: Account | undefined) {
  const env: NodeJS.ProcessEnv = { LC_ALL: 'C' };
  for (const name of ['PATH', 'TZ', 'SystemRoot', 'TEMP', 'TMP']) {
    if (process.env[name] !== undefined) env[name] = process.env[name];
  }
  return { env, cwd: process.platform === 'win32' ? undefined : '/', windowsHide: true, ...account };
}

/** Runs a program to its end. Never rejects: a failed start is returned as output. */
export function runTool(
  file: string,
  args: string[],
  account: Account | undefined,
  input = '',
): Promise<ToolResult> {
  return new Promise((resolve) => {
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    try {
      const child = spawn(file, args, { ...surroundings(account), stdio: 'pipe' });
      child.stdout.on('data', collect);
      child.stderr.on('data', collect);
      child.on('error', (error) => resolve({ ok: false, output: error.message }));
      child.on('close', (code) => resolve({ ok: code === 0, output }));
      child.stdin.on('error', () => {}); // the program ended without reading all of its input; its exit code has the reason
      child.stdin.end(input);
    } catch (error) {
      // Node throws some start failures (EACCES among them on certain versions) and emits others.
      resolve({ ok: false, output: String(error) });
    }
  });
}
