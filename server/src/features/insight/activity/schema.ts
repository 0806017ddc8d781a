import { type Static, Type } from 'typebox';
import { channels } from '../../../channels/contract.ts';
import { DateTime, Nullable, OneOf, Uuid } from '../../../http/schema.ts';
import type { ActivityBucket, ActivitySpan } from './store.ts';
import { activityOutcomes, callSlotMs } from './tally.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The length of each window, its steps (at most 180 of them), and the bucket it is read from. */
const shapes = {
  '1h': { spanMs: hourMs, stepMs: minuteMs, rowSeconds: 60 },
  '6h': { spanMs: 6 * hourMs, stepMs: 2 * minuteMs, rowSeconds: 60 },
  '24h': { spanMs: 24 * hourMs, stepMs: 10 * minuteMs, rowSeconds: 600 },
  '7d': { spanMs: 7 * 24 * hourMs, stepMs: hourMs, rowSeconds: 600 },
} as const satisfies Record<string, { spanMs: number; stepMs: number; rowSeconds: ActivityBucket }>;
export type Window = keyof typeof shapes;
export const windows = Object.keys(shapes) as [Window, ...Window[]];

export function rowSecondsOf(window: Window): ActivityBucket {
  return shapes[window].rowSeconds;
}

/**
 * The last step is the current one: so nothing in a window is older than the window is long, which is how long counts are kept.
 */
export function spanOf(window: Window, now: number, leastStepMs: number = minuteMs): ActivitySpan {
  const { spanMs, stepMs: wanted } = shapes[window];
  const stepMs = Math.max(wanted, leastStepMs);
  const end = (Math.floor(now / stepMs) + 1) * stepMs;
  return { from: new Date(end - spanMs), to: new Date(end), stepSeconds: stepMs / 1000 };
}

/** The span for calls to webhook endpoints, which are counted in larger slots. */
export function callSpanOf(window: Window, now: number): ActivitySpan {
  return spanOf(window, now, callSlotMs);
}

/** Returns one entry for each step of a span, also for empty ones. */
export function stepsOf<Entry>(
  { from, to, stepSeconds }: ActivitySpan,
  entryAt: (at: number) => Entry,
): Entry[] {
  const entries: Entry[] = [];
  for (let at = from.getTime(); at < to.getTime(); at += stepSeconds * 1000) entries.push(entryAt(at));
  return entries;
}

export const WindowQuery = Type.Object({
  window: Type.Optional(
    OneOf(windows, { default: '1h', description: 'The time window. Counts are kept for seven days.' }),
  ),
});

const counts = Type.Object(
  Object.fromEntries(activityOutcomes.map((outcome) => [outcome, Type.Integer()])) as Record<
    (typeof activityOutcomes)[number],
    ReturnType<typeof Type.Integer>
  >,
).properties;

const byChannel = <Value>(value: object, description: string) =>
  Type.Unsafe<Record<string, Value>>({
    type: 'object',
    description,
    properties: Object.fromEntries(channels.map((channel) => [channel, value])),
  });

export const ActivityCounts = Type.Object(counts, { title: 'ActivityCounts' });
export type ActivityCounts = Static<typeof ActivityCounts>;

const Latency = Type.Unsafe<{ p50_ms: number; p95_ms: number; p99_ms: number } | null>({
  type: ['object', 'null'],
  description:
    'The time from acceptance (or send_at) until a provider accepted the notification, including retries and quiet hours. Counted in buckets, so a value is accurate to the width of its bucket, a factor of 1.3 to 2. Null if nothing was sent.',
  properties: Object.fromEntries(['p50_ms', 'p95_ms', 'p99_ms'].map((name) => [name, { type: 'integer' }])),
});

const OverviewProvider = Type.Object(
  {
    id: Type.String({
      description:
        'The id of the provider or connection; `managed` for the operator’s provider; the kind for push services.',
    }),
    name: Type.String(),
    kind: Type.String(),
    channel: OneOf(channels),
    status: OneOf(['healthy', 'degraded', 'outage', 'paused', 'broken', 'disabled'], {
      description:
        'degraded, outage: for email providers, by the failures of the last five minutes. paused: throttled by the provider. broken: rejected as a whole, see `problem`. disabled: turned off.',
    }),
    messages: Type.Integer({
      description: 'In the last five minutes, like the next field; only counted for email.',
    }),
    failed_messages: Type.Integer(),
    failure_rate: Type.Number(),
    since: Nullable(Type.String({ format: 'date-time', description: 'When the failures began.' })),
    paused_until: Nullable(DateTime),
    problem: Nullable(Type.String()),
    last_success_at: Nullable(
      Type.String({
        format: 'date-time',
        description: 'Set for chat connections, and for push services: of their last check.',
      }),
    ),
    last_failure_at: Nullable(DateTime),
  },
  { title: 'OverviewProvider' },
);
export type OverviewProvider = Static<typeof OverviewProvider>;

const OverviewWebhook = Type.Object(
  {
    endpoint_id: Uuid,
    url: Type.String(),
    description: Type.String(),
    status: Type.String(),
    succeeded: Type.Integer({ description: 'Calls, not deliveries: each retry counts.' }),
    failed: Type.Integer(),
    success_rate: Type.Number(),
  },
  { title: 'OverviewWebhook' },
);

const OverviewFailure = Type.Object(
  {
    reason: Type.String({
      description: 'The reason without addresses, ids and times.',
    }),
    status: OneOf(['failed', 'bounced', 'suppressed']),
    channel: OneOf(channels),
    count: Type.Integer(),
    last_at: Type.String({ format: 'date-time', description: 'When the newest notification was accepted.' }),
    sample_notification_id: Type.String({ format: 'uuid', description: 'The newest notification.' }),
  },
  { title: 'OverviewFailure' },
);
export type OverviewFailure = Static<typeof OverviewFailure>;

export const overviewLimits = { webhooks: 100, missed: 500, failures: 20 } as const;

export const Overview = Type.Object(
  {
    window: OneOf(windows),
    from: DateTime,
    to: Type.String({ format: 'date-time', description: 'The end of the current step.' }),
    step_seconds: Type.Integer(),
    series: Type.Array(
      Type.Object(
        {
          at: Type.String({ format: 'date-time', description: 'The start of the step.' }),
          ...counts,
          by_channel: byChannel<number>({ type: 'integer' }, 'Accepted notifications by channel.'),
        },
        { title: 'ActivityPoint' },
      ),
      { description: 'At most 180 steps, oldest first, including empty ones.' },
    ),
    totals: Type.Object({
      ...counts,
      by_channel: byChannel<ActivityCounts>(
        { ...ActivityCounts },
        'The same by channel; channels without activity are not included.',
      ),
    }),
    delivery_rate: Nullable(
      Type.Number({
        description:
          'The share of sent notifications that did not fail or bounce, from 0 to 1: (sent − bounced) / (sent + failed). An accepted notification counts until the provider reports a bounce, because many providers never report a delivery. Suppressed notifications are excluded. Null if nothing was sent or failed.',
      }),
    ),
    latency: Latency,
    queue: Type.Object({
      waiting: Type.Integer({ description: 'Ready, not yet claimed by a worker.' }),
      waiting_is_capped: Type.Boolean({
        description: 'The queue holds more than 10,000 rows: `waiting` and `scheduled` are lower bounds.',
      }),
      oldest_due_seconds: Nullable(
        Type.Integer({
          description: 'How long the oldest unclaimed notification has been due. Null if none waits.',
        }),
      ),
      scheduled: Type.Integer({
        description: 'Scheduled, delayed by quiet hours, or waiting for a retry.',
      }),
    }),
    providers: Type.Array(OverviewProvider, {
      description: 'The providers. Empty in Test, which uses the sandbox.',
    }),
    webhooks: Type.Array(OverviewWebhook, {
      maxItems: overviewLimits.webhooks,
      description: 'Called endpoints: those with the most failures first, then those with the most calls.',
    }),
    webhooks_from: Type.String({
      format: 'date-time',
      description:
        'The start of the webhook counts: `from`, or later if the window has more than 50,000 slots of five minutes (one for each called endpoint).',
    }),
    failures: Type.Array(OverviewFailure, {
      maxItems: overviewLimits.failures,
      description: `Why notifications did not arrive, most frequent first: the newest ${overviewLimits.missed} of the window that failed, bounced or were suppressed, by reason.`,
    }),
  },
  { title: 'Overview' },
);
export type Overview = Static<typeof Overview>;

export const EndpointHealth = Type.Object(
  {
    endpoint_id: Uuid,
    window: OneOf(windows),
    from: DateTime,
    to: DateTime,
    step_seconds: Type.Integer(),
    series: Type.Array(
      Type.Object(
        {
          at: DateTime,
          succeeded: Type.Integer(),
          failed: Type.Integer(),
          median_latency_ms: Nullable(Type.Integer()),
        },
        { title: 'WebhookHealthPoint' },
      ),
      { description: 'Oldest first, including steps without calls.' },
    ),
    succeeded: Type.Integer({ description: 'Calls, not deliveries: each retry counts.' }),
    failed: Type.Integer(),
    success_rate: Nullable(Type.Number()),
    latency: Nullable(
      Type.Object(
        { p50_ms: Type.Integer(), p95_ms: Type.Integer(), p99_ms: Type.Integer() },
        { description: 'Of all calls, including failed ones; accurate to a factor of 1.3 to 2.' },
      ),
    ),
  },
  { title: 'WebhookEndpointHealth' },
);
export type EndpointHealth = Static<typeof EndpointHealth>;
