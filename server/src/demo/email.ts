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
