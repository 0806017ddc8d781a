import { describe, expect, test } from 'vitest';
import { type Json, useChats } from './test-harness.ts';

const chats = useChats();

const send = (channel: string, recipient: object) =>
  chats.live('POST', '/v1/notifications', { channel, recipient, template_key: 'hello' });
const refusalOf = ({ status, body }: { status: number; body: Json }) => [
  status,
  body.error?.code,
  body.error?.param,
];

describe('recipient.address of a chatone send', () => {
  test.each([
    ['a channel', 'C024BE91L'],
    ['a user', 'U024BE7LH'],
  ])('is the id of %s, like the typed field', async (_what, id) => {
    const { token } = chats.chatone.addToken({ teamId: 'T0ADDRESS', teamName: 'Address' });
    await chats.live('POST', '/v1/chatone/installations', { bot_token: token });
    chats.chatone.addChannel(id);
    const sent = await send('chatone', { address: id });
    expect([sent.status, sent.body.recipient]).toEqual([202, { address: id, name: null }]);
    const typed = id.startsWith('U') ? 'chatone_user_id' : 'chatone_channel_id';
    expect((await send('chatone', { address: id, [typed]: id })).status).toBe(202);
    expect(refusalOf(await send('chatone', { address: id, [typed]: `${id}X` }))).toEqual([
      400,
      'recipient_invalid',
      'recipient.address',
    ]);
  });

  test('that is a user is remembered with external_user_id', async () => {
    expect((await send('chatone', { address: 'U0PAIRED', external_user_id: 'paired' })).status).toBe(202);
    expect((await chats.live('GET', '/v1/users/paired')).body.chatone_user_id).toBe('U0PAIRED');
    expect((await send('chatone', { external_user_id: 'paired' })).body.recipient.address).toBe('U0PAIRED');
  });

  test('that is no id is refused', async () => {
    const refused = await send('chatone', { address: '#general' });
    expect(refusalOf(refused)).toEqual([400, 'recipient_invalid', 'recipient.address']);
    expect(refused.body.error.message).toContain('Slack (chatone)');
  });
});

describe.each([
  ['chattwo', () => chats.chattwo.addFlow().url],
  ['chatthree', () => chats.chatthree.addWebhook().url],
] as const)('recipient.address of a %s send', (channel, newUrl) => {
  test('is the key or the id of an endpoint, like the typed fields', async () => {
    const key = `${channel}-address`;
    const { body: endpoint } = await chats.live('POST', `/v1/${channel}-endpoints`, {
      label: 'Address',
      key,
      webhook_url: newUrl(),
    });
    for (const recipient of [
      { address: key },
      { address: endpoint.id },
      { address: key, endpoint: key },
      { address: endpoint.id, [`${channel}_endpoint_id`]: endpoint.id },
    ]) {
      const sent = await send(channel, recipient);
      expect([sent.status, sent.body.recipient?.address]).toEqual([202, key]);
    }
    expect(refusalOf(await send(channel, { address: 'another', endpoint: key }))).toEqual([
      400,
      'recipient_invalid',
      'recipient.address',
    ]);
    expect(refusalOf(await send(channel, { address: 'nowhere' }))).toEqual([
      400,
      'endpoint_not_found',
      'recipient.address',
    ]);
  });
});
