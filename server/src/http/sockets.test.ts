import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/harness/app.ts';
import { closeWithin, createSockets, headerTimes } from './sockets.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(settings: Record<string, string> = {}, log: string[] = []): Promise<TestApp> {
  const app = await startTestApp({ settings, logTo: { write: (line) => log.push(line) } });
  closing.push(() => app.stop());
  return app;
}

/** A connection on which a test writes what it likes; `ended` is all that came, once the other side has hung up. */
function dial(url: string) {
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1');
  let heard = '';
  const waiting = new Set<() => void>();
  socket.setEncoding('utf8').on('data', (text: string) => {
    heard += text;
    for (const look of waiting) look();
  });
  socket.on('error', () => {});
  const ended = new Promise<string>((resolve) => socket.on('close', () => resolve(heard)));
  closing.push(async () => socket.destroy());
  return {
    socket,
    ended,
    write: (text: string) => socket.write(text),
    until: (part: string) =>
      new Promise<void>((resolve) => {
        const look = (): void => {
          if (heard.includes(part)) resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));

describe('what cannot be read as a request', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ settings: { CARILLON_ROLES: 'api' } });
  });
  afterAll(() => app.stop());

  test.each([
    ['is no HTTP', 'hello\r\n\r\n', 400, 'invalid_json', 'not valid HTTP'],
    [
      'has an unknown method',
      'FOO /v1/me HTTP/1.1\r\nHost: x\r\n\r\n',
      405,
      'method_not_allowed',
      'this HTTP method',
    ],
    ['has no Host', 'GET /v1/me HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'invalid_json', 'no Host'],
    [
      'has more headers than fit',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      413,
      'payload_too_large',
      'headers',
    ],
  ])('because it %s is refused in our words', async (_name, text, status, code, words) => {
    const line = dial(app.url);
    line.write(text);
    const answer = await line.ended;
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/^x-request-id: [\w-]{36}\r$/im);
    expect(bodyOf(answer).error).toMatchObject({ code, message: expect.stringContaining(words) });
  });

  test('with an expectation that nobody knows is answered without regard to it', async () => {
    const line = dial(app.url);
    line.write('GET /v1/me HTTP/1.1\r\nHost: x\r\nExpect: 200-maybe\r\nConnection: close\r\n\r\n');
    expect(bodyOf(await line.ended).error.code).toBe('missing_credentials');
  });

  /** A server that waits for nobody. */
  function hurried(): FastifyInstance {
    const sockets = createSockets(50);
    const limits = { requestTimeout: 100, headersTimeout: 100, connectionsCheckingInterval: 20 };
    const server = fastify({
      clientErrorHandler: sockets.refuse,
      serverFactory: (handler, options) => createServer({ ...(options as object), ...limits }, handler),
    });
    closing.push(() => server.close());
    sockets.watch(server);
    server.addHook('onRequest', async ({ raw }) => sockets.begin(raw));
    server.addHook('onSend', async ({ raw }) => sockets.answer(raw));
    return server;
  }

  test('any more, but was answered already, gets no second answer', async () => {
    const server = hurried();
    server.post('/', { onRequest: async (_request, reply) => reply.code(401).send('no') }, async () => 'yes');
    const line = dial(await server.listen({ port: 0, host: '127.0.0.1' }));
    line.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{');
    expect((await line.ended).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 401']);
  });

  test('completely, but its headers byte by byte, is hung up on within 30 s', async () => {
    const { headersTimeout, connectionsCheckingInterval } = headerTimes;
    expect(headersTimeout + connectionsCheckingInterval).toBeLessThan(30_000);
    const app = await start({ CARILLON_ROLES: 'api' });
    expect(app.app.http.server.headersTimeout).toBe(headersTimeout);

    const line = dial(await hurried().listen({ port: 0, host: '127.0.0.1' }));
    line.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    const trickle = setInterval(() => line.socket.writable && line.write('x'), 10);
    try {
      expect(await line.ended).toMatch(/^HTTP\/1.1 (400|408) /);
    } finally {
      clearInterval(trickle);
    }
  });

  test('in time is refused, and hung up on even if the other side never does', async () => {
    const server = hurried();
    const url = await server.listen({ port: 0, host: '127.0.0.1' });
    const accepted = once(server.server, 'connection');
    const quiet = connect({ host: '127.0.0.1', port: Number(new URL(url).port), allowHalfOpen: true });
    closing.push(async () => quiet.destroy());
    const [there] = (await accepted) as [Socket];
    const [answer] = await once(quiet.setEncoding('utf8'), 'data');
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    await once(there, 'close');
  });
});

test('whoever has nothing more to ask and says so is answered', async () => {
  const app = await start({ CARILLON_ROLES: 'api' });
  const line = dial(app.url);
  const ask = (path: string) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.testKey}\r\n\r\n`;
  line.socket.end(ask('/v1/me') + ask('/v1/nothing'));
  expect((await line.ended).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404']);
});

test('whoever hangs up in the middle of a body is no outage', async () => {
  const log: string[] = [];
  const app = await start({ CARILLON_ROLES: 'api', LOG_LEVEL: 'warn' }, log);
  const accepted = once(app.app.http.server, 'connection');
  const line = dial(app.url);
  line.write(
    `POST /v1/notifications HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.testKey}\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{`,
  );
  const [there] = (await accepted) as [Socket];
  await app.request('GET', '/v1/me'); // by then the other one waits for the rest of its body, too
  line.socket.destroy();
  await once(there, 'close');
  expect(log.map((text) => JSON.parse(text)).filter(({ level }) => level >= 40)).toEqual([]);
});

describe('a service that stops', () => {
  const post = (app: TestApp, body: string) =>
    `POST /v1/notifications HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.testKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`;
  const email = JSON.stringify({
    channel: 'email',
    recipient: { address: 'delivered@sandbox.test' },
    subject: 'Hello',
    text_body: 'Hi',
  });

  test('answers what is under way, says that it closes the connection, and waits no longer for it', async () => {
    const app = await start();
    const line = dial(app.url);
    line.write(post(app, email));
    await line.until('100 Continue');
    const stopped = app.stop();
    closing.splice(0);
    line.write(email);
    const answer = await line.ended;
    expect(answer).toMatch(/^HTTP\/1.1 202 /m);
    expect(answer).toMatch(/^connection: close\r$/im);
    await stopped;
  });

  test('answers the next request of an idle connection, and says there that it closes', async () => {
    const app = await startTestApp({ settings: { CARILLON_ROLES: 'api' }, leaveMs: 20_000 });
    const line = dial(app.url);
    const get = `GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.testKey}\r\n\r\n`;
    line.write(get);
    await line.until('"scopes"');
    const stopped = app.stop();
    line.write(get);
    const [, first, second] = (await line.ended).split('HTTP/1.1 200 OK');
    expect(first).not.toMatch(/^connection: close\r$/im);
    expect(second).toMatch(/^connection: close\r$/im);
    await stopped; // the last connection has left: nothing waits until the deadline
  });

  test('does not wait for ever', async () => {
    const app: FastifyInstance = fastify();
    app.get('/', () => new Promise(() => {}));
    const asked = new Promise((resolve) => app.addHook('onRequest', async () => resolve(true)));
    const line = dial(await app.listen({ port: 0, host: '127.0.0.1' }));
    line.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await asked;
    await closeWithin(app, 50);
    expect(await line.ended).toBe('');
  });
});
