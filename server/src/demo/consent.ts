import type { Notification, Trace } from '../features/notifications/index.ts';
import { type Scene, type Stage, until } from './stage.ts';

export const consentScenes: Scene[] = [
  { title: 'Somebody who opted out of a category', play: playOptOut },
  { title: 'Somebody whose quiet hours it is', play: playQuietHours },
  { title: 'Somebody who uses the unsubscribe link of an email', play: playUnsubscribe },
];

/** An email of a category, which is made by the first scene that needs it. */
async function sendNews({ call }: Stage, externalUserId: string): Promise<string> {
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
    text_body: 'Something is new.',
  });
  return id;
}

async function playOptOut(stage: Stage): Promise<void> {
  await stage.showLife(await sendNews(stage, 'ada'), 'delivered');
  await stage.call('PATCH', '/v1/preferences/users/ada/news/email', { opted_in: false });
  console.log('  … opts out …\n');
  await stage.showLife(await sendNews(stage, 'ada'), 'suppressed');
}

async function playQuietHours(stage: Stage): Promise<void> {
  const clock = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  await stage.call('PUT', '/v1/preferences/users/grace/quiet-hours', {
    start_local: clock(-1),
    end_local: clock(8),
    timezone: 'UTC',
  });
  const id = await sendNews(stage, 'grace');
  await until(
    'It should have been held back.',
    async () => (await stage.call<Trace>('GET', `/v1/notifications/${id}/trace`)).next_attempt_at,
  );
  await stage.showLife(id, 'queued');
}

async function playUnsubscribe(stage: Stage): Promise<void> {
  const id = await sendNews(stage, 'joan');
  await stage.showLife(id, 'delivered');
  const { data } = await stage.call<{ data: { payload: { headers: Record<string, string> } }[] }>(
    'GET',
    `/v1/sandbox/messages?notification_id=${id}`,
  );
  const link = data[0]?.payload.headers['List-Unsubscribe'] ?? '';
  console.log(`  List-Unsubscribe: ${link}\n  … the mail provider posts to it …\n`);
  await fetch(link.slice(1, -1), {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  });
  await stage.showLife(await sendNews(stage, 'joan'), 'suppressed');
}
