import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Channel } from '../channels/contract.ts';
import type { Notification } from '../features/notifications/notifications/index.ts';
import { withVendor } from '../kernel/vendors.ts';
import { type DemoEnvironment, type DemoStep, until } from './environment.ts';

export const channelSteps: DemoStep[] = [
  { title: 'One notification on all seven channels, and the messages in the sandbox', play: playChannels },
];

const key = 'parcel_sent';

async function playChannels(demo: DemoEnvironment): Promise<void> {
  await connect(demo);
  const recipients: Record<Channel, object> = {
    email: { address: 'ada@example.com' },
    in_app: { external_user_id: 'hedy' },
    webhook: { address: 'https://ada.example/hooks' },
    sms: { address: '+14155550123' },
    chatone: { chatone_channel_id: 'C024BE91L' },
    chattwo: { endpoint: 'warehouse' },
    chatthree: { endpoint: 'warehouse' },
  };
  for (const [channel, recipient] of Object.entries(recipients)) {
    const { id } = await demo.call<Notification>('POST', '/v1/notifications', {
      channel,
      recipient,
      template_data: { parcel: 'C-1042' },
      ...(channel === 'webhook' ? {} : { template_key: key }),
    });
    const kept = await until(`${channel} should have ended in the sandbox.`, async () => {
      const page = `/v1/sandbox/messages?notification_id=${id}`;
      return (await demo.call<{ data: { payload: object }[] }>('GET', page)).data[0] ?? null;
    });
    const line = JSON.stringify(kept.payload);
    console.log(
      `  ${withVendor(channel).padEnd(25)}  ${line.length > 110 ? `${line.slice(0, 109)}…` : line}`,
    );
  }
  console.log('');
}

/** Sets up content and endpoints for each channel: none of it is real, and in Test nothing is called. */
async function connect({ call }: DemoEnvironment): Promise<void> {
  const text = 'Parcel {{ parcel }} is on its way.';
  await call('POST', '/v1/templates', {
    key,
    name: 'Parcel sent',
    subject_template: text,
    html_body_template: `<p>${text}</p>`,
  });
  const bodies = {
    in_app: { subject_template: 'On its way', html_template: `<p>${text}</p>` },
    sms: { text_template: text },
    chatone: { structured_template: JSON.stringify([{ type: 'section', text: { type: 'mrkdwn', text } }]) },
    chattwo: {
      structured_template: JSON.stringify({
        type: 'AdaptiveCard',
        version: '1.5',
        body: [{ type: 'TextBlock', text }],
      }),
    },
    chatthree: { structured_template: JSON.stringify({ title: 'On its way', description: text }) },
  };
  for (const [channel, body] of Object.entries(bodies))
    await call('PUT', `/v1/templates/${key}/bodies/${channel}`, body);
  await call('POST', '/v1/chatone/installations', { bot_token: 'xoxb-sandbox-demo' });
  await call('POST', '/v1/chattwo-endpoints', {
    label: 'Warehouse',
    webhook_url: 'https://prod-1.westus.logic.azure.com/workflows/demo/triggers/manual/paths/invoke?sig=demo',
  });
  await call('POST', '/v1/chatthree-endpoints', {
    label: 'Warehouse',
    webhook_url: 'https://discord.com/api/webhooks/1/demo',
  });
}

export const webhookSteps: DemoStep[] = [
  { title: 'A webhook endpoint that fails twice, then succeeds', play: playWebhook },
];

interface Page<Row> {
  data: Row[];
}

/** The receiver is in this process, and is called like any other. */
async function playWebhook({ call, showLife }: DemoEnvironment): Promise<void> {
  let calls = 0;
  const receiver = createServer((request, response) => {
    calls += 1;
    request.resume();
    response.writeHead(calls <= 2 ? 500 : 204).end();
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const { port } = receiver.address() as AddressInfo;
  try {
    const { id: endpoint } = await call<{ id: string }>('POST', '/v1/webhook-endpoints', {
      url: `http://127.0.0.1:${port}/hooks`,
      event_filters: ['notification.delivered'],
    });
    const { id } = await call<Notification>('POST', '/v1/notifications', {
      channel: 'email',
      recipient: { address: 'delivered@sandbox.test' },
      subject: 'Hello',
      text_body: 'Hello from Carillon.',
    });
    await showLife(id, 'delivered');
    const deliveries = `/v1/webhook-endpoints/${endpoint}/deliveries`;
    const succeeded = () => call<Page<{ id: string }>>('GET', `${deliveries}?status=succeeded`);
    const delivery = await until(
      'The event should have been delivered.',
      async () => (await succeeded()).data[0] ?? null,
    );
    const attempts = await call<Page<{ attempted_at: string; http_status_code: number; latency_ms: number }>>(
      'GET',
      `${deliveries}/${delivery.id}/attempts`,
    );
    for (const attempt of attempts.data.reverse())
      console.log(`  ${attempt.attempted_at}  ${attempt.http_status_code}  ${attempt.latency_ms} ms`);
    console.log('  → notification.delivered arrived at the third attempt.\n');
  } finally {
    receiver.close();
  }
}
