import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  createNotificationService,
  type WriteOptions,
} from '../../src/features/notifications/notifications/index.ts';
import { wakeRunsOf } from '../../src/features/workflows/runs/index.ts';
import { allRoutes } from '../../src/routes.ts';
import { startTcpProxy, type TcpProxy, targetOf } from '../failover/tcp-proxy.ts';
import { startTestApp, type TestApp, type TestAppOptions, waitUntil } from '../harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

/** What callers and operators see of a database that is slow, read-only or gone. */
let database: TestDatabase;
let proxy: TcpProxy;
let app: TestApp;
beforeEach(async () => {
  database = await createTestDatabase();
  proxy = await startTcpProxy(targetOf(database.url));
});
afterEach(async () => {
  await proxy.stop();
  await app.stop();
  await database.drop();
});

async function start(options: Partial<TestAppOptions>): Promise<void> {
  const url = new URL(database.url);
  url.searchParams.delete('host');
  url.host = `127.0.0.1:${proxy.port}`;
  app = await startTestApp({ database: { ...database, url: url.toString() }, ...options });
}

const body = {
  channel: 'email',
  recipient: { address: 'ada@example.com' },
  subject: 'Hello',
  text_body: 'It rings.',
};
const send = () => app.request('POST', '/v1/notifications', { body });

/** Is refused while the queue is full, and writes nothing otherwise. */
const sendNothing = () => app.request('POST', '/v1/notifications/batch', { body: { notifications: [{}] } });

const tryAgain = {
  status: 503,
  body: { error: { type: 'api_error', code: 'temporarily_unavailable' } },
};

test('a server that turned read-only is answered with 503 and Retry-After, and left as soon as another can be found', async () => {
  await start({ settings: { CARILLON_ROLES: 'api' } });
  const name = new URL(database.url).pathname.slice(1);
  await database.pool.query(`alter database ${name} set default_transaction_read_only = on`);
  proxy.cut();
  const refused = await waitUntil(async () => {
    const answer = await send();
    return answer.body.error?.message.includes('database') ? answer : new Error('not yet');
  });
  expect(refused).toMatchObject(tryAgain);
  expect(refused.headers.get('retry-after')).toBe('1');
  await waitUntil(async () => {
    const { body: ready } = await app.request('GET', '/readyz', { key: null });
    return /read-only/.test(ready.error?.message) || new Error(JSON.stringify(ready));
  });
  // The sessions stay read-only; those made from now on are not.
  await database.pool.query(`alter database ${name} reset default_transaction_read_only`);
  await waitUntil(async () => (await send()).status === 202 || new Error('still refused'));
});

test('a statement that takes too long is answered with 503 and Retry-After', async () => {
  await start({ databaseTimes: { deadlineMs: 1_000 } });
  const blocker = await database.pool.connect();
  await blocker.query('begin');
  await blocker.query('lock table notifications in access exclusive mode');
  const refused = await send();
  expect(refused).toMatchObject(tryAgain);
  expect(refused.headers.get('retry-after')).toBe('1');
  await blocker.query('commit');
  blocker.release();
  expect(await send()).toMatchObject({ status: 202 });
});

test('a process whose database stays silent gives up, once, and says so to its supervisor', async () => {
  const lost: number[] = [];
  await start({
    onDatabaseLost: (silentMs) => lost.push(silentMs),
    databaseTimes: {
      ...{ deadlineMs: 500, connectWithinMs: 500, pingEveryMs: 50, answerWithinMs: 200 },
      ...{ dropAfterMs: 300, giveUpAfterMs: 1_000 },
    },
  });
  expect(await app.request('GET', '/healthz', { key: null })).toMatchObject({ status: 200 });
  proxy.blackhole();
  await waitUntil(async () => lost.length > 0 || new Error('not yet'));
  expect(await app.request('GET', '/healthz', { key: null })).toMatchObject({ status: 503 });
  expect(lost).toHaveLength(1);
});

/** An app whose writes wait until they are released. */
async function startHeld(maxWaiting: NonNullable<WriteOptions['maxWaiting']>) {
  const subjects: (string | null)[] = [];
  let underWay = 0;
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const write: WriteOptions['write'] = async (acceptances) => {
    underWay += 1;
    await held;
    subjects.push(...acceptances.map(({ content }) => content.subject));
    return acceptances.map(() => true);
  };
  await start({
    settings: { CARILLON_ROLES: 'api' },
    routes: (services, options) =>
      allRoutes(
        {
          ...services,
          notifications: createNotificationService(services, wakeRunsOf, {
            ...{ write, maxWaiting },
            batching: { concurrency: 1, maxItems: 1 },
          }),
        },
        options,
      ),
  });
  const first = send();
  await waitUntil(async () => underWay === 1 || new Error('not written yet'));
  return { first, subjects, release };
}

test('beyond a bounded number of waiting writes a request is answered with 503 and Retry-After, as is a batch', async () => {
  const { first, release } = await startHeld({ items: 2, weight: 1_000_000 });
  const waiting = [send(), send()];
  const more = send();
  const refused = await Promise.race([...waiting, more]);
  expect(refused).toMatchObject(tryAgain);
  expect(refused.headers.get('retry-after')).toBe('1');
  const batch = await app.request('POST', '/v1/notifications/batch', { body: { notifications: [body] } });
  expect(batch).toMatchObject(tryAgain);
  release();
  const answers = await Promise.all([first, ...waiting, more]);
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 202, 503]);
});

test('a request whose caller has gone before it was written is not written', async () => {
  const { first, subjects, release } = await startHeld({ items: 1, weight: 1_000_000 });
  const json = JSON.stringify({ ...body, subject: 'Abandoned' });
  const accepted = once(app.app.http.server, 'connection');
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  const [serverSocket] = (await accepted) as [Socket];
  socket.write(
    `POST /v1/notifications HTTP/1.1\r\nhost: carillon\r\nauthorization: Bearer ${app.testKey}\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`,
  );
  await waitUntil(async () => (await sendNothing()).status === 503 || new Error('the queue has room'));
  const now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + 1_001);
  try {
    socket.end();
    await waitUntil(async () => serverSocket.readableEnded || new Error('the connection is open'));
    release();
    await first;
    expect(await send()).toMatchObject({ status: 202 });
  } finally {
    clock.mockRestore();
    socket.destroy();
  }
  expect(subjects).toEqual(['Hello', 'Hello']);
});
