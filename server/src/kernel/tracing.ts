import { randomBytes } from 'node:crypto';
import type { Log } from './log.ts';

/**
 * OpenTelemetry traces, sent as OTLP over HTTP in its JSON form when an endpoint is configured; otherwise nothing happens and
 * nothing is allocated. Written by hand, because the published exporter no longer runs on the oldest supported Node.
 */
export interface Tracer {
  /** `parent` is a W3C traceparent, as received with a request. */
  start(name: string, kind: SpanKind, parent?: string | null): Span;
  /** Starts a span in the trace of a notification, whose trace id is that of the notification. */
  startFor(notificationId: string, name: string, kind: SpanKind): Span;
  stop(): Promise<void>;
}

export interface Span {
  /** Links the span and the trace of a notification that it accepted with each other. */
  accepted(notificationId: string): void;
  end(attributes: Record<string, string | number>, ok: boolean): void;
}

const spanKinds = { internal: 1, server: 2, client: 3, producer: 4 } as const;
type SpanKind = keyof typeof spanKinds;

interface SpanContext {
  traceId: string;
  spanId: string;
}

const flushMs = 2_000;
const maxWaiting = 4_096; // beyond this spans are dropped: telemetry must not become the outage
const traceparentPattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

const maxLinks = 128; // OpenTelemetry's default

const silentSpan: Span = { accepted() {}, end() {} };
const silent: Tracer = { start: () => silentSpan, startFor: () => silentSpan, async stop() {} };

interface TracerOptions {
  /** The URL of the collector; null exports nothing. */
  endpoint: string | null;
  headers: Record<string, string>;
  serviceName: string;
  version: string;
}

export function createTracer({ endpoint, headers, serviceName, version }: TracerOptions, log: Log): Tracer {
  if (endpoint === null) return silent;
  const url = `${endpoint}/v1/traces`;
  let waiting: object[] = [];
  let failing = false;

  async function flush(): Promise<void> {
    if (waiting.length === 0) return;
    const spans = waiting;
    waiting = [];
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({
          resourceSpans: [
            {
              resource: {
                attributes: attributesOf({ 'service.name': serviceName, 'service.version': version }),
              },
              scopeSpans: [{ scope: { name: 'carillon' }, spans }],
            },
          ],
        }),
        signal: AbortSignal.timeout(5_000),
      });
      if (!response.ok) throw new Error(`the collector returned ${response.status}`);
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'failed to export traces; spans are dropped');
      failing = true;
    }
  }

  let flushing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    flushing = flushing.then(flush);
  }, flushMs).unref();

  function started(name: string, kind: SpanKind, context: SpanContext, parentSpanId?: string): Span {
    const startedAt = Date.now();
    const links: SpanContext[] = [];
    return {
      accepted(notificationId) {
        if (links.length < maxLinks) links.push(acceptanceOf(notificationId));
      },
      end(attributes, ok) {
        const times = { startTimeUnixNano: `${startedAt}000000`, endTimeUnixNano: `${Date.now()}000000` };
        const status = { code: ok ? 1 : 2 };
        const own = { ...context, ...(parentSpanId ? { parentSpanId } : {}), name, kind: spanKinds[kind] };
        const spans = [
          { ...own, links, attributes: attributesOf(attributes) },
          // A link is followed in one direction, so the trace of the notification has one to this span.
          ...links.map((each) => ({ ...each, name: 'accept', kind: spanKinds.producer, links: [context] })),
        ].map((span) => ({ ...span, ...times, status }));
        waiting.push(...spans.slice(0, maxWaiting - waiting.length));
      },
    };
  }

  return {
    start(name, kind, parent) {
      const [, traceId = randomBytes(16).toString('hex'), parentSpanId] =
        traceparentPattern.exec(parent ?? '') ?? [];
      return started(name, kind, { traceId, spanId: newSpanId() }, parentSpanId);
    },
    startFor: (notificationId, name, kind) =>
      started(name, kind, { ...acceptanceOf(notificationId), spanId: newSpanId() }),
    async stop() {
      clearInterval(timer);
      await flushing.then(flush);
    },
  };
}

const newSpanId = (): string => randomBytes(8).toString('hex');

/**
 * The span that accepted a notification. Its ids are made of the UUID, so that a request and the processes that dispatch agree
 * on them without a column.
 */
function acceptanceOf(notificationId: string): SpanContext {
  const traceId = notificationId.replaceAll('-', '');
  return { traceId, spanId: traceId.slice(16) };
}

function attributesOf(values: Record<string, string | number>): object[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(Math.round(value)) } : { stringValue: value },
  }));
}
