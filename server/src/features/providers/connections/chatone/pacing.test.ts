import { expect, test } from 'vitest';
import { isDone, useChats } from '../test-harness.ts';

const chats = useChats();

test('more messages for one channel than the service takes are held back, all arrive, and no attempt is burnt', async () => {
  const { token } = chats.chatone.addToken({ teamId: 'T0BUSY' });
  await chats.live('POST', '/v1/chatone/installations', { bot_token: token });
  chats.chatone.addChannel('C0BUSY');
  const notifications = Array.from({ length: 8 }, () => ({
    channel: 'chatone',
    recipient: { chatone_channel_id: 'C0BUSY' },
    template_key: 'hello',
  }));
  const { body } = await chats.live('POST', '/v1/notifications/batch', { notifications });
  for (const { notification } of body.data) {
    const done = await chats.until(notification.id, isDone);
    expect([done.status, done.attempt_count]).toEqual(['delivered', 1]);
  }
  expect(chats.chatone.posts.filter(({ teamId }) => teamId === 'T0BUSY')).toHaveLength(8);
}, 60_000);
