import type { Notification } from '../features/notifications/notifications/index.ts';
import type { DemoEnvironment, DemoStep } from './environment.ts';

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
