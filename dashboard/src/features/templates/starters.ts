import type { Channel } from '../../strings/common.ts';
import { type Body, emptyBody } from './content.ts';

const blocks = [
  { type: 'header', text: { type: 'plain_text', text: 'Order {{ order.number }}' } },
  {
    type: 'section',
    text: { type: 'mrkdwn', text: 'Hello {{ name }}, your order is *on its way*.' },
  },
];
const card = {
  type: 'AdaptiveCard',
  version: '1.5',
  body: [
    { type: 'TextBlock', text: 'Order {{ order.number }}', weight: 'Bolder', size: 'Medium' },
    { type: 'TextBlock', text: 'Hello {{ name }}, your order is on its way.', wrap: true },
  ],
};
const embeds = [
  { title: 'Order {{ order.number }}', description: 'Hello {{ name }}, your order is on its way.' },
];
const event = { event: 'order.shipped', order: '{{ order.number }}', customer: '{{ name }}' };
const pretty = (value: unknown) => JSON.stringify(value, null, 2);

const starters: Record<Channel, Partial<Body>> = {
  email: {
    subject_template: 'Your order {{ order.number }} is on its way',
    html_template: `<h1>Hello {{ name }}</h1>
<p>Your order <strong>{{ order.number }}</strong> is on its way.</p>
{% if order.tracking_url %}
<p><a href="{{ order.tracking_url }}">Follow it</a></p>
{% endif %}
`,
  },
  in_app: {
    subject_template: 'Order {{ order.number }}',
    text_template: 'Hello {{ name }}, your order is on its way.',
  },
  sms: { text_template: 'Hello {{ name }}, your order {{ order.number }} is on its way.' },
  webhook: { structured_template: pretty(event) },
  chatone: { structured_template: pretty(blocks) },
  chattwo: { structured_template: pretty(card) },
  chatthree: { structured_template: pretty(embeds) },
};

/** A small working message to start from. */
export function starterBody(channel: Channel): Body {
  return { ...emptyBody({ channel, locale: null }), ...starters[channel] };
}

/** The data of the starters. */
export const starterData = {
  name: 'Ada',
  order: { number: '1042', tracking_url: 'https://example.com/track/1042' },
};
