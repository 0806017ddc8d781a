import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPool, isDatabaseUnavailable, type Pool, query } from '../../src/db/sql.ts';
import { type Load, startLoad } from '../crash/load.ts';
import { configureMail } from '../crash/messages.ts';
import { startTestApp, type TestApp, type TestAppOptions, waitUntil } from '../harness/app.ts';
import { type SmtpSimulator, startSmtpSimulator } from '../simulators/smtp.ts';
import { auditFailover } from './audit.ts';
import { type DatabasePair, makeTemplate, startDatabasePair } from './database-pair.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** The service loses its primary under load. All sends are emails, which no server recognises when they come twice. */
let template: string;
let pair: DatabasePair;
let proxy: TcpProxy;
let pool: Pool;
let apps: TestApp[];
let mailServer: SmtpSimulator;
let load: Load;

beforeAll(async () => {
  template = await makeTemplate();
});
afterAll(() => rmSync(template, { recursive: true, force: true }));

beforeEach(async () => {
  apps = [];
  pair = await startDatabasePair(template);
  proxy = await startTcpProxy(pair.primary.target);
  pool = createPool(pair.urlAt(proxy.port), 2);
  mailServer = await startSmtpSimulator();
  mailServer.script.message = () => new Promise((resolve) => setTimeout(resolve, 30, null));
}, 120_000);
afterEach(async () => {
  try {
    await Promise.all(apps.map((app) => app.stop()));
    await pool.end();
    await mailServer.stop();
    await proxy.stop();
  } finally {
    await pair.stop(); // the servers are processes of their own and would outlive a failed test
  }
}, 120_000);

/** A third of the real times, so that a silent server costs the test 5 s and not 15. */
const databaseTimes = { deadlineMs: 5_000, pingEveryMs: 3_000, answerWithinMs: 2_000, drainMs: 1_000 };

async function start(options: Partial<TestAppOptions> & { url?: string }): Promise<TestApp> {
  const { url = pair.urlAt(proxy.port), ...others } = options;
  const app = await startTestApp({
    database: { url, pool, drop: async () => {} },
    ...{ databaseTimes, ...others },
  });
  apps.push(app);
  return app;
}

/** Processes with these roles under load, the first of which gets the requests. */
async function startUnderLoad(roles: string[], url?: string): Promise<void> {
  for (const role of roles) await start({ settings: { CARILLON_ROLES: role }, ...(url ? { url } : {}) });
  await configureMail(urlOf(0), mailServer.port);
  load = startLoad(urlOf(0), 'message', message, 10);
  await arrive(30);
}

const bothRoles = 'api,worker';

const urlOf = (index: number): string => apps[index]?.url ?? '';

const message = (number: number) => ({
  apiKey: 'crl_live_0123456789abcdefghijABCDEFGHIJ',
  body: {
    channel: 'email',
    recipient: { address: 'ada@example.com' },
    subject: `Message ${number}`,
    text_body: 'It rings.',
    priority: number % 5 === 0 ? 'critical' : 'normal',
  },
});

async function sendLetter(number: number): Promise<number> {
  const { apiKey, body } = message(number);
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const sent = { method: 'POST', headers, body: JSON.stringify(body) };
  return (await fetch(`${urlOf(0)}/v1/notifications`, sent)).status;
}

/** A busy machine may take this long for what takes a few seconds. */
const eventually = <Value>(probe: () => Promise<Value | Error>, withinMs = 60_000) =>
  waitUntil(probe, withinMs);

/** Waits until this many more messages have arrived. */
async function arrive(count: number, withinMs?: number): Promise<void> {
  const goal = mailServer.received.length + count;
  await eventually(
    async () =>
      mailServer.received.length >= goal || new Error(`${mailServer.received.length} of ${goal} messages`),
    withinMs,
  );
}

/** Waits until every process reports that it is ready, or why it is not. */
async function readiness(expected: RegExp): Promise<void> {
  for (const { url } of apps) {
    await eventually(async () => {
      const response = await fetch(`${url}/readyz`);
      const text = `${response.status} ${await response.text()}`;
      return expected.test(text) || new Error(text);
    });
  }
}

/** Each process hears the others. */
async function listens(): Promise<void> {
  for (const [index, app] of apps.entries()) {
    let rings = 0;
    app.deps.doorbell.on(`test:${index}`, () => {
      rings += 1;
    });
    await eventually(async () => {
      for (const other of apps) if (other !== app) other.deps.doorbell.ring(`test:${index}`);
      return rings > 0 || new Error('no ring');
    });
  }
}

/** What must hold after every failover, from the moment at which the new primary can be reached. */
async function expectNothingLost(primary = pair.standby): Promise<void> {
  await arrive(30, 30_000); // the promise, and several times what it takes
  await readiness(/^200/);
  await listens();
  await load.stop();
  expect(load.surprises).toEqual([]);

  expect(await auditFailover(primary, load.acknowledged, mailServer.received)).toEqual({
    lost: [],
    unsent: [],
    miscounted: [],
  });
}

const timeout = 240_000;

test('the primary is killed and its standby promoted', { timeout }, async () => {
  await startUnderLoad(['api', 'worker'], pair.urlOfBoth);
  await pair.primary.kill();
  await readiness(/^503.*database (cannot be reached|is read-only)/);

  const lines: string[] = [];
  const late = start({ url: pair.standby.url, progress: (line) => lines.push(line) });
  await eventually(async () => lines.length > 0 || new Error('nothing is said'));
  proxy.redirect(pair.standby.target); // for the questions of the test
  await pair.standby.promote();
  await expectNothingLost();
  await late;
  expect(lines).toEqual([
    'The database is a standby or read-only. Waiting until it is promoted or a primary is found.',
  ]);
});

test('the primary becomes a standby, and its sessions are kept', { timeout }, async () => {
  await startUnderLoad([bothRoles, bothRoles]);
  await pair.primary.shutDown();
  await pair.standby.promote();
  await pair.primary.startAsStandby();
  await readiness(/^503.*database is read-only/);
  proxy.redirect(pair.standby.target); // connections to the former primary stay open
  await expectNothingLost();
});

test('the primary falls silent with its sessions open', { timeout }, async () => {
  await startUnderLoad([bothRoles, bothRoles]);
  proxy.blackhole();
  await readiness(/^503.*database does not respond/);
  await pair.standby.promote();
  proxy.redirect(pair.standby.target);
  await expectNothingLost();
});

test('connections that were given up while commits wait for a lost standby do not add up', {
  timeout,
}, async () => {
  const size = 3;
  const writer = createPool(pair.primary.url, size, {}, { deadlineMs: 300, connectWithinMs: 600 });
  const write = () =>
    query(writer, `insert into encryption_keys (id) values (gen_random_uuid()) returning id`).then(
      () => true,
      (error: Error) => error,
    );
  const writeAll = async () => {
    for (const end of await Promise.all(Array.from({ length: size }, write)))
      expect(end).toSatisfy(isDatabaseUnavailable);
  };
  const waiting = async (): Promise<number> => {
    const commits = await pair.primary.ask(`select from pg_stat_activity where wait_event = 'SyncRep'`);
    return commits.length;
  };
  try {
    await eventually(write);
    await pair.standby.kill();
    await eventually(async () => {
      await writeAll();
      const count = await waiting();
      return count >= size || new Error(`${count} commits wait`);
    });
    for (let times = 0; times < 3; times += 1) await writeAll();
    expect(await waiting()).toBeLessThan(2 * size);

    await pair.standby.startAsStandby();
    await eventually(write);
    expect(await waiting()).toBe(0);
  } finally {
    await writer.end();
  }
});

test('the standby that commits wait for is lost, and returns', { timeout }, async () => {
  await startUnderLoad(['api', 'worker', bothRoles]);
  await pair.standby.kill();
  await readiness(/^503.*database (has not finished a write|does not respond)/);
  await pair.standby.startAsStandby();
  await expectNothingLost(pair.primary);

  // When it is lost again, the processes can stop nevertheless, also those that hold a connection to the mail server.
  mailServer.script.message = () => new Promise((resolve) => setTimeout(resolve, 300, null));
  const sends = Array.from({ length: 50 }, (_, number) => sendLetter(number));
  expect(await Promise.all(sends)).toEqual(sends.map(() => 202));
  await pair.standby.kill();
  await eventually(async () => {
    const waiting = await pair.primary.ask(`select from pg_stat_activity where wait_event = 'SyncRep'`);
    return waiting.length > 0 || new Error('no commit waits');
  });
  await Promise.all(apps.splice(0).map((app) => app.stop()));
});
