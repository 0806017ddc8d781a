import type { Notification, Trace } from '../features/notifications/notifications/index.ts';
import { type DemoEnvironment, type DemoStep, until } from './environment.ts';

export const consentSteps: DemoStep[] = [
  { title: 'A user who opted out of a category', play: playOptOut },
  { title: 'A user in quiet hours', play: playQuietHours },
  { title: 'A user who clicks the unsubscribe link of an email', play: playUnsubscribe },
];

/** Sends an email of a category, which the first scene that needs it creates. */
async function sendNews({ call }: DemoEnvironment, externalUserId: string): Promise<string> {
  const categories = await call<{ data: unknown[] }>('GET', '/v1/preferences/categories');
  if (categories.data.length === 0) {
    const category = { key: 'news', name: 'Product news', default_channels: ['email'] };
    await call('POST', '/v1/preferences/categories', category);
  }
  const { id } = await call<Notification>('POST', '/v1/notifications', {
    channel: 'email',
    recipient: { external_user_id: externalUserId, address: `${externalUserId}@example.com` },
    category: 'news',
    subject: 'News',
    text_body: 'Read the latest product news.',
  });
  return id;
}

async function playOptOut(demo: DemoEnvironment): Promise<void> {
  await demo.showLife(await sendNews(demo, 'ada'), 'delivered');
  await demo.call('PATCH', '/v1/preferences/users/ada/news/email', { opted_in: false });
  console.log('  … opts out …\n');
  await demo.showLife(await sendNews(demo, 'ada'), 'suppressed');
}

async function playQuietHours(demo: DemoEnvironment): Promise<void> {
  const clock = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  await demo.call('PUT', '/v1/preferences/users/grace/quiet-hours', {
    start_local: clock(-1),
    end_local: clock(8),
    timezone: 'UTC',
  });
  const id = await sendNews(demo, 'grace');
  await until(
    'The notification should have been delayed.',
    async () => (await demo.call<Trace>('GET', `/v1/notifications/${id}/trace`)).next_attempt_at,
  );
  await demo.showLife(id, 'queued');
}

async function playUnsubscribe(demo: DemoEnvironment): Promise<void> {
  const id = await sendNews(demo, 'joan');
  await demo.showLife(id, 'delivered');
  const { data } = await demo.call<{ data: { payload: { headers: Record<string, string> } }[] }>(
    'GET',
    `/v1/sandbox/messages?notification_id=${id}`,
  );
  const link = data[0]?.payload.headers['List-Unsubscribe'] ?? '';
  console.log(`  List-Unsubscribe: ${link}\n  … the mailbox provider posts to it …\n`);
  await fetch(link.slice(1, -1), {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  });
  await demo.showLife(await sendNews(demo, 'joan'), 'suppressed');
}
