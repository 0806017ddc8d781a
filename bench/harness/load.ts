import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/**
 * A load generator that leaves the processor to what it measures: raw sockets, requests put together once, and of a response
 * only its status and length are read.
 */
export interface Connection {
  /** Calls back with the status of the answer. One request at a time. */
  ask(request: string, answered: (status: number) => void, failed: (error: Error) => void): void;
  /** The same as a promise. */
  send(request: string): Promise<number>;
  close(): void;
}

export async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });

  let received = '';
  let answered: ((status: number) => void) | null = null;
  let failed: ((error: Error) => void) | null = null;
  const fail = (error: Error): void => failed?.(error);

  socket.setEncoding('latin1'); // one character a byte: lengths are lengths
  socket.on('data', (text: string) => {
    received = received === '' ? text : received + text;
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const length = lengthOf(received);
    if (Number.isNaN(length)) return fail(new Error(`an answer without Content-Length: ${received}`));
    if (received.length < headEnd + 4 + length) return;
    const status = Number(received.slice(9, 12));
    received = '';
    answered?.(status);
  });
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed the connection')));

  const connection: Connection = {
    ask(request, whenAnswered, whenFailed) {
      answered = whenAnswered;
      failed = whenFailed;
      socket.write(request, 'latin1');
    },
    send: (request) => new Promise((resolve, reject) => connection.ask(request, resolve, reject)),
    close() {
      failed = null;
      socket.destroy();
    },
  };
  return connection;
}

const lengthHeader = '\r\ncontent-length: ';

/** As our own server writes it. NaN: it is not there. */
function lengthOf(answer: string): number {
  const at = answer.indexOf(lengthHeader);
  return at === -1 ? Number.NaN : Number.parseInt(answer.slice(at + lengthHeader.length, at + 32), 10);
}

function postHead(path: string, key: string, json: string): string {
  return [
    `POST ${path} HTTP/1.1`,
    'Host: bench',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(json)}`,
  ].join('\r\n');
}

/** A POST for operations without an Idempotency-Key; each call gives the same one. */
export function postRequest(path: string, key: string, body: object): () => string {
  const json = JSON.stringify(body);
  const request = `${postHead(path, key, json)}\r\n\r\n${Buffer.from(json).toString('latin1')}`;
  return () => request;
}

/** A POST with everything but its Idempotency-Key put together; each call gives one with a new key. */
export function postRequests(path: string, key: string, body: object): () => string {
  const json = JSON.stringify(body);
  const head = `${postHead(path, key, json)}\r\nIdempotency-Key: ${randomUUID()}-`;
  const tail = `\r\n\r\n${Buffer.from(json).toString('latin1')}`;
  let count = 0;
  return () => {
    count += 1;
    return head + count + tail;
  };
}

export interface Load {
  url: string;
  connections: number;
  nextRequest: () => string;
  expectedStatus: number;
}

/** It ends with whichever comes first. */
export interface Extent {
  durationMs?: number | undefined;
  requests?: number | undefined;
}

/** Until all connections have something under way that did not begin together with the rest. */
const settleMs = 100;

export interface LoadResult {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** A load that can run again and again over the same connections. */
export interface OpenLoad {
  run(extent: Extent): Promise<LoadResult>;
  close(): void;
}

export async function openLoad({
  url,
  connections: count,
  nextRequest,
  expectedStatus,
}: Load): Promise<OpenLoad> {
  const connections = await Promise.all(Array.from({ length: count }, () => openConnection(url)));
  return closedLoop(connections, (connection, answered, failed) =>
    connection.ask(
      nextRequest(),
      (status) => (status === expectedStatus ? answered() : failed(new Error(`answered ${status}`))),
      failed,
    ),
  );
}

/** Closed loop: each connection asks again when it was answered. */
export function closedLoop<C extends { close(): void }>(
  connections: C[],
  ask: (connection: C, answered: () => void, failed: (error: Error) => void) => void,
): OpenLoad {
  return {
    async run({ durationMs = Number.POSITIVE_INFINITY, requests = Number.POSITIVE_INFINITY }) {
      const tookMs: number[] = [];
      let begun = 0;
      let counted = 0; // not what is answered in the beginning, nor when hardly anyone asks any more
      const began = performance.now();
      const drive = (connection: C): Promise<void> =>
        new Promise((resolve, reject) => {
          let sent = began;
          function next(): void {
            if (sent - began >= durationMs || begun >= requests) {
              resolve();
              return;
            }
            begun += 1;
            ask(connection, answered, reject);
          }
          function answered(): void {
            const now = performance.now();
            tookMs.push(now - sent);
            if (now - began > settleMs && now - began <= durationMs) counted += 1;
            sent = now;
            next();
          }
          next();
        });
      await Promise.all(connections.map(drive));
      const seconds = (Math.min(performance.now() - began, durationMs) - settleMs) / 1000;
      return {
        perSecond: counted / seconds,
        p50Ms: quantile(tookMs, 0.5),
        p99Ms: quantile(tookMs, 0.99),
      };
    },
    close(): void {
      for (const connection of connections) connection.close();
    },
  };
}

export async function runLoad({ durationMs, requests, ...load }: Load & Extent): Promise<LoadResult> {
  const opened = await openLoad(load);
  const result = await opened.run({ durationMs, requests });
  opened.close();
  return result;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (found === undefined) throw new Error('no values');
  return found;
}
