import { createServer, type Socket } from 'node:net';

/**
 * A receiver that costs as little as possible, in a process of its own: it answers 204 to whatever is posted, except below
 * /hang, where it says nothing. Told to `count`, it waits for so many calls and tells when the first and the last of them
 * came, without those of the warm-up.
 */
export interface Counted {
  perSecond: number;
  connections: number;
}

const answer = Buffer.from('HTTP/1.1 204 No Content\r\n\r\n');
let wanted = Number.POSITIVE_INFINITY;
let warmUp = 0;
let seen = 0;
let began = 0;
let connections = 0;

function count(): void {
  seen += 1;
  if (seen === warmUp) began = performance.now();
  if (seen !== wanted) return;
  const seconds = (performance.now() - began) / 1000;
  process.send?.({ perSecond: (wanted - warmUp) / seconds, connections } satisfies Counted);
}

function serve(socket: Socket): void {
  connections += 1;
  let received = '';
  socket.setNoDelay(true);
  socket.setEncoding('latin1');
  socket.on('error', () => {});
  socket.on('data', (text: string) => {
    received = received === '' ? text : received + text;
    for (;;) {
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd === -1) return;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? 0);
      const end = headEnd + 4 + length;
      if (received.length < end) return;
      const hangs = received.startsWith('POST /hang');
      received = received.slice(end);
      if (hangs) continue;
      count();
      socket.write(answer);
    }
  });
}

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`);
});
process.on('message', (order: { count: number; warmUp: number }) => {
  wanted = order.count;
  warmUp = order.warmUp;
  seen = 0;
  connections = 0;
});
process.once('disconnect', () => process.exit(0));
