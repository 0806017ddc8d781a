import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool, type Pool } from '../../src/db/sql.ts';
import { startTestApp, type TestApp, waitUntil } from '../harness/app.ts';
import { type DatabasePair, makeTemplate, startDatabasePair } from './database-pair.ts';

/** Lists come from a standby, whose replay the tests stop. */
let template: string;
let pair: DatabasePair;
let pool: Pool;
let app: TestApp;
const apps: TestApp[] = [];
let reader: string;

const times = { measureEveryMs: 100, maxLagMs: 600_000 };
const start = async (databaseTimes: { measureEveryMs: number; maxLagMs: number }): Promise<TestApp> => {
  const started = await startTestApp({
    database: { url: pair.primary.url, pool, drop: async () => {} },
    settings: { CARILLON_DATABASE_READ_URL: pair.standby.url, CARILLON_ROLES: 'api' },
    databaseTimes,
  });
  apps.push(started);
  return started;
};

beforeAll(async () => {
  template = await makeTemplate();
  pair = await startDatabasePair(template);
  // The loss of the standby must not stop writes.
  await pair.primary.ask(`alter system set synchronous_standby_names = ''`);
  await pair.primary.ask('select pg_reload_conf()');
  pool = createPool(pair.primary.url, 2);
  app = await start(times);
  reader = await createReader();
}, 60_000);
afterAll(async () => {
  try {
    await Promise.all(apps.map((each) => each.stop()));
    await pool.end();
  } finally {
    await pair.stop(); // the servers are processes of their own and would outlive a failed test
    rmSync(template, { recursive: true, force: true });
  }
}, 60_000);

/** A key that does not share the bucket of the writing one: such a pair would both read from the primary. */
async function createReader(): Promise<string> {
  const { body: writer } = await app.request('GET', '/v1/me');
  for (;;) {
    const body = { name: 'reader', preset: 'read_only' };
    const { body: created } = await app.request('POST', '/v1/api-keys', { body });
    if (created.id.slice(-3) !== writer.key_id.slice(-3)) return created.key;
  }
}

const send = async (): Promise<string> => {
  const { status, body } = await app.request('POST', '/v1/notifications', {
    body: { channel: 'email', recipient: { address: 'ada@example.com' }, subject: 'Hi', text_body: 'Hi' },
  });
  expect(status).toBe(202);
  return body.id;
};
const idsOf = async (of: TestApp, key?: string): Promise<string[]> => {
  const { status, body } = await of.request('GET', '/v1/notifications', { ...(key ? { key } : {}) });
  expect(status).toBe(200);
  return body.data.map(({ id }: { id: string }) => id);
};
const count = async (of: TestApp, server: string, reason: string): Promise<number> => {
  const { values } = await of.deps.metrics.listReads.get();
  return values.find(({ labels }) => labels.server === server && labels.reason === reason)?.value ?? 0;
};
/** Asks as the reader until the replica has answered. */
const untilReplicaAnswers = async (of: TestApp): Promise<void> => {
  const before = await count(of, 'replica', 'current');
  await waitUntil(async () => {
    await idsOf(of, reader);
    return (await count(of, 'replica', 'current')) > before || new Error('the primary answered');
  });
};

test('a caller sees its own writes at once, through every process, while others may see an older list', async () => {
  const other = await start(times);
  await untilReplicaAnswers(app);
  await untilReplicaAnswers(other);
  await pair.standby.ask('select pg_wal_replay_pause()');
  const id = await send();
  expect(await idsOf(app)).toContain(id);
  expect(await count(app, 'primary', 'own_write')).toBeGreaterThan(0);
  await waitUntil(
    async () => (await idsOf(other)).includes(id) || new Error('the other process does not know'),
  );

  const before = await count(app, 'replica', 'current');
  expect(await idsOf(app, reader)).not.toContain(id);
  expect(await count(app, 'replica', 'current')).toBe(before + 1);
  expect((await app.request('GET', `/v1/notifications/${id}`, { key: reader })).status).toBe(200);
  expect((await app.request('GET', '/v1/overview', { key: reader })).status).toBe(200);
  expect(await count(app, 'replica', 'current')).toBe(before + 2);
  await waitUntil(async () => {
    const [lag] = (await app.deps.metrics.replicaLag.get()).values;
    return (lag?.value ?? 0) > 0.5 || new Error(`the lag is ${lag?.value}`);
  });

  await pair.standby.ask('select pg_wal_replay_resume()');
  await waitUntil(async () => (await idsOf(app, reader)).includes(id) || new Error('the replica lacks it'));
});

test('a replica that is too far behind is not used', async () => {
  const strict = await start({ ...times, maxLagMs: 0 });
  await pair.standby.ask('select pg_wal_replay_pause()');
  const id = await send();
  expect(await idsOf(strict, reader)).toContain(id);
  expect(await count(strict, 'primary', 'replica_behind')).toBeGreaterThan(0);
  await pair.standby.ask('select pg_wal_replay_resume()');
});

test('lists are answered after the loss of the replica, and the process stays ready', async () => {
  await untilReplicaAnswers(app);
  await pair.standby.kill();
  const id = await send();
  expect(await idsOf(app, reader)).toContain(id);
  expect((await app.request('GET', '/v1/overview', { key: reader })).status).toBe(200);
  expect((await app.request('GET', '/readyz', { key: null })).status).toBe(200);
  await pair.standby.startAsStandby();
  await untilReplicaAnswers(app);
});
