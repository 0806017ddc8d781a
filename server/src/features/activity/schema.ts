import { type Static, Type } from 'typebox';
import { channels } from '../../channels/contract.ts';
import { DateTime, Nullable, OneOf, Uuid } from '../../http/schema.ts';
import { activityOutcomes } from './tally.ts';
import { windows } from './windows.ts';

export const WindowQuery = Type.Object({
  window: Type.Optional(
    OneOf(windows, { default: '1h', description: 'How far back to look. Figures are kept for seven days.' }),
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
    'From when a notification was accepted (or from its send_at) to when a provider had taken it, retries and quiet hours included. Counted by classes, so that a value is right to within the width of its class, a factor of 1.3 to 2. Null when nothing was sent.',
  properties: Object.fromEntries(['p50_ms', 'p95_ms', 'p99_ms'].map((name) => [name, { type: 'integer' }])),
});

const OverviewProvider = Type.Object(
  {
    id: Type.String({ description: 'Of the provider or connection; `managed` for the operator’s own.' }),
    name: Type.String(),
    kind: Type.String(),
    channel: OneOf(channels),
    status: OneOf(['healthy', 'degraded', 'outage', 'paused', 'broken', 'disabled'], {
      description:
        'degraded, outage: of email providers, by the failures of the last five minutes. paused: it asked us to slow down. broken: it refused us as a whole, see `problem`. disabled: switched off.',
    }),
    messages: Type.Integer({ description: 'Of the last five minutes, as the next; counted for email only.' }),
    failed_messages: Type.Integer(),
    failure_rate: Type.Number(),
    since: Nullable(Type.String({ format: 'date-time', description: 'When it began to fail.' })),
    paused_until: Nullable(DateTime),
    problem: Nullable(Type.String()),
    last_success_at: Nullable(
      Type.String({ format: 'date-time', description: 'Known of chat connections.' }),
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
    succeeded: Type.Integer({ description: 'Calls, not deliveries: each retry is one.' }),
    failed: Type.Integer(),
    success_rate: Type.Number(),
  },
  { title: 'OverviewWebhook' },
);

const OverviewFailure = Type.Object(
  {
    reason: Type.String({
      description: 'As the notifications say it, with addresses, ids and times left out.',
    }),
    status: OneOf(['failed', 'bounced', 'suppressed']),
    channel: OneOf(channels),
    count: Type.Integer(),
    last_at: Type.String({ format: 'date-time', description: 'When the newest of them was accepted.' }),
    sample_notification_id: Type.String({ format: 'uuid', description: 'The newest of them.' }),
  },
  { title: 'OverviewFailure' },
);
export type OverviewFailure = Static<typeof OverviewFailure>;

export const limits = { webhooks: 100, missed: 500, failures: 20 } as const;

export const Overview = Type.Object(
  {
    window: OneOf(windows),
    from: DateTime,
    to: Type.String({ format: 'date-time', description: 'The end of the step that is going on.' }),
    step_seconds: Type.Integer(),
    series: Type.Array(
      Type.Object(
        {
          at: Type.String({ format: 'date-time', description: 'The beginning of the step.' }),
          ...counts,
          by_channel: byChannel<number>({ type: 'integer' }, 'How many were accepted, by channel.'),
        },
        { title: 'ActivityPoint' },
      ),
      { description: 'At most 180 steps, oldest first, also those in which nothing happened.' },
    ),
    totals: Type.Object({
      ...counts,
      by_channel: byChannel<ActivityCounts>(
        { ...ActivityCounts },
        'The same by channel; channels of which nothing was heard are left out.',
      ),
    }),
    delivery_rate: Nullable(
      Type.Number({
        description:
          'Of what was sent or failed in the window, the share that neither failed nor bounced, from 0 to 1: (sent − bounced) / (sent + failed). What a provider took counts until it reports a bounce, since many never report a delivery. Suppressed ones are left out. Null when nothing was sent or failed.',
      }),
    ),
    latency: Latency,
    queue: Type.Object({
      waiting: Type.Integer({ description: 'Due, and not yet taken up by a worker.' }),
      waiting_is_capped: Type.Boolean({
        description: 'The queue holds more than 10,000 rows: `waiting` and `scheduled` are lower bounds.',
      }),
      oldest_due_seconds: Nullable(
        Type.Integer({
          description:
            'For how long the oldest one has been due that no worker has looked at. Null: none waits.',
        }),
      ),
      scheduled: Type.Integer({
        description: 'To be sent later: scheduled, put off by quiet hours, or to be tried again.',
      }),
    }),
    providers: Type.Array(OverviewProvider, {
      description: 'What carries the messages. Empty in Test, where the sandbox carries everything.',
    }),
    webhooks: Type.Array(OverviewWebhook, {
      maxItems: limits.webhooks,
      description: 'Endpoints that were called: those that failed most, then those that were called most.',
    }),
    webhooks_from: Type.String({
      format: 'date-time',
      description:
        'Since when calls to endpoints are counted here: `from`, or later when more than 50,000 slots of five minutes (one for each endpoint that was called) are in the window.',
    }),
    failures: Type.Array(OverviewFailure, {
      maxItems: limits.failures,
      description: `Why notifications did not arrive, most frequent first: the newest ${limits.missed} of the window that failed, bounced or were suppressed, by reason.`,
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
      { description: 'Oldest first, also the steps in which it was not called.' },
    ),
    succeeded: Type.Integer({ description: 'Calls, not deliveries: each retry is one.' }),
    failed: Type.Integer(),
    success_rate: Nullable(Type.Number()),
    latency: Nullable(
      Type.Object(
        { p50_ms: Type.Integer(), p95_ms: Type.Integer(), p99_ms: Type.Integer() },
        { description: 'Of all calls, also of those that failed; right to a factor of 1.3 to 2.' },
      ),
    ),
  },
  { title: 'WebhookEndpointHealth' },
);
export type EndpointHealth = Static<typeof EndpointHealth>;
