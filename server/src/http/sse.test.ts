import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import {
  createEventStreams,
  type EventStream,
  type EventStreams,
  eventFrame,
  type StreamListener,
} from './sse.ts';

/** The same rules with a quicker clock. */
const times = { heartbeatMs: 60, stalledMs: 150, lingerMs: 100, sweepMs: 10 };

let app: FastifyInstance;
let streams: EventStreams;
let open = 0;
const sockets: Socket[] = [];

async function serve(
  start: (stream: EventStream) => Partial<StreamListener>,
  lifeMs = 60_000,
): Promise<void> {
  app = fastify();
  streams = createEventStreams({ set: (count) => (open = count) }, times);
  app.addHook('preClose', () => streams.stop());
  app.get('/', (request, reply) => {
    streams.serve(request, reply, {
      endsAtMs: Date.now() + lifeMs,
      start: (stream) => ({ onDrain: () => {}, onClose: () => {}, ...start(stream) }),
    });
  });
  await app.listen();
}

async function request(): Promise<Socket> {
  const socket = connect((app.server.address() as AddressInfo).port);
  sockets.push(socket);
  socket.on('error', () => {});
  socket.setEncoding('utf8').write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return socket;
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await app.close();
});

async function readUntil(socket: Socket, wanted: RegExp): Promise<string> {
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (wanted.test(text)) return text;
  }
  throw new Error(`ended after ${JSON.stringify(text)}`);
}

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
  await serve(() => ({ onClose: () => (closed += 1) }), 50);
  expect(await readUntil(await request(), /\r\n0\r\n\r\n$/)).toContain('text/event-stream');
  await vanished();
  expect(closed).toBe(1);
});

test('a reader that does not read is told of to the writer, and cut off', async () => {
  let accepted = 0;
  let stream: EventStream | undefined;
  await serve((opened) => {
    stream = opened;
    while (opened.send('x'.repeat(65_536))) accepted += 1;
    return {};
  });
  const socket = await request();
  await once(socket, 'readable'); // and takes nothing
  expect(accepted).toBeLessThan(200);
  expect(stream?.stalled).toBe(true);
  await vanished();
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
  await serve((stream) => {
    while (stream.send('x'.repeat(65_536))) {}
    return {};
  });
  const lingering = await request();
  await once(lingering, 'readable');
  expect(open).toBe(1);
  await streams.stop();
  expect(open).toBe(0);
  expect(await readUntil(await request(), /\r\n\r\n/)).toContain('HTTP/1.1 500'); // the product's server makes it a 503
});

async function vanished(): Promise<void> {
  for (const deadline = Date.now() + 5_000; open > 0; ) {
    if (Date.now() > deadline) throw new Error('the stream is still open');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
