import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPool, type Pool } from '../../src/db/sql.ts';
import { startTestApp, type TestApp, waitUntil } from '../app.ts';
import { configureMail } from '../crash/letters.ts';
import { type Load, startLoad } from '../crash/load.ts';
import { type SmtpSimulator, startSmtpSimulator } from '../simulators/smtp.ts';
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
  const url = pair.urlAt(proxy.port);
  pool = createPool(url, 2);
  const database = { url, pool, drop: async () => {} };
  for (let count = 0; count < 2; count += 1) apps.push(await startTestApp({ database, databaseTimes }));
  mailServer = await startSmtpSimulator();
  mailServer.script.message = () => new Promise((resolve) => setTimeout(resolve, 30, null));
  await configureMail(urlOf(0), mailServer.port);
  load = startLoad(urlOf(0), 'letter', letter, 10);
  await arrive(30);
}, 60_000);
afterEach(async () => {
  try {
    await Promise.all(apps.map((app) => app.stop()));
    await pool.end();
    await mailServer.stop();
    await proxy.stop();
  } finally {
    await pair.stop(); // the servers are processes of their own and would outlive a failed test
  }
}, 60_000);

/** A third of the real times, so that a silent server costs the test 5 s and not 15. */
const databaseTimes = { deadlineMs: 5_000, pingEveryMs: 3_000, answerWithinMs: 2_000 };

const urlOf = (index: number): string => apps[index]?.url ?? '';

const letter = (number: number) => ({
  apiKey: 'crl_live_0123456789abcdefghijABCDEFGHIJ',
  body: {
    channel: 'email',
    recipient: { address: 'ada@example.com' },
    subject: `Letter ${number}`,
    text_body: 'It rings.',
    priority: number % 5 === 0 ? 'critical' : 'normal',
  },
});

/** Waits until this many more letters have arrived. */
function arrive(count: number, withinMs?: number): Promise<true> {
  const goal = mailServer.received.length + count;
  return waitUntil(
    async () =>
      mailServer.received.length >= goal || new Error(`${mailServer.received.length} of ${goal} letters`),
    withinMs,
  ) as Promise<true>;
}

/** Waits until every process reports that it is ready, or why it is not. */
async function readiness(expected: RegExp): Promise<void> {
  for (const { url } of apps) {
    await waitUntil(async () => {
      const response = await fetch(`${url}/readyz`);
      const text = `${response.status} ${await response.text()}`;
      return expected.test(text) || new Error(text);
    }, 20_000);
  }
}

/** Each process hears the others. */
async function listens(): Promise<void> {
  for (const [index, app] of apps.entries()) {
    let rings = 0;
    app.deps.doorbell.on(`test:${index}`, () => {
      rings += 1;
    });
    await waitUntil(async () => {
      for (const other of apps) if (other !== app) other.deps.doorbell.ring(`test:${index}`);
      return rings > 0 || new Error('no ring');
    });
  }
}

interface Letter {
  id: string;
  status: string;
  last_error: string | null;
  idempotency_key: string;
}

/** What must hold after every failover, from the moment at which the new primary can be reached. */
async function expectNothingLost(): Promise<void> {
  await arrive(30, 30_000);
  await readiness(/^200/);
  await listens();
  await load.stop();
  expect(load.surprises).toEqual([]);

  const letters = await waitUntil(async () => {
    const rows = await pair.standby.ask<Letter>(
      'select id, status, last_error, idempotency_key from notifications',
    );
    const open = rows.filter(({ status }) => status === 'queued' || status === 'sending').length;
    return open === 0 ? rows : new Error(`${open} of ${rows.length} are open`);
  }, 30_000);
  const mailsOf = new Map<string, number>();
  for (const { raw } of mailServer.received) {
    const id = /^Message-ID: <([0-9a-f-]{36})@/im.exec(raw.toString('latin1'))?.[1] ?? 'none';
    mailsOf.set(id, (mailsOf.get(id) ?? 0) + 1);
  }
  const idOf = new Map(letters.map(({ id, idempotency_key }) => [idempotency_key, id]));
  const lost = [...load.acknowledged].filter(([key, id]) => idOf.get(key) !== id);
  expect(lost).toEqual([]);
  expect(letters.filter(({ status }) => status !== 'sent')).toEqual([]);
  expect(letters.filter(({ id }) => mailsOf.get(id) !== 1).map(({ id }) => [id, mailsOf.get(id)])).toEqual(
    [],
  );
  expect(mailsOf.size).toBe(letters.length);
}

const timeout = 90_000;

test('the primary is killed and its standby promoted', { timeout }, async () => {
  await pair.primary.kill();
  await readiness(/^503.*database cannot be reached/);
  await pair.standby.promote();
  proxy.redirect(pair.standby.target);
  await expectNothingLost();
});

test('the primary becomes a standby, and its sessions are kept', { timeout }, async () => {
  await pair.primary.shutDown();
  await pair.standby.promote();
  await pair.primary.startAsStandby();
  await readiness(/^503.*database is read-only/);
  proxy.redirect(pair.standby.target); // connections to the former primary stay open
  await expectNothingLost();
});

test('the primary falls silent with its sessions open', { timeout }, async () => {
  proxy.blackhole();
  await readiness(/^503.*database does not respond/);
  await pair.standby.promote();
  proxy.redirect(pair.standby.target);
  await expectNothingLost();
});
