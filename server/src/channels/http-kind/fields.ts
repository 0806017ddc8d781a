import type { Field } from '../contract.ts';

/** The meanings of an error, in the words of outcomes. */
export const errorClasses = [
  'retry',
  'throttled',
  'rejected',
  'broken',
  'unreachable',
  'unsubscribed',
] as const;

/** The meanings of a status in a callback. */
export const callbackStatuses = [
  'delivered',
  'delayed',
  'bounced',
  'soft_bounced',
  'complained',
  'opened',
  'clicked',
] as const;

const callbackAuths = ['url', 'header', 'hmac_sha256'] as const;

const text = (name: string, meaning: string, more: Partial<Field> = {}): Field => ({
  name,
  type: 'text',
  meaning,
  required: false,
  max: 200,
  ...more,
});
const pointer = (name: string, meaning: string, more: Partial<Field> = {}): Field =>
  text(name, `JSON Pointer to ${meaning}`, more);
const map = (name: string, meaning: string, more: Partial<Field> = {}): Field => ({
  name,
  type: 'map',
  meaning,
  required: false,
  ...more,
});

export const pointerFields = [
  'success_pointer',
  'message_id_pointer',
  'error_code_pointer',
  'error_message_pointer',
  'callback_items_pointer',
  'callback_id_pointer',
  'callback_status_pointer',
  'callback_event_pointer',
  'callback_time_pointer',
  'callback_detail_pointer',
  'reply_from_pointer',
  'reply_text_pointer',
];

/** The settings of the kind `http`, on every channel. */
export const httpFields: readonly Field[] = [
  text('url', 'The URL to call. Variables are allowed after the host, and are encoded.', {
    required: true,
    max: 2000,
    receives: ['secret'],
  }),
  text('method', 'POST by default.', { options: ['POST', 'PUT', 'PATCH', 'GET'] }),
  text('secret', 'The credential of the service. Write {{ secret }} where it belongs.', {
    secret: true,
    max: 4000,
  }),
  map('headers', 'Headers of the call, such as Authorization: Bearer {{ secret }}.', {
    max: 4000,
    receives: ['secret'],
  }),
  text('body', 'A Liquid template of the JSON body. Values are escaped where they stand.', {
    multiline: true,
    max: 20_000,
    receives: ['secret'],
  }),
  map('form', 'Fields of a form, instead of a JSON body. Values are encoded.', {
    max: 2000,
    receives: ['secret'],
  }),
  {
    name: 'idempotent',
    type: 'boolean',
    meaning: 'The service recognizes a message that it was given before, by {{ notification_id }}.',
    required: false,
  },
  text(
    'check_url',
    'A URL on the same host that answers a GET with these headers. Used to verify the settings.',
    {
      max: 2000,
    },
  ),
  text('success_statuses', 'Statuses of a success, such as 200, 202. 200-299 by default.'),
  pointer('success_pointer', 'a value that a success has.'),
  text('success_value', 'The value that a success has there. Any value by default.'),
  pointer('message_id_pointer', 'the id of the message, in a success.'),
  pointer('error_code_pointer', 'the code of an error.'),
  pointer('error_message_pointer', 'the message of an error.'),
  map('error_classes', `A status (409), a family (5xx) or a code, each with ${errorClasses.join(', ')}.`),
  text(
    'callback_auth',
    'How callbacks prove that they come from the service. Without it, all are rejected.',
    {
      options: callbackAuths,
      callback: true,
    },
  ),
  text('callback_header', 'The header with the secret, or with the HMAC of the body.'),
  text('callback_secret', 'The secret in that header, or the key of the HMAC.', { secret: true, max: 1000 }),
  pointer('callback_items_pointer', 'the list of events, when a callback has several.'),
  pointer('callback_id_pointer', 'the notification_id that was sent with the message, in an event.'),
  pointer('callback_status_pointer', 'the status of the message, in an event.', { callback: true }),
  map('callback_statuses', `Each status of the service with ${callbackStatuses.join(', ')}.`, {
    callback: true,
  }),
  pointer('callback_event_pointer', 'the id of the event.'),
  pointer('callback_time_pointer', 'the time of the event: ISO 8601 or Unix.'),
  pointer('callback_detail_pointer', 'a description of the event.'),
];

/** Replies exist on SMS alone. */
export const replyFields: readonly Field[] = [
  pointer('reply_from_pointer', 'the number that a reply comes from.'),
  pointer('reply_text_pointer', 'the text of a reply. STOP and START are recognized.'),
];
