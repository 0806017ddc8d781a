import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Notification } from '../features/notifications/notifications/index.ts';
import { type DemoEnvironment, type DemoStep, until } from './environment.ts';

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
