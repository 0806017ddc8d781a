import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../crash/service-process.ts';
import { waitUntil } from '../harness/app.ts';

const program = process.env.CARILLON_TEST_PGBOUNCER ?? 'pgbouncer';

/** Why PgBouncer cannot be tested here; null when it can. */
export function whyNoPgBouncer(): string | null {
  try {
    const text = execFileSync(program, ['--version'], { encoding: 'utf8', stdio: 'pipe' });
    const [, major = 0, minor = 0] = /PgBouncer (\d+)\.(\d+)/.exec(text) ?? [];
    const isNew = Number(major) > 1 || Number(minor) >= 21;
    return isNew ? null : `PgBouncer ${major}.${minor} has no prepared statements in transaction mode`;
  } catch {
    return `there is no PgBouncer: install version 1.21 or newer, or set CARILLON_TEST_PGBOUNCER to its path`;
  }
}

export interface PgBouncer {
  /** The URL of the same database through the pooler. */
  url(database: string): string;
  stop(): Promise<void>;
}

/** A pooler with two connections to the server, so that all sessions share them. */
export async function startPgBouncer(serverUrl: string, mode: 'transaction' | 'session'): Promise<PgBouncer> {
  const { username, password, port: serverPort, searchParams } = new URL(serverUrl);
  const socketFolder = searchParams.get('host') ?? '';
  // It refuses to run as root, and the socket can be used by its owner alone.
  const { uid, gid } = statSync(socketFolder);
  const folder = mkdtempSync(path.join(tmpdir(), 'carillon-pgbouncer-'));
  const port = await freePort();
  const file = path.join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    [
      '[databases]',
      `* = host=${socketFolder} port=${serverPort} user=${username} password=${password}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1`,
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      `pool_mode = ${mode}`,
      `default_pool_size = ${mode === 'transaction' ? 2 : 40}`,
      'max_prepared_statements = 600',
      '',
    ].join('\n'),
  );
  chmodSync(folder, 0o700);
  for (const each of [folder, file]) chownSync(each, uid, gid);
  const child: ChildProcess = spawn(program, [file], { uid, gid, stdio: 'ignore' });
  const ended = once(child, 'exit');
  await waitUntil(
    () =>
      new Promise<true | Error>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => resolve(true));
        socket.on('error', resolve).on('connect', () => socket.destroy());
      }),
  );
  return {
    url: (database) => `postgres://${username}:${password}@127.0.0.1:${port}/${database}`,
    async stop() {
      child.kill('SIGQUIT'); // at once, with all connections
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
