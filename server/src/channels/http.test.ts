import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { localhostCertificate, localhostKey } from '../../test/simulators/localhost-certificate.ts';
import { startWebhookSink, type WebhookSink } from '../../test/simulators/webhook-sink.ts';
import { createOutbound, type Outbound, parseRetryAfter } from './http.ts';
import { parseTarget } from './net.ts';

let outbound: Outbound;
let sink: WebhookSink;
beforeAll(async () => {
  outbound = createOutbound({ policy: 'loopback' });
  sink = await startWebhookSink();
});
afterAll(async () => {
  await outbound.stop();
  await sink.stop();
});
afterEach(() => {
  sink.reply = () => 204;
  sink.received.length = 0;
});

const post = (url: string, more: object = {}) =>
  outbound.request({ method: 'POST', url, body: '{}', timeoutMs: 2_000, maxBytes: 1_024, ...more });

describe('a call that is broken off', () => {
  test('fails at once, and says whether it was on its way', async () => {
    sink.reply = () => () => {}; // never
    const stopping = new AbortController();
    const calling = post(sink.url(), { signal: stopping.signal, timeoutMs: 60_000 });
    while (sink.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stopping.abort();
    expect(await calling).toMatchObject({ kind: 'failure', failure: 'stopped', reached: true });
    expect(await post(sink.url(), { signal: AbortSignal.abort() })).toMatchObject({
      failure: 'stopped',
      reached: false,
    });
    expect(sink.received).toHaveLength(1);
    sink.dropAll();
  });
});

describe('an answer', () => {
  test('comes with its status, headers and the beginning of its body', async () => {
    sink.reply = () => ({ status: 201, headers: { 'X-Thing': 'a' }, body: 'x'.repeat(5_000) });
    const answer = await post(sink.url('/path?q=1'), { headers: { 'x-mine': 'b' }, maxBytes: 10 });
    expect(answer).toMatchObject({ kind: 'answer', status: 201, headers: { 'x-thing': 'a' } });
    expect(answer.body.toString()).toBe('x'.repeat(10));
    expect(sink.received[0]).toMatchObject({ path: '/path?q=1', text: '{}', headers: { 'x-mine': 'b' } });
  });

  test('leaves the connection open for the next call', async () => {
    await post(sink.url());
    const before = sink.connections();
    for (let count = 0; count < 20; count += 1) await post(sink.url());
    expect(sink.connections()).toBe(before);
  });

  test('that sends the caller elsewhere is taken as it is', async () => {
    sink.reply = ({ path }) =>
      path === '/' ? { status: 302, headers: { location: 'http://169.254.169.254/' } } : 204;
    expect(await post(sink.url())).toMatchObject({ kind: 'answer', status: 302 });
    expect(sink.received).toHaveLength(1);
  });

  test('of a gigabyte is cut off, and still an answer', async () => {
    let written = 0;
    sink.reply = () => (response) => {
      response.writeHead(200, { 'content-length': String(1e9) });
      const chunk = Buffer.alloc(65_536, 'x');
      const pour = (): void => {
        while (written < 1e9 && !response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) {
            response.once('drain', pour);
            return;
          }
        }
      };
      pour();
    };
    const answer = await post(sink.url());
    expect(answer).toMatchObject({ kind: 'answer', status: 200 });
    expect(answer.body).toHaveLength(1_024);
    expect(written).toBeLessThan(50_000_000);
  });

  test('after informational ones is the one that counts', async () => {
    sink.reply = () => (response) => {
      response.writeProcessing();
      response.writeHead(200).end('done');
    };
    expect(await post(sink.url())).toMatchObject({ kind: 'answer', status: 200 });
  });

  test.each([
    ['plain', {}],
    ['TLS', { tls: { key: localhostKey, cert: localhostCertificate } }],
  ])(
    'after a "100 Continue" that nobody asked for is the one that counts, and the connection stays (%s)',
    async (_name, options) => {
      const eager = await startWebhookSink(options);
      const trusting = createOutbound({ policy: 'loopback', ca: localhostCertificate });
      eager.reply = () => (response) => {
        response.writeContinue();
        response.writeContinue();
        response.writeHead(200).end('done');
      };
      const call = { method: 'POST', url: eager.url(), body: '{}', timeoutMs: 2_000, maxBytes: 10 } as const;
      for (let count = 0; count < 5; count += 1) {
        const answer = await trusting.request(call);
        expect(answer).toMatchObject({ kind: 'answer', status: 200 });
        expect(answer.body.toString()).toBe('done');
      }
      expect(eager.connections()).toBeLessThan(3); // one may not be free yet when the next call comes
      await trusting.stop();
      await eager.stop();
    },
  );

  test('is the same in however many pieces it comes, and its body may speak of HTTP', async () => {
    const body = 'HTTP/1.1 100 Continue\r\n\r\nHTTP';
    const answer = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`;
    for (const pieces of [
      [`HTTP/1.1 100 Continue\r\n\r\n${answer}${body}`],
      ['HTTP/1.1 100 Continue\r\nX-Note: soon\r\n\r\n', answer, body],
      [...`HTTP/1.1 100\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${answer}`, ...body],
      [answer, body],
      [...answer, ...body],
    ]) {
      const server = await rawServer(async (socket) => {
        socket.setNoDelay(true);
        for (const piece of pieces) {
          await new Promise((resolve) => socket.write(piece, resolve));
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      });
      const answered = await post(server.url);
      expect(answered).toMatchObject({ kind: 'answer', status: 200 });
      expect(answered.body.toString()).toBe(body);
      await server.stop();
    }
  });
});

/** Says these bytes to whoever connects and sends something; then hangs up or does not. */
async function rawServer(say: (socket: Socket) => void): Promise<{ url: string; stop(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => say(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

describe('a failure', () => {
  test.each<[string, (socket: Socket) => void, string, number | null]>([
    ['says nothing', () => {}, 'timeout', null],
    ['only asks to go on', (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), 'timeout', null],
    ['hangs up after that', (socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n'), 'closed', null],
    ['never ends that', (socket) => socket.write(`HTTP/1.1 100${'x'.repeat(1e6)}`), 'protocol', null],
    ['hangs up at once', (socket) => socket.destroy(), 'closed', null],
    ['hangs up within the headers', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-'), 'closed', null],
    [
      'hangs up within the body',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc'),
      'closed',
      200,
    ],
    [
      'hangs up within a chunk',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc'),
      'closed',
      200,
    ],
    ['does not speak HTTP', (socket) => socket.end('220 mail.example.com ESMTP\r\n'), 'protocol', null],
    [
      'has garbage for headers',
      (socket) => socket.end('HTTP/1.1 200 OK\r\n\0\x01\x02: \xff\r\n\r\n'),
      'protocol',
      null,
    ],
    [
      'has megabytes of headers',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\n${`a: ${'x'.repeat(1000)}\r\n`.repeat(2000)}\r\n`),
      'protocol',
      null,
    ],
  ])('of a server that %s is said, not thrown', async (_name, say, failure, status) => {
    const server = await rawServer(say);
    const answer = await post(server.url, { timeoutMs: 300 });
    expect(answer).toMatchObject({ kind: 'failure', failure, status, reached: true });
    await server.stop();
  });

  test('of a server that drips comes at the deadline, not a byte at a time', async () => {
    const drips = ['H', 'T', 'T', 'P', '/', '1'];
    const server = await rawServer((socket) => {
      const timer = setInterval(() => socket.write(drips.shift() ?? 'x'), 50);
      socket.on('close', () => clearInterval(timer));
    });
    const startedAt = Date.now();
    expect(await post(server.url, { timeoutMs: 200 })).toMatchObject({ failure: 'timeout' });
    expect(Date.now() - startedAt).toBeLessThan(1_000);
    await server.stop();
  });

  test('of a body that never ends says what came of it', async () => {
    sink.reply = () => (response) => {
      response.writeHead(200);
      response.write('begun');
    };
    const answer = await post(sink.url(), { timeoutMs: 200 });
    expect(answer).toMatchObject({ kind: 'failure', failure: 'timeout', status: 200 });
    expect(answer.body.toString()).toBe('begun');
    sink.dropAll();
  });

  test('before anything was sent says so', async () => {
    const closed = await rawServer(() => {});
    await closed.stop();
    expect(await post(closed.url)).toMatchObject({ failure: 'connect', reached: false });
    expect(await post('http://no-such-host.invalid/')).toMatchObject({ failure: 'dns', reached: false });
  });

  test.each([
    { expect: '100-continue' },
    { 'transfer-encoding': 'chunked' },
    { 'content-length': '5' },
    { 'keep-alive': '5' },
    { 'x-key': 'two\r\nlines' },
    { 'not a name': 'x' },
  ])('of a request that cannot be sent says so: %j', async (headers) => {
    const answer = await post(sink.url(), { headers });
    expect(answer).toMatchObject({ failure: 'invalid', reached: false });
    expect(sink.received).toHaveLength(0);
  });

  test('of a certificate that nobody vouches for ends the call', async () => {
    const secure = await startWebhookSink({ tls: { key: localhostKey, cert: localhostCertificate } });
    for (let count = 0; count < 2; count += 1) {
      expect(await post(secure.url())).toMatchObject({ failure: 'tls', reached: false });
    }
    expect(secure.received).toHaveLength(0);
    const trusting = createOutbound({ policy: 'loopback', ca: localhostCertificate });
    const answer = await trusting.request({
      method: 'POST',
      url: secure.url(),
      timeoutMs: 2_000,
      maxBytes: 10,
    });
    expect(answer).toMatchObject({ kind: 'answer', status: 204 });
    await trusting.stop();
    await secure.stop();
  });
});

describe('addresses that are not public', () => {
  test('are never reached, by whatever name', async () => {
    const strict = createOutbound({ policy: 'none' });
    for (const host of ['127.0.0.1', '[::1]', 'localhost', '0x7f.1', '2130706433', '017700000001']) {
      const url = `http://${host}:${sink.port}/`;
      const answer = await strict.request({ method: 'POST', url, timeoutMs: 2_000, maxBytes: 10 });
      expect([host, answer]).toMatchObject([host, { failure: 'blocked', reached: false }]);
    }
    // Some resolvers know the name with the dot, some do not.
    const dotted = `http://localhost.:${sink.port}/`;
    const answer = await strict.request({ method: 'POST', url: dotted, timeoutMs: 2_000, maxBytes: 10 });
    expect(answer).toMatchObject({ kind: 'failure', reached: false });
    expect(sink.received).toHaveLength(0);
    await strict.stop();
  });

  test('are reached when they are allowed, also by name', async () => {
    const answer = await post(`http://localhost:${sink.port}/`);
    expect(answer).toMatchObject({ kind: 'answer', status: 204 });
    expect(await post('http://10.0.0.1/')).toMatchObject({ failure: 'blocked' });
  });
});

test('stopping breaks off what is under way', async () => {
  const own = createOutbound({ policy: 'loopback' });
  sink.reply = () => () => {};
  const call = own.request({ method: 'POST', url: sink.url(), timeoutMs: 30_000, maxBytes: 10 });
  while (sink.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await own.stop();
  expect(await call).toMatchObject({ kind: 'failure', reached: true });
});

test.each([
  ['120', 120_000],
  ['0', 0],
  ['Fri, 06 Mar 2026 10:00:30 GMT', 30_000],
  ['Fri, 06 Mar 2026 09:00:00 GMT', null],
  ['99999999', 24 * 3_600_000],
  ['soon', null],
  ['-5', null],
  [undefined, null],
  [['1', '2'], null],
])('Retry-After %j means %s ms', (header, ms) => {
  expect(parseRetryAfter(header, Date.parse('2026-03-06T10:00:00Z'))).toBe(ms);
});

test('a target is a URL that can be called at all', () => {
  expect(parseTarget('https://example.com/a?b#c', 'none')).toMatchObject({ url: expect.any(URL) });
  expect(parseTarget('http://8.8.8.8', 'none')).toMatchObject({ url: expect.any(URL) });
  expect(parseTarget('http://127.0.0.1', 'loopback')).toMatchObject({ url: expect.any(URL) });
  expect(parseTarget('http://10.0.0.1', 'all')).toMatchObject({ url: expect.any(URL) });
});
