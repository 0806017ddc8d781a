import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, waitUntil } from '../../../test/harness/app.ts';
import { openStream, type TestStream } from '../../../test/harness/event-stream.ts';
import { tidyInbox } from './events-store.ts';
import { mintToken } from './token.ts';

let app: TestApp;
let second: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  second = await startTestApp({ database: app.database, settings: { CARILLON_ROLES: 'api' } });
});
afterAll(async () => {
  for (const stream of opened) stream.close();
  await second.stop();
  await app.stop();
});

let users = 0;
const newUser = (): string => `reader-${++users}`;
const opened: TestStream[] = [];

async function tokenFor(user: string, options: object = {}): Promise<string> {
  const body = { external_user_id: user, ...options };
  return (await app.request('POST', '/v1/inbox/tokens', { body })).body.token;
}

async function send(user: string, html = '<p>Hi</p>'): Promise<string> {
  const { body } = await app.request('POST', '/v1/notifications', {
    body: { channel: 'in_app', recipient: { external_user_id: user }, html_body: html },
  });
  return body.id;
}

/** Several at once, in one transaction or few. */
async function sendMany(user: string, count: number, html = '<p>Hi</p>'): Promise<string[]> {
  const one = { channel: 'in_app', recipient: { external_user_id: user }, html_body: html };
  const { body } = await app.request('POST', '/v1/notifications/batch', {
    body: { notifications: Array.from({ length: count }, () => one) },
  });
  return body.data.map(({ notification }: { notification: { id: string } }) => notification.id);
}

async function open(token: string, { from = app, lastId = null as string | null } = {}): Promise<TestStream> {
  const stream = await openStream(`${from.url}/inbox/v1/stream`, {
    authorization: `Bearer ${token}`,
    ...(lastId === null ? {} : { 'last-event-id': lastId }),
  });
  opened.push(stream);
  return stream;
}

const post = (token: string, path: string, body?: unknown) =>
  app.request('POST', `/inbox/v1${path}`, { key: token, body });
const idsOf = (stream: TestStream): string[] =>
  stream.events.filter(({ event }) => event === 'notification.arrived').map(({ data }) => data.id);

describe('a stream', () => {
  test('is not buffered, not cached, and readable from any page', async () => {
    const stream = await open(await tokenFor(newUser()));
    expect(stream.response.status).toBe(200);
    const headers = Object.fromEntries(stream.response.headers);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'access-control-allow-origin': '*',
    });
    expect(headers['x-request-id']).toBeTruthy();
    expect(headers['content-encoding']).toBe(undefined);
  });

  test('begins with the count, and with a place to come back to', async () => {
    const stream = await open(await tokenFor(newUser()));
    const [first] = await stream.waitFor('unread_count.changed');
    expect(first).toEqual({
      id: expect.stringMatching(/^\d+-count$/),
      event: 'unread_count.changed',
      data: { unread_count: 0 },
    });
  });

  test('tells what arrives, with the item, and then the count', async () => {
    const user = newUser();
    const token = await tokenFor(user);
    const stream = await open(token);
    await stream.waitFor('unread_count.changed');
    const id = await send(user);
    const [arrived] = await stream.waitFor('notification.arrived');
    const { body: item } = await app.request('GET', `/inbox/v1/notifications/${id}`, { key: token });
    expect(arrived?.data).toEqual(item);
    expect((await stream.waitFor('unread_count.changed', 2))[1]?.data).toEqual({ unread_count: 1 });
    const ids = stream.events.map((event) => event.id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('tells what was done elsewhere: read, unread, archived, deleted', async () => {
    const user = newUser();
    const token = await tokenFor(user);
    const [here, there] = [await open(token), await open(token, { from: second })];
    for (const stream of [here, there]) await stream.waitFor('unread_count.changed');
    const id = await send(user);
    for (const stream of [here, there]) await stream.waitFor('notification.arrived');
    const read = await post(token, `/notifications/${id}/read`);
    for (const stream of [here, there]) {
      const [event] = await stream.waitFor('notification.read');
      expect(event?.data).toEqual({ id, read_at: read.body.read_at });
      expect((await stream.waitFor('unread_count.changed', 3))[2]?.data).toEqual({ unread_count: 0 });
    }
    await post(token, `/notifications/${id}/unread`);
    await post(token, `/notifications/${id}/archive`);
    await app.request('DELETE', `/v1/notifications/${id}`);
    for (const stream of [here, there]) {
      for (const type of ['unread', 'archived', 'deleted'])
        expect((await stream.waitFor(`notification.${type}`))[0]?.data).toEqual({ id });
      const numbers = stream.events
        .filter(({ event }) => event.startsWith('notification.'))
        .map((e) => Number(e.id));
      expect(numbers).toEqual(numbers.map((_number, index) => (numbers[0] ?? 0) + index));
    }
  });

  test('tells of a few items marked read one by one, and of many by a reset', async () => {
    const user = newUser();
    const token = await tokenFor(user);
    const stream = await open(token);
    await stream.waitFor('unread_count.changed');
    const few = await sendMany(user, 3);
    await stream.waitFor('notification.arrived', 3);
    await post(token, '/notifications/mark-all-read');
    const read = await stream.waitFor('notification.read', 3);
    expect(new Set(read.map(({ data }) => data.id))).toEqual(new Set(few));
    await sendMany(user, 101);
    await stream.waitFor('notification.arrived', 104);
    await post(token, '/notifications/mark-all-read');
    expect((await stream.waitFor('reset'))[0]?.data).toEqual({ unread_count: 0 });
    expect(stream.events.filter(({ event }) => event === 'notification.read')).toHaveLength(3);
  });

  test('tells nobody of what is not theirs', async () => {
    const [mine, theirs] = [newUser(), newUser()];
    const stream = await open(await tokenFor(mine));
    const other = await open(await tokenFor(theirs));
    for (const each of [stream, other]) await each.waitFor('unread_count.changed');
    await send(theirs);
    await other.waitFor('notification.arrived');
    const id = await send(mine);
    await stream.waitFor('notification.arrived');
    expect(idsOf(stream)).toEqual([id]);
  });

  test('answers HEAD without staying', async () => {
    const { status } = await fetch(`${app.url}/inbox/v1/stream`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${await tokenFor(newUser())}` },
    });
    expect(status).toBe(200);
  });

  test('is refused when a user has too many', async () => {
    const token = await tokenFor(newUser());
    const streams = await Promise.all(Array.from({ length: 20 }, () => open(token)));
    for (const stream of streams) expect(stream.response.status).toBe(200);
    const { status, headers } = await app.request('GET', '/inbox/v1/stream', { key: token });
    expect([status, headers.get('retry-after')]).toEqual([429, '10']);
    streams[0]?.close();
    await waitUntil(async () => {
      const again = await open(token);
      return again.response.status === 200 ? true : new Error(String(again.response.status));
    });
    for (const stream of streams) stream.close();
  });
});

describe('a reader that comes back', () => {
  test('gets what it missed, once each and in order, wherever it comes back', async () => {
    const user = newUser();
    const token = await tokenFor(user);
    const first = await open(token);
    await first.waitFor('unread_count.changed');
    const seen = await sendMany(user, 3);
    await first.waitFor('notification.arrived', 3);
    first.close();
    const missed = await sendMany(user, 70); // more than one look fetches
    await waitUntil(async () => {
      const { body } = await app.request('GET', '/inbox/v1/unread-count', { key: token });
      return body.unread_count === 73 ? true : new Error(String(body.unread_count));
    });
    const back = await open(token, { from: second, lastId: first.lastId() });
    await back.waitFor('notification.arrived', 70);
    const later = await send(user);
    await back.waitFor('notification.arrived', 71);
    const all = [...idsOf(first), ...idsOf(back)];
    expect(all).toHaveLength(74);
    expect(new Set(all)).toEqual(new Set([...seen, ...missed, later]));
    expect(back.events.some(({ event }) => event === 'reset')).toBe(false);
    const counts = back.events.filter(({ event }) => event === 'unread_count.changed');
    expect(counts.at(-1)?.data).toEqual({ unread_count: 74 });
  });

  test('having seen no event yet misses nothing either', async () => {
    const user = newUser();
    const token = await tokenFor(user);
    const first = await open(token);
    await first.waitFor('unread_count.changed');
    first.close();
    const id = await send(user);
    await app.waitFor(id, ({ status }) => status === 'delivered');
    const back = await open(token, { lastId: first.lastId() });
    await back.waitFor('notification.arrived');
    expect(idsOf(back)).toEqual([id]);
  });

  test('may say where it was in the query', async () => {
    const user = newUser();
    const token = await tokenFor(user);
    const first = await open(token);
    await first.waitFor('unread_count.changed');
    first.close();
    const id = await send(user);
    const back = await openStream(`${app.url}/inbox/v1/stream?last_event_id=${first.lastId()}`, {
      authorization: `Bearer ${token}`,
    });
    opened.push(back);
    await back.waitFor('notification.arrived');
    expect(idsOf(back)).toEqual([id]);
  });

  test('is told to start over when it was away too long, or was never here', async () => {
    const user = newUser();
    const token = await tokenFor(user);
    const first = await open(token);
    await first.waitFor('unread_count.changed');
    first.close();
    const ids = [await send(user), await send(user)];
    for (const id of ids) await app.waitFor(id, ({ status }) => status === 'delivered');
    await tidyInbox({ pool: app.pool, clock: () => Date.now() + 3_600_000 + 1_000 }, () => false);
    for (const lastId of [first.lastId(), '0', '1', '999999999999999', 'abc', '-1', 'x'.repeat(90)]) {
      const back = await open(token, { lastId });
      expect((await back.waitFor('reset'))[0]?.data).toEqual({ unread_count: 2 });
      expect(idsOf(back)).toEqual([]);
      back.close();
      // From the place that the reset gave, it goes on as if nothing had been.
      const again = await open(token, { lastId: back.lastId() });
      expect((await again.waitFor('unread_count.changed'))[0]?.data).toEqual({ unread_count: 2 });
      expect(again.events.some(({ event }) => event === 'reset')).toBe(false);
      again.close();
    }
  });

  test('is told to start over when its user was erased and began anew', async () => {
    const user = newUser();
    const token = await tokenFor(user);
    const open1 = await open(token);
    await open1.waitFor('unread_count.changed');
    await send(user);
    await open1.waitFor('notification.arrived');
    const away = open1.lastId();
    await app.request('DELETE', `/v1/users/${user}`);
    await open1.waitFor('reset'); // also who stayed
    const fresh = await sendMany(user, 3);
    await open1.waitFor('notification.arrived', 4);
    const back = await open(token, { lastId: away });
    expect((await back.waitFor('reset'))[0]?.data).toEqual({ unread_count: fresh.length });
  });
});

describe('tickets', () => {
  test('open one stream, once, whoever asks first', async () => {
    const user = newUser();
    const token = await tokenFor(user);
    const { status, body } = await post(token, '/stream/tickets');
    expect([status, body.expires_in]).toEqual([201, 30]);
    const results = await Promise.all(
      [app, second, app, second].map(({ url }) => openStream(`${url}/inbox/v1/stream?ticket=${body.ticket}`)),
    );
    opened.push(...results);
    expect(results.map(({ response }) => response.status).sort()).toEqual([200, 401, 401, 401]);
    const winner = results.find(({ response }) => response.ok);
    await winner?.waitFor('unread_count.changed');
    const id = await send(user);
    await winner?.waitFor('notification.arrived');
    expect(winner && idsOf(winner)).toEqual([id]);
  });

  test('that are old, unknown or missing open nothing', async () => {
    const { body } = await post(await tokenFor(newUser()), '/stream/tickets');
    await app.pool.query(`update inbox_tickets set expires_at = now() - interval '1 second'`);
    const cases = [
      [`?ticket=${body.ticket}`, 'invalid_credentials'],
      ['?ticket=nonsense', 'invalid_credentials'],
      ['?ticket=a&ticket=b', 'invalid_credentials'],
      ['', 'missing_credentials'],
    ];
    for (const [search, code] of cases) {
      const answer = await app.request('GET', `/inbox/v1/stream${search}`, { key: null });
      expect([search, answer.status, answer.body.error.code]).toEqual([search, 401, code]);
    }
    expect((await app.request('GET', `/inbox/v1/feed?ticket=${body.ticket}`, { key: null })).status).toBe(
      401,
    );
  });
});

/** Asks for a stream and then leaves what comes in the socket. */
async function stall(from: TestApp, token: string): Promise<Socket> {
  const { hostname, port } = new URL(from.url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  socket.write(`GET /inbox/v1/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  return socket;
}

describe('readers that do not read', () => {
  test('make nobody wait, are kept nothing for, and catch up when they read again', async () => {
    const user = newUser();
    const token = await tokenFor(user);
    const ours = new Set<Socket>();
    app.app.http.server.on('connection', (connection: Socket) => ours.add(connection));
    const socket = await stall(app, token);
    const brisk = await open(token);
    await brisk.waitFor('unread_count.changed');
    const html = `<p>${'x'.repeat(250_000)}</p>`;
    const count = 60; // 15 MB, more than sockets hold
    for (let sent = 0; sent < count; sent += 20) await sendMany(user, 20, html);
    await brisk.waitFor('notification.arrived', count);

    const kept = Math.max(...[...ours].map((connection) => connection.writableLength));
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(1_000_000);

    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.resume();
    await waitUntil(async () => {
      const arrived = text.match(/event: notification\.arrived/g)?.length ?? 0;
      return arrived === count ? true : new Error(`${arrived} of ${count}`);
    }, 20_000);
    const ids = [...text.matchAll(/^id: (\d+)\nevent: notification\.arrived/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual(ids.map((_id, index) => (ids[0] ?? 0) + index));
    socket.destroy();
  }, 60_000);

  test('and close half of the connection are gone', async () => {
    const lonely = await startTestApp({ database: app.database, settings: { CARILLON_ROLES: 'api' } });
    const streams = (count: number) =>
      waitUntil(async () => {
        const now = (await lonely.deps.metrics.openStreams.get()).values[0]?.value;
        return now === count ? true : new Error(`${now} streams`);
      });
    const socket = await stall(lonely, await tokenFor(newUser()));
    await streams(1);
    socket.end();
    await streams(0);
    socket.destroy();
    await lonely.stop();
  });
});

describe('the end of a stream', () => {
  test('comes with the end of its token', async () => {
    const rotated = await app.request('POST', `/v1/environments/${app.testEnvironmentId}/inbox-key/rotate`);
    const { token } = await mintToken(
      rotated.body.signing_key,
      { environmentId: app.testEnvironmentId, externalUserId: newUser(), scope: 'inbox', ttlSeconds: 60 },
      Date.now() - 58_000, // two seconds are left
    );
    const stream = await open(token);
    expect(stream.response.status).toBe(200);
    await stream.ended;
    expect((await app.request('GET', '/inbox/v1/feed', { key: token })).body.error.code).toBe(
      'expired_credentials',
    );
  });

  test('comes politely when the process stops, and its reader goes on elsewhere', async () => {
    const third = await startTestApp({ database: app.database, settings: { CARILLON_ROLES: 'api' } });
    const user = newUser();
    const token = await tokenFor(user);
    const stream = await open(token, { from: third });
    await stream.waitFor('unread_count.changed');
    const stalled = await stall(third, token);
    const silent = connect({ host: '127.0.0.1', port: Number(new URL(third.url).port) });
    await new Promise((resolve) => silent.once('connect', resolve)); // and never asks for anything
    silent.on('error', () => {});
    const began = Date.now();
    await third.stop();
    await stream.ended;
    expect(Date.now() - began).toBeLessThan(10_000);
    for (const socket of [stalled, silent]) socket.destroy();
    const id = await send(user);
    const back = await open(token, { lastId: stream.lastId() });
    await back.waitFor('notification.arrived');
    expect(idsOf(back)).toEqual([id]);
  });
});
