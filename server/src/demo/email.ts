import type { Notification } from '../features/notifications/notifications/index.ts';
import type { DemoEnvironment, DemoStep } from './environment.ts';

export const emailSteps: DemoStep[] = [
  emailScene('An email that is delivered', 'delivered@sandbox.test', 'delivered'),
  emailScene('An email that fails once, then is accepted', 'refused-once@sandbox.test', 'delivered'),
  { title: 'An email that bounces, and the next email to that address', play: playBounce },
  { title: 'An unreachable provider, and failover to the next one', play: playFailover },
];

function emailScene(title: string, address: string, end: Notification['status']): DemoStep {
  return {
    title: `${title} (${address})`,
    async play({ call, showLife }) {
      const { id } = await call<Notification>('POST', '/v1/notifications', {
        channel: 'email',
        recipient: { address },
        subject: 'Hello',
        text_body: 'Hello from Carillon.',
      });
      await showLife(id, end);
    },
  };
}

const hello = { channel: 'email', subject: 'Hello', text_body: 'Hello from Carillon.' };

async function playBounce({ call, showLife }: DemoEnvironment): Promise<void> {
  const request = { ...hello, recipient: { address: 'bounced+demo@sandbox.test' } };
  const first = await call<Notification>('POST', '/v1/notifications', request);
  await showLife(first.id, 'bounced');
  const second = await call<Notification>('POST', '/v1/notifications', request);
  await showLife(second.id, 'suppressed');
}

/** Runs in Live, which has the provider chain; the first provider's port is closed, and the second is the sandbox. */
async function playFailover({ call, showLife, liveKey }: DemoEnvironment): Promise<void> {
  const { environment_id } = await call<{ environment_id: string }>('GET', '/v1/me', undefined, liveKey);
  const settings = {
    from_address: 'hello@example.com',
    providers: [
      { kind: 'smtp', name: 'first', config: { host: '127.0.0.1', port: 1 } },
      { kind: 'sandbox', name: 'second' },
    ],
  };
  await call('PUT', `/v1/environments/${environment_id}/email-settings`, settings, liveKey);
  const request = { ...hello, recipient: { address: 'ada@example.com' } };
  const { id } = await call<Notification>('POST', '/v1/notifications', request, liveKey);
  await showLife(id, 'delivered', liveKey);
}

export const templateSteps: DemoStep[] = [
  { title: 'One template in two languages, with a layout and a partial', play: playLanguages },
];

const key = 'parcel_arrived';
const messages = {
  en: {
    subject: 'Your parcel is here',
    parcels: { one: 'One parcel.', other: '%{count} parcels.' },
    bye: 'See you soon',
  },
  de: {
    subject: 'Ihr Paket ist da',
    parcels: { one: 'Ein Paket.', other: '%{count} Pakete.' },
    bye: 'Bis bald',
  },
};

async function playLanguages({ call, showLife }: DemoEnvironment): Promise<void> {
  for (const [locale, catalogue] of Object.entries(messages))
    await call('PUT', `/v1/translations/${locale}`, { messages: catalogue, is_default: locale === 'en' });
  await call('PUT', '/v1/partials/signature', { template: "<footer>{{ 'bye' | t }}, Acme</footer>" });
  await call('PUT', '/v1/layouts/acme', {
    channel: 'email',
    html_template: "<main>{{ content }}</main>{% render 'signature' %}",
  });
  const body = {
    channel: 'email',
    subject_template: "{{ 'subject' | t }}",
    html_template: "<p>{{ 'parcels' | t: count: parcels }}</p>",
    layout: 'acme',
  };
  await call('POST', '/v1/templates', { key, name: 'Parcel arrived', bodies: [body] });
  for (const [locale, parcels] of [
    ['en', 1],
    ['de', 3],
  ]) {
    const { id } = await call<Notification>('POST', '/v1/notifications', {
      channel: 'email',
      recipient: { address: 'delivered@sandbox.test' },
      template_key: key,
      template_data: { locale, parcels },
    });
    await showLife(id, 'delivered');
    const { subject, html_body } = await call<Notification>('GET', `/v1/notifications/${id}`);
    console.log(`  ${locale}  ${subject}  ${html_body}\n`);
  }
}
