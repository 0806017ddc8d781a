import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { steadyClock, systemClock } from '../kernel/clock.ts';
import { Problem } from '../kernel/errors.ts';

/**
 * Server-Sent Events: responses that stay open. This file handles the protocol for any content: heartbeats, the end, and
 * back-pressure. Nothing is buffered for a reader that does not read: the writer has to stop, and the reader names the position
 * to resume from when it reconnects.
 */
export interface EventStream {
  /** Sends frames made by `eventFrame`. Returns false when the reader is behind; nothing more may be sent until `onDrain`. */
  send(frames: string): boolean;
  /** True while nothing may be sent. */
  readonly stalled: boolean;
  /** Ends the stream gracefully: frames already sent still arrive. */
  end(): void;
}

export interface StreamListener {
  /** The reader has caught up. */
  onDrain(): void;
  onClose(): void;
}

/** The answer of a route that opens a stream. */
export interface StreamStart {
  /** The environment that the stream counts for. */
  environmentId: string;
  /** The time at which the stream must end, in Unix milliseconds. */
  endsAtMs: number;
  start(stream: EventStream): StreamListener;
}

const streamTimes = {
  heartbeatMs: 15_000, // proxies cut connections that are silent for longer
  /** A reader that takes nothing for this long is cut off. */
  stalledMs: 30_000,
  /** Frames sent before the end get this long to arrive. */
  lingerMs: 2_000,
  sweepMs: 1_000,
};
/** In one process. An environment leaves three quarters to the others. */
const streamLimits = { all: 20_000, perEnvironment: 5_000 };

/** Formats one event. Line breaks cannot occur: ids and types are ours, and JSON escapes them. */
export function eventFrame(id: number | string, type: string, data: unknown): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

interface OpenStream {
  environmentId: string;
  response: ServerResponse;
  listener: StreamListener;
  endsAtMs: number;
  /** This time and the next are measured by the steady clock. */
  wroteAtMs: number;
  /** The time at which a reader that is behind or leaving is cut off; 0 when neither applies. */
  cutAtMs: number;
}

/** All streams of a process. One timer serves them all: two thousand timers would cost more than the streams. */
interface StreamTable {
  streams: Set<OpenStream>;
  countOf: Map<string, number>;
  timer: NodeJS.Timeout | undefined;
  isStopped: boolean;
  whenEmpty: (() => void) | null;
  openStreams: { set(count: number): void };
  times: typeof streamTimes;
  limits: typeof streamLimits;
}

export interface EventStreams {
  serve(request: FastifyRequest, reply: FastifyReply, start: StreamStart): void;
  /** Ends all streams; readers that do not close are cut off. */
  stop(): Promise<void>;
}

export function createEventStreams(
  openStreams: StreamTable['openStreams'],
  times = streamTimes,
  limits = streamLimits,
): EventStreams {
  const table: StreamTable = {
    ...{ openStreams, times, limits },
    streams: new Set(),
    countOf: new Map(),
    timer: undefined,
    isStopped: false,
    whenEmpty: null,
  };
  return {
    serve(request, reply, { environmentId, endsAtMs, start }) {
      refuseBeyondLimits(table, environmentId);
      const response = openResponse(request, reply);
      if (!response) return;
      const stream: OpenStream = {
        ...{ environmentId, response, endsAtMs },
        listener: { onDrain: () => {}, onClose: () => {} },
        wroteAtMs: 0,
        cutAtMs: 0,
      };
      add(table, stream, request.raw.socket);
      write(stream, times, 'retry: 2000\n\n');
      stream.listener = start({
        send: (frames) => write(stream, times, frames),
        get stalled() {
          return stream.cutAtMs > 0;
        },
        end: () => end(stream, times),
      });
    },
    async stop() {
      table.isStopped = true;
      if (table.streams.size === 0) return;
      const gone = new Promise<void>((resolve) => {
        table.whenEmpty = resolve;
      });
      for (const stream of table.streams) end(stream, times);
      await gone; // the sweep cuts off readers that linger
    },
  };
}

function refuseBeyondLimits(
  { streams, countOf, isStopped, limits }: StreamTable,
  environmentId: string,
): void {
  if (!isStopped && (countOf.get(environmentId) ?? 0) >= limits.perEnvironment) {
    throw new Problem(
      'rate_limited',
      `This environment already has ${limits.perEnvironment} open streams here. Try again later.`,
      { headers: { 'retry-after': '10' } },
    );
  }
  if (isStopped || streams.size >= limits.all) {
    throw new Problem('temporarily_unavailable', 'Streams are temporarily unavailable. Try again.', {
      headers: { 'retry-after': '1' },
    });
  }
}

/** Returns null when no stream follows: the reader has left, or asked for the headers alone. */
function openResponse(request: FastifyRequest, reply: FastifyReply): ServerResponse | null {
  const response = reply.raw;
  const headers = {
    ...reply.getHeaders(),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no', // nginx, and proxies that follow it
    'x-content-type-options': 'nosniff',
  };
  reply.hijack();
  // The reader disconnected while it was being identified. The disconnect event has already fired and does not fire again.
  if (response.destroyed || request.raw.socket.readableEnded) {
    response.destroy();
    return null;
  }
  response.writeHead(200, headers as Record<string, string>);
  if (request.method !== 'HEAD') return response;
  response.end();
  return null;
}

function add(table: StreamTable, stream: OpenStream, socket: Socket): void {
  const { response } = stream;
  socket.setKeepAlive(true, 60_000);
  table.streams.add(stream);
  count(table, stream.environmentId, 1);
  table.timer ??= setInterval(sweep, table.times.sweepMs, table);
  const hangUp = (): void => {
    response.destroy();
  };
  // A half-closed client may still wait for an ordinary answer, but not for a stream that lasts an hour.
  socket.once('end', hangUp);
  response.on('close', () => {
    socket.off('end', hangUp);
    remove(table, stream);
  });
  response.on('error', () => {}); // 'close' follows
  response.on('drain', () => {
    if (response.writableEnded) return;
    stream.cutAtMs = 0;
    stream.listener.onDrain();
  });
}

function remove(table: StreamTable, stream: OpenStream): void {
  if (!table.streams.delete(stream)) return;
  count(table, stream.environmentId, -1);
  stream.listener.onClose();
  if (table.streams.size > 0) return;
  clearInterval(table.timer);
  table.timer = undefined;
  table.whenEmpty?.();
}

function count({ countOf, streams, openStreams }: StreamTable, environmentId: string, change: 1 | -1): void {
  const open = (countOf.get(environmentId) ?? 0) + change;
  if (open === 0) countOf.delete(environmentId);
  else countOf.set(environmentId, open);
  openStreams.set(streams.size);
}

function write(stream: OpenStream, times: typeof streamTimes, text: string): boolean {
  if (stream.response.writableEnded || stream.response.destroyed) return false;
  stream.wroteAtMs = steadyClock();
  if (stream.response.write(text)) return true;
  stream.cutAtMs = stream.wroteAtMs + times.stalledMs;
  return false;
}

function end(stream: OpenStream, times: typeof streamTimes): void {
  stream.response.end();
  stream.cutAtMs = steadyClock() + times.lingerMs;
}

function sweep({ streams, times }: StreamTable): void {
  const now = steadyClock();
  const time = systemClock();
  for (const stream of streams) {
    if (stream.cutAtMs > 0) {
      if (now >= stream.cutAtMs) stream.response.destroy();
    } else if (time >= stream.endsAtMs) end(stream, times);
    else if (now - stream.wroteAtMs >= times.heartbeatMs) write(stream, times, ':\n\n');
  }
}
