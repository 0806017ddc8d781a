import type { Notification } from '../features/notifications/notifications/index.ts';
import { type DemoEnvironment, type DemoStep, until } from './environment.ts';

export const inboxSteps: DemoStep[] = [
  { title: 'One inbox on two devices: an item read on one device is read on the other', play: playInbox },
  { title: 'An inbox item with two actions, and the one that the user chooses', play: playAction },
];

interface ActionItem {
  actions: { label: string }[];
  action_taken: { key: string } | null;
}

const inboxToken = async ({ call }: DemoEnvironment): Promise<string> => {
  const request = { external_user_id: 'ada', scope: 'inbox', ttl_seconds: 60 };
  return (await call<{ token: string }>('POST', '/v1/inbox/tokens', request)).token;
};

/** Two streams of the same user stay open while an item arrives and is read. */
async function playInbox(demo: DemoEnvironment): Promise<void> {
  const { url, call } = demo;
  const token = await inboxToken(demo);
  const abort = new AbortController();
  const received: string[] = [];
  const follow = async (device: string): Promise<void> => {
    const headers = { authorization: `Bearer ${token}` };
    const stream = await fetch(`${url}/inbox/v1/stream`, { headers, signal: abort.signal });
    for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      for (const [, event, data] of chunk.matchAll(/^event: (.*)\ndata: (.*)$/gm)) {
        const line = `${device.padEnd(6)}  ${event?.padEnd(21)}  ${data}`;
        received.push(line);
        console.log(`  ${line.length > 120 ? `${line.slice(0, 119)}…` : line}`);
      }
    }
  };
  const bothTold = (event: string): Promise<true> =>
    until(`Both devices should have received ${event}.`, () =>
      received.filter((line) => line.includes(event)).length >= 2 ? true : null,
    );
  const streams = ['phone', 'laptop'].map((device) => follow(device).catch(() => {}));
  try {
    await bothTold('"unread_count":0');
    const { id } = await call<Notification>('POST', '/v1/notifications', {
      channel: 'in_app',
      recipient: { external_user_id: 'ada' },
      subject: 'Your order is on its way',
      html_body: '<p>We will notify you when it arrives.</p>',
    });
    await bothTold('"unread_count":1');
    console.log('  … the user reads it on the phone …');
    await call('POST', `/inbox/v1/notifications/${id}/read`, undefined, token);
    await bothTold('notification.read');
    console.log('');
  } finally {
    abort.abort();
    await Promise.all(streams);
  }
}

async function playAction(demo: DemoEnvironment): Promise<void> {
  const { call, showLife } = demo;
  const token = await inboxToken(demo);
  const { id } = await call<Notification>('POST', '/v1/notifications', {
    channel: 'in_app',
    recipient: { external_user_id: 'ada' },
    subject: 'Grace asks for 120 € for books',
    html_body: '<p>Three books about compilers.</p>',
    tags: ['expenses'],
    actions: [
      { key: 'approve', label: 'Approve', style: 'primary' },
      { key: 'decline', label: 'Decline' },
    ],
  });
  await showLife(id, 'delivered');
  const choice = `/inbox/v1/notifications/${id}/actions/approve`;
  const { actions, action_taken } = await call<ActionItem>('POST', choice, undefined, token);
  console.log(`  ${actions.map(({ label }) => `[ ${label} ]`).join(' ')}  → ${action_taken?.key}\n`);
}
