// How long the service takes until it is ready, and what it and its PostgreSQL weigh when idle.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { buildService, freePort } from '../server/test/crash/service-process.ts';
import { createReport } from './harness/report.ts';
import { nodeFlags } from './harness/service.ts';

const rounds = 3;
/** Ten seconds after its start the service has closed its idle connections, and V8 has given back what the start needed. */
const idleMs = 15_000;
const batches = 20;
const batchSize = 500;
/** V8 collects what a load has left behind bit by bit, half a minute after it. */
const restMs = 75_000;
const bundle = new URL('../server/dist/main.js', import.meta.url).pathname;

if (process.platform !== 'linux') throw new Error('memory is read from /proc, which only Linux has');
const report = createReport('start-and-memory');
await buildService();
const firstMs: number[] = [];
const warmMs: number[] = [];
const processorMs: number[] = [];
const fresh: Weight[] = [];
const worked: Weight[] = [];
for (let round = 1; round <= rounds; round += 1) {
  const dataDir = mkdtempSync(join(tmpdir(), 'carillon-start-'));
  chmodSync(dataDir, 0o711); // the account that root runs PostgreSQL under must be able to pass through
  try {
    for (const tookMs of [firstMs, warmMs]) {
      const service = await start(dataDir);
      tookMs.push(service.tookMs);
      processorMs.push(processorTime(service.process.pid ?? 0));
      await delay(idleMs);
      fresh.push(weigh(service.process.pid ?? 0));
      if (round === rounds && tookMs === warmMs) {
        await work(service.url, dataDir);
        await delay(restMs);
        worked.push(weigh(service.process.pid ?? 0));
      }
      service.process.kill('SIGTERM');
      await once(service.process, 'exit');
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
const first = report.rounds('first start', firstMs, 'ms');
const warm = report.rounds('warm start', warmMs, 'ms');
report.rounds("  Node's processor time in each", processorMs, 'ms');
const idle = reportWeights('idle, PSS of all processes', fresh);
const again = reportWeights(`idle again after ${batches * batchSize} sends`, worked);
report.goal('\nfirst start, s', first / 1000, { op: '<=', figure: 6 });
report.goal('warm start, s', warm / 1000, { op: '<=', figure: 2 });
report.goal('idle again, MB', again, { op: '<=', figure: 150 });
report.close(idle, { op: '<=', figure: 120 });

function reportWeights(what: string, weights: Weight[]): number {
  const of = (part: keyof Weight) => weights.map((weight) => weight[part]);
  const sum = report.rounds(what, of('sum'), 'MB');
  report.rounds('  if no other Node ran here', of('alone'), 'MB');
  report.rounds("  Node's own memory", of('node'), 'MB');
  report.rounds("  PostgreSQL's own memory", of('postgres'), 'MB');
  report.rounds('  shared memory of PostgreSQL', of('buffers'), 'MB');
  report.rounds('  program files', of('files'), 'MB');
  return sum;
}

/** As `npm start` does: the bundle with nothing set but where to listen and where to keep things. */
async function start(dataDir: string): Promise<{ process: ChildProcess; url: string; tookMs: number }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const child = spawn(process.execPath, [...nodeFlags, bundle], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: String(port),
      CARILLON_PROCESSES: '1',
      CARILLON_DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  while (child.exitCode === null) {
    const ready = await fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return { process: child, url, tookMs: performance.now() - began };
    await delay(10);
  }
  throw new Error(`it ended with exit code ${child.exitCode}`);
}

/** Sends a few thousand notifications through the sandbox, until none is left. */
async function work(url: string, dataDir: string): Promise<void> {
  const { test_key } = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'));
  const headers = { authorization: `Bearer ${test_key}`, 'content-type': 'application/json' };
  const email = {
    channel: 'email',
    recipient: { address: 'delivered@sandbox.test' },
    subject: 'Your order has been shipped',
    html_body: `<p>${'The parcel left our warehouse this morning. '.repeat(20)}</p>`,
  };
  const body = JSON.stringify({ notifications: Array(batchSize).fill(email) });
  for (let batch = 0; batch < batches; batch += 1) {
    const response = await fetch(`${url}/v1/notifications/batch`, { method: 'POST', headers, body });
    await response.text();
    if (!response.ok) throw new Error(`a batch was answered with ${response.status}`);
  }
  for (;;) {
    const response = await fetch(`${url}/v1/notifications?status=queued&limit=1`, { headers });
    const { data } = (await response.json()) as { data: unknown[] };
    if (data.length === 0) return;
    await delay(200);
  }
}

/** What a start takes when the machine has nothing else to do; the clock also shows what others were doing. */
function processorTime(pid: number): number {
  const fields = readProc(`${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10; // in hundredths of a second
}

/** Megabytes. */
interface Weight {
  /** The proportional set size: what several processes share is divided among them, also with those of others. */
  sum: number;
  /** The same, with the program of Node counted in full. */
  alone: number;
  node: number;
  postgres: number;
  /** As far as processes that run now have used it. */
  buffers: number;
  files: number;
}

/** Weighs a process and everything below it; what several of them share is counted once. */
function weigh(root: number): Weight {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => [Number(pid), parentOf(pid)]),
  );
  const family = new Set([root]);
  for (let before = 0; before < family.size; ) {
    before = family.size;
    for (const [pid, parent] of parents) if (family.has(parent)) family.add(pid);
  }
  const weight: Weight = { sum: 0, alone: 0, node: 0, postgres: 0, buffers: 0, files: 0 };
  for (const pid of family) {
    for (const { file, pss, rss, isShared } of mappings(readProc(`${pid}/smaps`))) {
      weight.sum += pss;
      weight.alone += file === process.execPath ? rss : pss;
      if (isShared) weight.buffers += pss;
      else if (file.startsWith('/')) weight.files += pss;
      else weight[pid === root ? 'node' : 'postgres'] += pss;
    }
  }
  return weight;
}

/** The parts of a process' memory (proc(5)): a line with its addresses and its file, and figures below it. */
function mappings(smaps: string) {
  return smaps.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m).flatMap((part) => {
    const [, permissions, file] = /^\S+ (\S+) \S+ \S+ \S+ *(.*)$/m.exec(part) ?? [];
    if (permissions === undefined || file === undefined) return [];
    const figure = (name: string): number =>
      (Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(part)?.[1] ?? 0) * 1024) / 1_000_000;
    return [{ file, pss: figure('Pss'), rss: figure('Rss'), isShared: permissions.endsWith('s') }];
  });
}

function parentOf(pid: string): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(readProc(`${pid}/status`))?.[1] ?? 0);
}

/** Empty when the process has gone meanwhile. */
function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return '';
  }
}
