import type { Operation } from './openapi-document.ts';
import type { JsonSchema } from './openapi-schemas.ts';

const text = { type: 'string' };
const optionalText = { type: ['string', 'null'] };
const time = { type: 'string', format: 'date-time' };
const count = { type: 'integer' };
const id = { type: 'string', format: 'uuid' };

interface WebhookEventText {
  summary: string;
  /** The fields of `data`; those of notification events come on top of the notification without its bodies. */
  data: Record<string, JsonSchema>;
}

const provider = { ...text, description: 'The name of the provider of the last attempt.' };
const reason = { ...text, description: 'Why, for people.' };
const outage = {
  provider: text,
  provider_id: optionalText,
  environment_id: id,
  messages: count,
  failed_messages: count,
  failure_rate: { type: 'number' },
  firing_since: { type: ['string', 'null'], format: 'date-time' },
};
const run = {
  id,
  workflow_key: text,
  version: count,
  status: text,
  source: text,
  created_at: time,
  completed_at: time,
  failure_reason: optionalText,
};
const frozen = { channel: optionalText, reason: optionalText, environment_id: id };

/** Every type of event that endpoints receive. `server/test/api/openapi.test.ts` compares it with the guide and the SDK. */
const webhookEvents: Record<string, WebhookEventText> = {
  'notification.sent': { summary: 'A provider accepted the notification', data: { provider } },
  'notification.delivered': { summary: 'The notification arrived', data: { provider } },
  'notification.bounced': {
    summary: 'The server of the recipient rejected the notification',
    data: { provider, reason },
  },
  'notification.complained': {
    summary: 'The recipient reported the notification as unwanted',
    data: { provider, reason },
  },
  'notification.failed': { summary: 'The notification failed permanently', data: { provider, reason } },
  'notification.suppressed': { summary: 'The notification was not sent, on purpose', data: { reason } },
  'notification.held': {
    summary: 'A rule or a freeze of the brake holds the notification',
    data: { reason },
  },
  'notification.released': { summary: 'The notification is no longer held', data: { reason } },
  'notification.opened': { summary: 'The recipient opened the email', data: { provider } },
  'notification.clicked': { summary: 'The recipient followed a link', data: { provider } },
  'notification.read': { summary: 'The recipient read the inbox item', data: { provider } },
  'inbox.action': {
    summary: 'The recipient chose an action of an inbox item',
    data: {
      notification_id: id,
      external_user_id: text,
      action: text,
      label: text,
      category: optionalText,
      tags: { type: 'array', items: text },
      taken_at: time,
      data: { type: 'object' },
    },
  },
  'provider.critical': { summary: 'An email provider fails most messages', data: outage },
  'provider.recovered': { summary: 'An email provider works again', data: outage },
  'brake.engaged': {
    summary: 'A rule of the brake begins to hold or notice something',
    data: { rule: { type: 'object' }, detail: text, environment_id: id, engaged_at: time },
  },
  'brake.released': {
    summary: 'A release of held notifications is done',
    data: { hold: text, action: text, done: count, total: count, environment_id: id },
  },
  'brake.frozen': { summary: 'Sending was frozen', data: frozen },
  'brake.unfrozen': { summary: 'Sending was unfrozen', data: frozen },
  'broadcast.completed': {
    summary: 'A broadcast is done',
    data: { broadcast: { $ref: '#/components/schemas/Broadcast' } },
  },
  'workflow.run.completed': { summary: 'A run of a workflow completed', data: run },
  'workflow.run.failed': { summary: 'A run of a workflow failed', data: run },
  'schedule.missed': {
    summary: 'Slots of a schedule passed without a run',
    data: {
      schedule_id: id,
      schedule_key: text,
      reason: text,
      detail: text,
      missed_count: count,
      first_slot: time,
      last_slot: time,
      run_late: { type: 'boolean' },
    },
  },
  'webhook.endpoint.disabled': {
    summary: 'The service disabled another endpoint of the environment',
    data: { reason: text },
  },
  'webhook.test': { summary: 'You asked for a test event', data: { endpoint_id: id, message: text } },
};

const headers = {
  'webhook-id': 'The id of the event, the same on every attempt.',
  'webhook-timestamp': 'The time of this attempt in Unix seconds.',
  'webhook-signature':
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; several are separated by spaces.',
};

/** The section `webhooks` of the document: the calls that the service makes. `notification` is the schema of a notification. */
export function webhookOperations(notification: JsonSchema): Record<string, { post: Operation }> {
  const { html_body, text_body, ...fields } = (notification.properties ?? {}) as Record<string, JsonSchema>;
  const ofNotification = { type: 'object', title: 'NotificationEventData', properties: fields };
  return Object.fromEntries(
    Object.entries(webhookEvents).map(([type, { summary, data }]) => {
      const own = { type: 'object', properties: data };
      const isOfNotification = type.startsWith('notification.');
      return [
        type,
        { post: operationOf(type, summary, isOfNotification ? { allOf: [ofNotification, own] } : own) },
      ];
    }),
  );
}

function operationOf(type: string, summary: string, data: JsonSchema): Operation {
  const envelope = {
    type: 'object',
    required: ['id', 'type', 'created_at', 'data'],
    properties: { id, type: { const: type }, created_at: time, chain: text, data },
  };
  return {
    operationId: `on ${type}`.replaceAll(/[ ._]+(\w)/g, (_match, letter: string) => letter.toUpperCase()),
    tags: ['Webhooks'],
    summary,
    description: 'Answer with any 2xx status within the timeout of the endpoint.',
    security: [],
    parameters: Object.entries(headers).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: text,
    })),
    requestBody: { required: true, content: { 'application/json': { schema: envelope } } },
    responses: {
      '2XX': { description: 'The event was received.' },
      '4XX': { description: 'The delivery is repeated later; after 410 the endpoint is disabled.' },
    },
  };
}
