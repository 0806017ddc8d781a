import type { Body } from './definition.ts';

const recipient = { address: '{{ trigger.email }}' };
const emailSchema = { type: 'string', format: 'email' };

/** Example bodies; each is valid in an empty environment. */
export const starters = {
  welcome: {
    trigger_data_schema: {
      type: 'object',
      required: ['email', 'name'],
      properties: { email: emailSchema, name: { type: 'string' } },
    },
    steps: [
      {
        id: 'welcome',
        kind: 'send',
        channel: 'email',
        recipient,
        subject: 'Welcome, {{ trigger.name }}',
        text_body: 'Good to have you. Reply to this message if anything is unclear.',
      },
      { id: 'pause', kind: 'delay', duration: '3d' },
      {
        id: 'tips',
        kind: 'send',
        channel: 'email',
        recipient,
        subject: 'Three things to try',
        text_body: 'Hello {{ trigger.name }}, here is what others do in their first week.',
      },
    ],
  },
  event: {
    trigger_data_schema: {
      type: 'object',
      required: ['order_id', 'email'],
      properties: { order_id: { type: 'string' }, email: emailSchema },
    },
    steps: [
      {
        id: 'payment',
        kind: 'wait_for_event',
        event: 'paid',
        match: { order_id: '{{ trigger.order_id }}' },
        timeout: '2d',
        on_timeout: 'remind',
        lookback: true,
        next: 'thank',
      },
      {
        id: 'remind',
        kind: 'send',
        channel: 'email',
        recipient,
        subject: 'Your order {{ trigger.order_id }} is waiting',
        text_body: 'It ships as soon as it is paid.',
        next: 'end',
      },
      {
        id: 'thank',
        kind: 'send',
        channel: 'email',
        recipient,
        subject: 'Thank you',
        text_body: 'We received your payment for {{ trigger.order_id }}.',
      },
    ],
  },
  digest: {
    trigger_data_schema: {
      type: 'object',
      required: ['external_user_id', 'text'],
      properties: { external_user_id: { type: 'string' }, text: { type: 'string' } },
    },
    steps: [
      {
        id: 'collect',
        kind: 'digest',
        key: '{{ trigger.external_user_id }}',
        window: '1h',
        max_items: 50,
      },
      {
        id: 'summary',
        kind: 'send',
        channel: 'in_app',
        recipient: { external_user_id: '{{ trigger.external_user_id }}' },
        subject: '{{ digest.count }} new comments',
        html_body: '{% for item in digest.items %}<p>{{ item.text }}</p>{% endfor %}',
      },
    ],
  },
  blank: {
    trigger_data_schema: { type: 'object', required: ['email'], properties: { email: emailSchema } },
    steps: [
      {
        id: 'hello',
        kind: 'send',
        channel: 'email',
        recipient,
        subject: 'Hello',
        text_body: 'The first message of this workflow.',
      },
    ],
  },
} satisfies Record<string, Body>;

export type Starter = keyof typeof starters;
