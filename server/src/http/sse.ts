import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { steadyClock, systemClock } from '../kernel/clock.ts';
import { Problem } from '../kernel/errors.ts';

/**
 * Server-Sent Events: responses that stay open. This is how they are spoken, whatever they say: heartbeats, an end, and
 * back-pressure. Nothing is ever kept for a reader who does not read: whoever writes is told to stop, and where to go on is
 * for the reader to say when it comes back.
 */
export interface EventStream {
  /** Frames made by `eventFrame`. False: the reader is behind, so nothing more until `onDrain`. */
  send(frames: string): boolean;
  /** True while nothing may be sent. */
  readonly stalled: boolean;
  /** Ends it politely: what was sent still arrives. */
  end(): void;
}

export interface StreamListener {
  /** The reader has caught up. */
  onDrain(): void;
  onClose(): void;
}

/** What a route answers with to open a stream. */
export interface StreamStart {
  /** When it must end, in Unix milliseconds. */
  endsAtMs: number;
  start(stream: EventStream): StreamListener;
}

const streamTimes = {
  heartbeatMs: 15_000, // proxies cut links that are silent for longer
  /** A reader that takes nothing for so long is cut off. */
  stalledMs: 30_000,
  /** What was sent before the end gets so long to arrive. */
  lingerMs: 2_000,
  sweepMs: 1_000,
};
const maxStreams = 20_000;

/** One event. Line breaks cannot occur: ids are numbers, types are ours, and JSON escapes them. */
export function eventFrame(id: number, type: string, data: unknown): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

interface Open {
  response: ServerResponse;
  listener: StreamListener;
  endsAtMs: number;
  /** By the steady clock, as the next. */
  wroteAtMs: number;
  /** The reader is behind, or is to take its leave; when this time comes, it is cut off. 0: all is well. */
  cutAtMs: number;
}

export interface EventStreams {
  serve(request: FastifyRequest, reply: FastifyReply, start: StreamStart): void;
  /** Ends all of them; readers that do not take their leave are cut off. */
  stop(): Promise<void>;
}

/** All streams of a process. One timer serves them all: two thousand timers would cost more than the streams. */
export function createEventStreams(
  openStreams: { set(count: number): void },
  times = streamTimes,
): EventStreams {
  const streams = new Set<Open>();
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

  function closed(open: Open): void {
    if (!streams.delete(open)) return;
    openStreams.set(streams.size);
    open.listener.onClose();
    if (streams.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    whenEmpty?.();
  }

  return {
    serve(request, reply, { endsAtMs, start }) {
      if (stopped || streams.size >= maxStreams) {
        throw new Problem('temporarily_unavailable', 'No stream can be opened here right now. Try again.', {
          headers: { 'retry-after': '1' },
        });
      }
      const response = reply.raw;
      const headers = {
        ...reply.getHeaders(),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no', // nginx and those who learnt from it
        'x-content-type-options': 'nosniff',
      };
      reply.hijack();
      const { socket } = request.raw;
      // Its reader left while we looked up who it is. That was told before, and is not told again.
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
        response,
        listener: { onDrain: () => {}, onClose: () => {} },
        endsAtMs,
        wroteAtMs: 0,
        cutAtMs: 0,
      };
      streams.add(open);
      openStreams.set(streams.size);
      timer ??= setInterval(sweep, times.sweepMs);
      const hangUp = (): void => {
        response.destroy();
      };
      // Answers are waited for by those who have nothing more to ask, too; a stream that goes on for an hour is not.
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
      await gone; // the sweep cuts off whoever lingers
    },
  };
}
