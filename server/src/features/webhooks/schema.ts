import { type Static, Type } from 'typebox';
import { maxUrlLength } from '../../channels/net.ts';
import { DateTime, JsonObject, Nullable, OneOf, PageOf, pageQuery, Uuid } from '../../http/schema.ts';
import { pattern } from '../../kernel/patterns.ts';

export const endpointStatuses = ['active', 'paused', 'auto_disabled', 'disabled'] as const;
export type EndpointStatus = (typeof endpointStatuses)[number];

export const deliveryStatuses = ['pending', 'in_flight', 'succeeded', 'permanent_failure', 'failed'] as const;

export const webhookLimits = {
  endpoints: 1_000,
  filters: 100,
  deliveriesPerCall: 100_000,
  pausedCount: 10_000,
} as const;
export const defaultTimeoutSeconds = 10;

const EventType = Type.String({
  maxLength: 100,
  pattern: pattern('^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)+$', 'an event type, such as notification.sent'),
  description: 'For example `notification.sent`. Types that do not exist yet are allowed.',
});

const settings = {
  event_filters: Type.Optional(
    Nullable(
      Type.Array(EventType, {
        maxItems: webhookLimits.filters,
        description: 'The event types to deliver; empty means all.',
      }),
    ),
  ),
  description: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
  timeout_seconds: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 30,
        default: defaultTimeoutSeconds,
        description: 'For the whole call, until the last byte of the response.',
      }),
    ),
  ),
};

const settableStatuses = ['active', 'paused'] as const;

const Url = Type.String({ format: 'uri', minLength: 1, maxLength: maxUrlLength });

export const NewWebhookEndpoint = Type.Object(
  {
    url: Url,
    ...settings,
    status: Type.Optional(
      OneOf(settableStatuses, {
        default: 'active',
        description: '`paused`: deliveries wait until the endpoint is resumed.',
      }),
    ),
  },
  {
    title: 'NewWebhookEndpoint',
    examples: [{ url: 'https://example.com/hooks/carillon', event_filters: ['notification.delivered'] }],
  },
);
export type NewWebhookEndpoint = Static<typeof NewWebhookEndpoint>;

export const EndpointChange = Type.Object(
  {
    url: Type.Optional(Url),
    ...settings,
    status: Type.Optional(
      OneOf(settableStatuses, {
        description:
          '`paused`: deliveries wait, also those of new events. `active` resumes a paused or disabled endpoint: deliveries that wait are sent, oldest first.',
      }),
    ),
  },
  {
    title: 'WebhookEndpointChange',
    examples: [{ event_filters: ['notification.failed', 'notification.bounced'], status: 'active' }],
    description:
      'Omitted fields stay unchanged. null returns `event_filters`, `description` and `timeout_seconds` to their default.',
  },
);
export type EndpointChange = Static<typeof EndpointChange>;

const endpointFields = {
  id: Uuid,
  url: Type.String(),
  status: OneOf(endpointStatuses, {
    description: '`auto_disabled`: by the service, see `disabled_reason`. `disabled`: by DELETE.',
  }),
  event_filters: Type.Array(Type.String()),
  description: Type.String(),
  timeout_seconds: Type.Integer(),
  signing_secret_prefix: Type.String({ description: 'The first 8 characters, to identify the secret.' }),
  paused_delivery_count: Type.Integer({
    description: `Deliveries that wait because the endpoint is paused, or has been resumed and they are not released yet. Counted up to ${webhookLimits.pausedCount}.`,
  }),
  failing_since: Nullable(
    Type.String({ format: 'date-time', description: 'The first failure after the last success.' }),
  ),
  disabled_reason: Nullable(
    OneOf(['gone', 'failing'], {
      description: '`gone`: the endpoint returned 410. `failing`: five days without a success.',
    }),
  ),
  created_at: DateTime,
};
export const WebhookEndpoint = Type.Object(endpointFields, { title: 'WebhookEndpoint' });
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;
export const EndpointPage = PageOf(WebhookEndpoint);
export const EndpointQuery = Type.Object({
  ...pageQuery,
  include_disabled: Type.Optional(Type.Boolean({ default: false })),
});

const signingSecret = {
  signing_secret: Type.String({ description: 'Shown only in this response.' }),
};
export const EndpointWithSecret = Type.Object(
  { ...endpointFields, ...signingSecret },
  { title: 'WebhookEndpointWithSecret' },
);

export const EnvironmentSecret = Type.Object({
  environment_id: Uuid,
  signing_secret_prefix: Type.String(),
  ...signingSecret,
});

const deliveryFields = {
  id: Uuid,
  endpoint_id: Uuid,
  event_id: Type.String({ format: 'uuid', description: 'The `webhook-id` of every attempt.' }),
  event_type: Type.String(),
  status: OneOf(deliveryStatuses),
  http_status_code: Nullable(
    Type.Integer({ description: 'Of the last attempt, like the next three fields.' }),
  ),
  response_snippet: Nullable(Type.String({ description: 'The first 1,024 bytes of the response.' })),
  latency_ms: Nullable(Type.Integer()),
  error: Nullable(
    Type.String({ description: 'A class and a sentence, for example `timeout: No complete answer …`.' }),
  ),
  attempt_count: Type.Integer(),
  status_detail: Nullable(
    OneOf(['paused', 'retrying'], {
      description:
        'What a `pending` delivery waits for: `paused`: until the endpoint is resumed. `retrying`: for its next attempt. Null otherwise.',
    }),
  ),
  next_attempt_at: Nullable(
    Type.String({ format: 'date-time', description: 'Null while the endpoint is paused.' }),
  ),
  created_at: DateTime,
};
export const Delivery = Type.Object(deliveryFields, { title: 'WebhookDelivery' });
export type Delivery = Static<typeof Delivery>;
export const DeliveryPage = PageOf(Delivery);
export const DeliveryWithPayload = Type.Object(
  { ...deliveryFields, payload: JsonObject },
  { title: 'WebhookDeliveryWithPayload' },
);
export type DeliveryWithPayload = Static<typeof DeliveryWithPayload>;

export const DeliveryQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(OneOf(deliveryStatuses)),
  event_type: Type.Optional(EventType),
  notification_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'Deliveries of events of this notification.' }),
  ),
});
export type DeliveryQuery = Static<typeof DeliveryQuery>;
export const DeliveryParams = Type.Object({ id: Uuid, deliveryId: Uuid });

const Attempt = Type.Object(
  {
    number: Type.Integer({ description: 'Starts at 1, across all retries.' }),
    succeeded: Type.Boolean(),
    http_status_code: Nullable(Type.Integer()),
    response_snippet: Nullable(Type.String()),
    latency_ms: Type.Integer(),
    error: Nullable(Type.String()),
    attempted_at: DateTime,
  },
  { title: 'WebhookAttempt' },
);
export const AttemptPage = PageOf(Attempt);
export const AttemptQuery = Type.Object(pageQuery);

export const Recovery = Type.Object(
  {
    since: Type.String({
      format: 'date-time',
      description:
        'Deliveries that failed permanently at or after this time, and pending ones of events since then.',
    }),
  },
  { examples: [{ since: '2030-01-01T00:00:00Z' }] },
);
export const RecoveryResult = Type.Object({
  count: Type.Integer({ description: 'Deliveries that are retried, a hundred per second.' }),
});
export const DiscardResult = Type.Object({
  count: Type.Integer({ description: 'Deliveries that were discarded.' }),
});
