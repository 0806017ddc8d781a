// How long `npm start` takes in a fresh clone, with an empty npm cache, until the service is ready and until its dashboard is there.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../server/test/crash/service-process.ts';
import { createReport } from './harness/report.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const withinMs = 300_000;
const execute = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

interface Account {
  uid?: number;
  gid?: number;
}

const report = createReport('fresh-start');
const registry = (await execute('npm', ['config', 'get', 'registry'], { cwd: root })).stdout.trim();
const nobody = { uid: 65_534, gid: 65_534 };
const accounts: Record<string, Account> =
  process.getuid?.() === 0 ? { root: {}, 'an ordinary user': nobody } : { 'this user': {} };
const ready: number[] = [];
const dashboard: number[] = [];
for (const [name, account] of Object.entries(accounts)) {
  const took: Seconds[] = [];
  for (let round = 1; round <= rounds; round += 1) took.push(await startFresh(account));
  const figures = (key: keyof Seconds) => took.map((seconds) => seconds[key]);
  report.rounds(`packages installed, as ${name}`, figures('installed'), 's');
  ready.push(report.rounds(`ready, as ${name}`, figures('ready'), 's'));
  dashboard.push(report.rounds(`the dashboard, as ${name}`, figures('dashboard'), 's'));
}
report.goal('\nthe dashboard is there, s', Math.max(...dashboard), { op: '<=', figure: 40 });
report.close(Math.max(...ready), { op: '<=', figure: 16 });

/** All of them since the clone began. */
interface Seconds {
  installed: number;
  ready: number;
  dashboard: number;
}

async function startFresh(account: Account): Promise<Seconds> {
  const scratch = mkdtempSync(join(tmpdir(), 'carillon-fresh-'));
  chmodSync(scratch, 0o755); // the account that root runs PostgreSQL under must be able to pass through
  const [clone, home] = [join(scratch, 'clone'), join(scratch, 'home')];
  let service: ChildProcess | null = null;
  try {
    mkdirSync(home);
    const began = performance.now();
    const elapsed = () => (performance.now() - began) / 1000;
    await execute('git', ['clone', '--quiet', root, clone]);
    if (account.uid !== undefined) await execute('chown', ['-R', `${account.uid}:${account.gid}`, scratch]);
    const port = await freePort();
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      PORT: String(port),
      npm_config_registry: registry,
      ...(process.env.NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS }),
    };
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    const started = spawn('npm', ['start'], { cwd: clone, env, stdio, detached: true, ...account });
    service = started;
    let output = '';
    for (const stream of [started.stdout, started.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    const until = async (isTrue: () => boolean | Promise<boolean>): Promise<number> => {
      while (!(await isTrue())) {
        if (started.exitCode !== null || elapsed() * 1000 > withinMs) throw new Error(output);
        await delay(50);
      }
      return elapsed();
    };
    const url = `http://127.0.0.1:${port}`;
    const installed = await until(() => output.includes('installed in'));
    const ready = await until(() => isOk(`${url}/readyz`));
    const [command] = /^curl (?:.*\\\n)*.*$/m.exec(output) ?? [];
    const { stdout } = await execute('sh', ['-c', command ?? '']);
    if (JSON.parse(stdout).status !== 'queued') throw new Error(stdout);
    const dashboard = await until(
      async () => (await isOk(`${url}/`)) && (await isOk(`${url}/widgets/inbox.js`)),
    );
    return { installed, ready, dashboard };
  } finally {
    await end(service);
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Fails when a process of the start is left. */
async function end(service: ChildProcess | null): Promise<void> {
  if (!service?.pid) return;
  const group = String(service.pid);
  process.kill(-service.pid, 'SIGTERM');
  const left = () => readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && runsIn(group, pid));
  for (const deadline = Date.now() + 20_000; left().length > 0; await delay(100))
    if (Date.now() > deadline) throw new Error(`processes were left: ${left().join(', ')}`);
}

function runsIn(group: string, pid: string): boolean {
  try {
    const [state, , groupOfPid] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return groupOfPid === group && state !== 'Z';
  } catch {
    return false; // it has gone meanwhile
  }
}

function isOk(url: string): Promise<boolean> {
  return fetch(url).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );
}
