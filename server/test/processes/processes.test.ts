import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { query } from '../../src/db/sql.ts';
import { buildService } from '../crash/service-process.ts';
import { waitUntil } from '../harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { isAlive, type Supervised, startSupervised, testKey } from './supervised.ts';

const waitMs = 60_000;
const email = JSON.stringify({
  channel: 'email',
  recipient: { address: 'delivered@sandbox.test' },
  subject: 'Hello',
  text_body: 'Hello.',
});

beforeAll(() => buildService(), 120_000);

/** Sends on a connection of its own, unless an agent keeps one open. */
async function send(service: Supervised, agent?: Agent): Promise<string> {
  const dispatcher = agent ?? new Agent();
  try {
    const response = await request(`${service.url}/v1/notifications`, {
      dispatcher,
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: email,
    });
    const { id } = (await response.body.json()) as { id: string };
    expect(response.statusCode).toBe(202);
    return id;
  } finally {
    if (!agent) await dispatcher.close();
  }
}

/** The value of a metric without labels, or the sum over its labels. */
async function metric(service: Supervised, name: string): Promise<number> {
  const agent = new Agent();
  const response = await request(`${service.url}/metrics`, { dispatcher: agent });
  const text = await response.body.text();
  await agent.close();
  expect(response.statusCode).toBe(200);
  const values = text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return values.reduce((sum, line) => sum + Number(line.split(' ').pop()), 0);
}

/** The ids of the PostgreSQL servers whose data is in the folder of the service. */
function servers({ folder }: Supervised): number[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(`postgres -D ${folder}`))
    .map((line) => Number.parseInt(line, 10));
}

/** Waits until this many processes, none of them in the list, serve the port. */
function replaced(service: Supervised, old: number[], count: number): Promise<boolean> {
  return waitUntil(async () => {
    const isDone = service.alive().length === count && !service.alive().some((pid) => old.includes(pid));
    return isDone || new Error(`alive: ${service.alive()}, old: ${old}\n${service.output()}`);
  }, waitMs);
}

describe('a service of two processes', { timeout: 90_000 }, () => {
  let database: TestDatabase;
  let service: Supervised;
  const acknowledged: string[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await startSupervised({ DATABASE_URL: database.url });
    await service.whenRunning();
  }, 90_000);
  afterAll(async () => {
    await service?.cleanUp();
    await database?.drop();
  });

  /** Every acknowledged notification was delivered, and is in the sandbox once. */
  function allDelivered(): Promise<boolean> {
    return waitUntil(async () => {
      const rows = await query<{ id: string; status: string; kept: number }>(
        database.pool,
        `select id, status, (select count(*)::int from sandbox_messages s where s.notification_id = n.id) as kept
         from notifications n where id = any ($1::uuid[])`,
        [acknowledged],
      );
      const delivered = rows.filter(({ status, kept }) => status === 'delivered' && kept === 1);
      return delivered.length === acknowledged.length || new Error(JSON.stringify(rows));
    }, waitMs);
  }

  test('prints its banner once, and names the process in each line of its one log', () => {
    expect(service.output().match(/Carillon is running at/g)).toHaveLength(1);
    expect(new Set(service.pids()).size).toBe(2);
    expect(service.alive()).toHaveLength(2);
  });

  test('sums counters at one endpoint', async () => {
    for (let sent = 0; sent < 10; sent += 1) acknowledged.push(await send(service));
    for (let scrape = 0; scrape < 4; scrape += 1) {
      expect(await metric(service, 'carillon_notifications_accepted_total')).toBe(10);
      expect(await metric(service, 'carillon_processes')).toBe(2);
    }
    await allDelivered();
  });

  test('loses nothing when one process is killed, replaces it, and counts on', async () => {
    const old = service.alive();
    const victim = old[0] ?? 0;
    for (let sent = 0; sent < 20; sent += 1) acknowledged.push(await send(service));
    const counted = await metric(service, 'carillon_notifications_accepted_total');
    expect(counted).toBe(acknowledged.length);
    process.kill(victim, 'SIGKILL');
    await waitUntil(
      async () => (service.alive().length === 2 && !isAlive(victim)) || new Error(service.output()),
      waitMs,
    );
    expect(await metric(service, 'carillon_notifications_accepted_total')).toBe(counted);
    await allDelivered();
  });

  test('restarts one process at a time on SIGHUP without dropping a request', async () => {
    const old = service.alive();
    const kept = new Agent({ connections: 1, pipelining: 1 });
    let isDone = false;
    const trickle = async (agent?: Agent): Promise<void> => {
      while (!isDone) acknowledged.push(await send(service, agent));
    };
    const trickles = Promise.all([trickle(), trickle(kept)]);
    trickles.catch(() => {}); // awaited below
    service.supervisor.kill('SIGHUP');
    await Promise.race([replaced(service, old, 2), trickles]);
    isDone = true;
    await trickles;
    await kept.close();
    expect(await metric(service, 'carillon_notifications_accepted_total')).toBe(acknowledged.length);
    await allDelivered();
  });

  test('keeps its processes when a new one does not start', async () => {
    const old = service.alive();
    const file = join(service.folder, 'carillon.config.json');
    writeFileSync(file, '{"CARILLON_RETENTION_DAYS": "soon"}');
    service.supervisor.kill('SIGHUP');
    await waitUntil(
      async () => service.output().includes('did not start') || new Error(service.output()),
      waitMs,
    );
    rmSync(file);
    expect(service.output()).toContain('CARILLON_RETENTION_DAYS must be a whole number from 7 to 36500');
    expect(service.alive()).toEqual(old);
    acknowledged.push(await send(service));
  });

  test('stops all processes at SIGTERM, and ends with exit code 0', async () => {
    for (let sent = 0; sent < 20; sent += 1) acknowledged.push(await send(service));
    service.supervisor.kill('SIGTERM');
    expect(await service.exitCode()).toBe(0);
    expect(service.alive()).toEqual([]);
    const rows = await query(database.pool, 'select 1 from queue_leased');
    expect(rows).toEqual([]);
  });
});

// The `script` of util-linux runs a command on a terminal.
test.skipIf(process.platform !== 'linux')(
  'on a terminal the banner comes before the log of all processes',
  { timeout: 90_000 },
  async () => {
    const database = await createTestDatabase();
    const service = await startSupervised({ DATABASE_URL: database.url }, (command) => [
      'script',
      ...['--quiet', '--return', '--command', `exec ${command.map((part) => `'${part}'`).join(' ')}`],
      '/dev/null',
    ]);
    try {
      await service.whenRunning();
      const [progress = '', log = ''] = service
        .output()
        .split(/^Carillon is running at [^{]*^curl .*"\}'$/ms);
      expect(progress).not.toContain('"level"');
      expect(log.match(/"msg":"listening"/g)).toHaveLength(2);
      const [, pid] = /"pid":(\d+),"processes":2/.exec(log) ?? [];
      process.kill(Number(pid), 'SIGTERM');
      expect(await service.exitCode()).toBe(0);
    } finally {
      await service.cleanUp();
      await database.drop();
    }
  },
);

describe('with the bundled database', () => {
  let service: Supervised | undefined;
  afterEach(() => service?.cleanUp());

  test('all processes share one database, which is gone after a stop', async () => {
    service = await startSupervised();
    await service.whenRunning();
    const [database] = servers(service);
    expect(servers(service)).toHaveLength(1);
    await send(service);
    await send(service);
    service.supervisor.kill('SIGINT');
    expect(await service.exitCode()).toBe(0);
    expect(service.alive()).toEqual([]);
    expect(isAlive(database ?? 0)).toBe(false);
    expect(readdirSync(join(service.folder, 'data', 'lock'))).toEqual([]);
  }, 90_000);

  test('no process outlives a supervisor that was killed', async () => {
    service = await startSupervised();
    const running = service;
    await running.whenRunning();
    running.supervisor.kill('SIGKILL');
    await waitUntil(
      async () => running.alive().length === 0 || new Error(`alive: ${running.alive()}`),
      waitMs,
    );
    // The database is left for the next start to take over.
    for (const pid of servers(running)) process.kill(pid, 'SIGINT');
    await waitUntil(async () => servers(running).length === 0 || new Error('the database runs'), waitMs);
  }, 90_000);
});

describe('a service that cannot start', () => {
  let blocker: Server;
  beforeAll(() => {
    blocker = createServer();
    return new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => blocker.close(resolve)));

  test('ends with the sentence and the exit code of a single process, printed once', async () => {
    const database = await createTestDatabase();
    const { port } = blocker.address() as { port: number };
    const service = await startSupervised({ DATABASE_URL: database.url, PORT: String(port) });
    expect(await service.exitCode()).toBe(1);
    expect(service.output().match(/Port \d+ on 127\.0\.0\.1 is in use\./g)).toHaveLength(1);
    expect(service.alive()).toEqual([]);
    await service.cleanUp();
    await database.drop();
  }, 60_000);
});
