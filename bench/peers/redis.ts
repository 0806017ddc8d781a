import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const { canInstallPackages, installPackages } = await import(
  new URL('../../scripts/debian.mjs', import.meta.url).href
);

const servers = ['valkey-server', 'redis-server'];

interface RedisProgram {
  path: string;
  /** For people: "Redis 7.0.15". */
  title: string;
}

/** Valkey or Redis, installed where that is allowed; null when there is neither. */
export async function ensureRedis(): Promise<RedisProgram | null> {
  const found = findRedis();
  if (found || !canInstallPackages()) return found;
  console.log('installing Redis for the benchmark (apt-get, once)…');
  for (const server of servers) if (await installPackages(server)) break;
  return findRedis();
}

function findRedis(): RedisProgram | null {
  for (const path of servers) {
    try {
      const said = execFileSync(path, ['--version'], { encoding: 'utf8', stdio: 'pipe' });
      const version = /v=(\S+)/.exec(said)?.[1] ?? '';
      return { path, title: `${path === 'redis-server' ? 'Redis' : 'Valkey'} ${version}` };
    } catch {}
  }
  return null;
}

/** When a write is on disk: before it is answered, or within a second. */
export type AppendFsync = 'always' | 'everysec';

/** An empty server that appends every write to a file, on a socket like that of the bundled PostgreSQL. */
export async function startRedis(program: RedisProgram, appendfsync: AppendFsync) {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-redis-'));
  const socket = join(folder, 'socket');
  const settings = {
    port: '0',
    unixsocket: socket,
    dir: folder,
    save: '',
    appendonly: 'yes',
    appendfsync,
    'maxmemory-policy': 'noeviction', // BullMQ requires it
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(program.path, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = () => child.kill();
  process.once('exit', kill);
  const gone = once(child, 'exit');
  const ready = new Promise<void>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      if (/ready to accept connections/i.test(line)) resolve();
    });
  });
  await Promise.race([
    ready,
    gone.then(() => {
      throw new Error(`${program.title} did not start`);
    }),
  ]);
  return {
    socket,
    async stop(): Promise<void> {
      process.off('exit', kill);
      child.kill();
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
