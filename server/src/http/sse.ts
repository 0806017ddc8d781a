import type { ServerResponse } from 'node:http';
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

interface Open {
  environmentId: string;
  response: ServerResponse;
  listener: StreamListener;
  endsAtMs: number;
  /** This time and the next are measured by the steady clock. */
  wroteAtMs: number;
  /** The time at which a reader that is behind or leaving is cut off; 0 when neither applies. */
  cutAtMs: number;
}

export interface EventStreams {
  serve(request: FastifyRequest, reply: FastifyReply, start: StreamStart): void;
  /** Ends all streams; readers that do not close are cut off. */
  stop(): Promise<void>;
}

/** All streams of a process. One timer serves them all: two thousand timers would cost more than the streams. */
export function createEventStreams(
  openStreams: { set(count: number): void },
  times = streamTimes,
  limits = streamLimits,
): EventStreams {
  const streams = new Set<Open>();
  const countOf = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let whenEmpty: (() => void) | null = null;

  function write(open: Open, text: string): boolean {
    if (open.response.writableEnded || open.response.destroyed) return false;
    open.wroteAtMs = steadyClock();
    if (open.response.write(text)) return true;
    open.cutAtMs = open.wroteAtMs + times.stalledMs;
    return false;
  }

  function end(open: Open): void {
    open.response.end();
    open.cutAtMs = steadyClock() + times.lingerMs;
  }

  function sweep(): void {
    const now = steadyClock();
    const time = systemClock();
    for (const open of streams) {
      if (open.cutAtMs > 0) {
        if (now >= open.cutAtMs) open.response.destroy();
      } else if (time >= open.endsAtMs) end(open);
      else if (now - open.wroteAtMs >= times.heartbeatMs) write(open, ':\n\n');
    }
  }

  function count(environmentId: string, change: 1 | -1): void {
    const open = (countOf.get(environmentId) ?? 0) + change;
    if (open === 0) countOf.delete(environmentId);
    else countOf.set(environmentId, open);
  }

  function closed(open: Open): void {
    if (!streams.delete(open)) return;
    count(open.environmentId, -1);
    openStreams.set(streams.size);
    open.listener.onClose();
    if (streams.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    whenEmpty?.();
  }

  return {
    serve(request, reply, { environmentId, endsAtMs, start }) {
      if (!stopped && (countOf.get(environmentId) ?? 0) >= limits.perEnvironment) {
        throw new Problem(
          'rate_limited',
          `This environment already has ${limits.perEnvironment} open streams here. Try again later.`,
          { headers: { 'retry-after': '10' } },
        );
      }
      if (stopped || streams.size >= limits.all) {
        throw new Problem('temporarily_unavailable', 'Streams are temporarily unavailable. Try again.', {
          headers: { 'retry-after': '1' },
        });
      }
      const response = reply.raw;
      const headers = {
        ...reply.getHeaders(),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no', // nginx, and proxies that follow it
        'x-content-type-options': 'nosniff',
      };
      reply.hijack();
      const { socket } = request.raw;
      // The reader disconnected while it was being identified. The disconnect event has already fired and does not fire again.
      if (response.destroyed || socket.readableEnded) {
        response.destroy();
        return;
      }
      response.writeHead(200, headers as Record<string, string>);
      if (request.method === 'HEAD') {
        response.end();
        return;
      }
      socket.setKeepAlive(true, 60_000);
      const open: Open = {
        environmentId,
        response,
        listener: { onDrain: () => {}, onClose: () => {} },
        endsAtMs,
        wroteAtMs: 0,
        cutAtMs: 0,
      };
      streams.add(open);
      count(environmentId, 1);
      openStreams.set(streams.size);
      timer ??= setInterval(sweep, times.sweepMs);
      const hangUp = (): void => {
        response.destroy();
      };
      // A half-closed client may still wait for an ordinary answer, but not for a stream that lasts an hour.
      socket.once('end', hangUp);
      response.on('close', () => {
        socket.off('end', hangUp);
        closed(open);
      });
      response.on('error', () => {}); // 'close' follows
      response.on('drain', () => {
        if (response.writableEnded) return;
        open.cutAtMs = 0;
        open.listener.onDrain();
      });
      write(open, 'retry: 2000\n\n');
      open.listener = start({
        send: (frames) => write(open, frames),
        get stalled() {
          return open.cutAtMs > 0;
        },
        end: () => end(open),
      });
    },
    async stop() {
      stopped = true;
      if (streams.size === 0) return;
      const gone = new Promise<void>((resolve) => {
        whenEmpty = resolve;
      });
      for (const open of streams) end(open);
      await gone; // the sweep cuts off readers that linger
    },
  };
}
