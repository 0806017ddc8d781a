import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { answerHalfOpen } from './sockets.ts';
import {
  createEventStreams,
  type EventStream,
  type EventStreams,
  eventFrame,
  type StreamListener,
} from './sse.ts';

/** The same rules with a quicker clock. */
const times = { heartbeatMs: 60, stalledMs: 150, lingerMs: 100, sweepMs: 10 };

let app: FastifyInstance | undefined;
let streams: EventStreams;
let open = 0;
let port = 0;
const sockets: Socket[] = [];

async function serve(
  start: (stream: EventStream) => Partial<StreamListener>,
  { lifeMs = 60_000, before = async (_reply: FastifyReply): Promise<void> => {} } = {},
): Promise<void> {
  const server = fastify({ serverFactory: (handler) => answerHalfOpen(createServer(handler)) });
  app = server;
  streams = createEventStreams({ set: (count) => (open = count) }, times, { all: 3, perEnvironment: 2 });
  server.addHook('preClose', () => streams.stop());
  server.get('/', async (request, reply) => {
    await before(reply);
    streams.serve(request, reply, {
      environmentId: String(request.headers.environment ?? 'one'),
      endsAtMs: Date.now() + lifeMs,
      start: (stream) => ({ onDrain: () => {}, onClose: () => {}, ...start(stream) }),
    });
  });
  await server.listen();
  port = (server.server.address() as AddressInfo).port;
}

async function request(environment = 'one'): Promise<Socket> {
  const socket = connect(port);
  sockets.push(socket);
  socket.on('error', () => {});
  socket.setEncoding('utf8').write(`GET / HTTP/1.1\r\nHost: x\r\nEnvironment: ${environment}\r\n\r\n`);
  return socket;
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await app?.close();
  app = undefined;
});

async function readUntil(socket: Socket, wanted: RegExp): Promise<string> {
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (wanted.test(text)) return text;
  }
  throw new Error(`ended after ${JSON.stringify(text)}`);
}

test('an environment has a share of the streams, and gets it back when they close', async () => {
  await serve(() => ({}));
  const [first] = [await request(), await request()];
  for (const socket of sockets) await readUntil(socket, /200 OK/);
  expect(await readUntil(await request(), /\r\n\r\n/)).toMatch(/ 500 |already has 2 open streams/);
  await readUntil(await request('two'), /200 OK/);
  first?.destroy();
  for (const end = Date.now() + 5_000; open > 2 && Date.now() < end; ) await new Promise(setImmediate);
  await readUntil(await request(), /200 OK/);
});

test('a frame is one event, whatever is in it', () => {
  expect(eventFrame(7, 'note', { text: 'a\r\ndata: b\n\nid: 9' })).toBe(
    'id: 7\nevent: note\ndata: {"text":"a\\r\\ndata: b\\n\\nid: 9"}\n\n',
  );
});

test('a quiet stream is heard from regularly, a busy one only by what it says', async () => {
  await serve(() => ({}));
  expect(await readUntil(await request(), /\n:\n\n[\s\S]*\n:\n\n/)).toContain('retry: 2000\n\n');
});

test('a stream ends when its time has come', async () => {
  let closed = 0;
  await serve(() => ({ onClose: () => (closed += 1) }), { lifeMs: 50 });
  expect(await readUntil(await request(), /\r\n0\r\n\r\n$/)).toContain('text/event-stream');
  await vanished();
  expect(closed).toBe(1);
});

test('a stream that has ended leaves its connection as it was', async () => {
  const there: Socket[] = [];
  await serve(() => ({}), { lifeMs: 50, before: async ({ request }) => void there.push(request.raw.socket) });
  const socket = await request();
  await readUntil(socket, /\r\n0\r\n\r\n$/);
  await vanished();
  const listeners = there[0]?.listenerCount('end');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await readUntil(socket, /\r\n0\r\n\r\n$/);
  await vanished();
  expect(there[1]).toBe(there[0]);
  expect(there[1]?.listenerCount('end')).toBe(listeners);
});

/** Writes as much as is taken, whenever something is. */
function flood(stream: EventStream): Partial<StreamListener> {
  const write = (): void => {
    while (stream.send('x'.repeat(65_536))) {}
  };
  write();
  return { onDrain: write };
}

test('a reader that does not read is cut off', async () => {
  let stream: EventStream | undefined;
  await serve((opened) => {
    stream = opened;
    return flood(opened);
  });
  await once(await request(), 'readable'); // and takes nothing
  await vanished();
  expect(stream?.stalled).toBe(true);
});

test('a reader that catches up is written to again', async () => {
  let drained = 0;
  await serve((stream) => {
    while (stream.send('x'.repeat(65_536))) {}
    return {
      onDrain: () => {
        drained += 1;
        if (drained === 1) stream.send('caught up\n\n');
      },
    };
  });
  expect(await readUntil(await request(), /caught up/)).toContain('x');
});

test('closing ends every stream, also those of readers that linger, and takes no new ones', async () => {
  await serve(flood);
  const lingering = await request();
  await once(lingering, 'readable');
  expect(open).toBe(1);
  await streams.stop();
  expect(open).toBe(0);
  expect(await readUntil(await request(), /\r\n\r\n/)).toContain('HTTP/1.1 503');
});

test.each<[how: string, leave: (reader: Socket) => unknown, left: (reply: FastifyReply) => Promise<unknown>]>(
  [
    ['hung up', (reader) => reader.resetAndDestroy(), ({ raw }) => once(raw, 'close')],
    ['closed its half', (reader) => reader.end(), ({ request: { raw } }) => once(raw.socket, 'end')],
  ],
)('a reader that %s before its stream began is not waited for', async (_how, leave, left) => {
  let begun = 0;
  let served = (): void => {};
  const isServed = new Promise<void>((resolve) => (served = resolve));
  await serve(
    () => {
      begun += 1;
      return {};
    },
    {
      before: async (reply) => {
        for (const reader of sockets) leave(reader);
        await left(reply);
        setImmediate(served); // after what follows this
      },
    },
  );
  await request();
  await isServed;
  expect([begun, open]).toEqual([0, 0]);
});

async function vanished(): Promise<void> {
  for (const deadline = Date.now() + 5_000; open > 0; ) {
    if (Date.now() > deadline) throw new Error('the stream is still open');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
