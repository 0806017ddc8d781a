import { expect } from 'vitest';
import type { TestApp } from '../../server/test/harness/app.ts';

/** One of each chat connection in Test, and a template with a body for every channel that needs one. */
export async function setUpChats({ request }: TestApp): Promise<void> {
  const make = async (method: string, path: string, body: unknown) => {
    const answer = await request(method, path, { body });
    expect([path, answer.status, answer.body.error]).toEqual([path, expect.toBeOneOf([200, 201]), undefined]);
  };
  await make('POST', '/v1/chatone/installations', { bot_token: 'xoxb-sandbox-1' });
  await make('POST', '/v1/chattwo-endpoints', {
    label: 'Ops',
    key: 'ops',
    webhook_url: 'https://prod-1.westus.logic.azure.com/workflows/a/triggers/manual/paths/invoke?sig=s',
  });
  await make('POST', '/v1/chatthree-endpoints', {
    label: 'Ops',
    key: 'ops',
    default_username: 'Deploy bot',
    webhook_url: 'https://discord.com/api/webhooks/123/abc',
  });
  await make('POST', '/v1/templates', {
    key: 'deploy-done',
    name: 'Deploy done',
    subject_template: '{{ service }} is live',
    html_body_template: '<h1>{{ service }}</h1><p>Version {{ version }} is live.</p>',
    text_body_template: '{{ service }} {{ version }} is live.',
  });
  for (const [channel, structured] of Object.entries(structures)) {
    await make('PUT', `/v1/templates/deploy-done/bodies/${channel}`, {
      structured_template: JSON.stringify(structured),
    });
  }
}

const structures = {
  chatone: {
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: '{{ service }} is live' } },
      {
        type: 'section',
        text: {
          type: 'mrkdwn',
          text: '*Version {{ version }}* is _out_ by `ci`. <https://example.com/deploys/7|See the changes>\n• faster lists\n• fewer bugs',
        },
        accessory: { type: 'image', image_url: 'https://example.com/logo.png', alt_text: 'Logo' },
      },
      {
        type: 'section',
        fields: [
          { type: 'mrkdwn', text: '*Region*\neu-west' },
          { type: 'mrkdwn', text: '*Took*\n3 min' },
        ],
      },
      { type: 'divider' },
      { type: 'context', elements: [{ type: 'mrkdwn', text: 'Sent by <!here|@here> rules' }] },
      {
        type: 'actions',
        elements: [
          {
            type: 'button',
            style: 'primary',
            text: { type: 'plain_text', text: 'Open' },
            url: 'https://example.com/deploys/7',
          },
          { type: 'static_select', action_id: 'a', placeholder: { type: 'plain_text', text: 'Assign' } },
        ],
      },
    ],
  },
  chattwo: {
    type: 'AdaptiveCard',
    version: '1.5',
    body: [
      { type: 'TextBlock', size: 'Large', weight: 'Bolder', text: '{{ service }} is live' },
      {
        type: 'TextBlock',
        isSubtle: true,
        wrap: true,
        text: 'Version **{{ version }}** by [ci](https://example.com)',
      },
      {
        type: 'ColumnSet',
        columns: [
          {
            type: 'Column',
            width: 'auto',
            items: [{ type: 'Image', url: 'https://example.com/a.png', size: 'Small', altText: 'Ada' }],
          },
          {
            type: 'Column',
            width: 'stretch',
            items: [
              {
                type: 'FactSet',
                facts: [
                  { title: 'Region', value: 'eu-west' },
                  { title: 'Took', value: '3 min' },
                ],
              },
            ],
          },
        ],
      },
      {
        type: 'Container',
        style: 'good',
        items: [{ type: 'TextBlock', text: 'All checks passed', color: 'Good' }],
      },
      { type: 'Input.Text', id: 'comment', placeholder: 'Say something' },
    ],
    actions: [{ type: 'Action.OpenUrl', title: 'Open', url: 'https://example.com/deploys/7' }],
  },
  chatthree: [
    {
      title: '{{ service }} is live',
      url: 'https://example.com/deploys/7',
      description:
        'Version **{{ version }}** is out. [Changes](https://example.com)\n- faster lists\n- fewer bugs',
      color: 3_447_003,
      author: { name: 'ci' },
      thumbnail: { url: 'https://example.com/t.png' },
      fields: [
        { name: 'Region', value: 'eu-west', inline: true },
        { name: 'Took', value: '3 min', inline: true },
      ],
      footer: { text: 'Carillon' },
      timestamp: '2026-03-01T12:00:00Z',
    },
  ],
};

/** Hostile and long, right to left, with pictures from outside. */
export const newsletter = `<style>body{background:#f6f6f4}</style>
<div style="max-width:560px;margin:0 auto;padding:24px;background:#fff">
<h1 style="margin:0 0 8px">Your order is on its way</h1>
<img src="https://example.com/pixel.png" alt="A parcel" width="200" height="80">
<p>Hello Ada, we have handed <b>3 items</b> to the carrier.</p>
<p dir="rtl">مرحبا، طلبك في الطريق</p>
<script>document.title = 'taken over'; parent.document.title = 'taken over';</script>
<p><a href="https://example.com/track/1">Follow the parcel</a></p></div>`;

/** One message of every channel, all of them sent. Returns the ids by channel. */
export async function sendOneOfEach(app: TestApp): Promise<Record<string, string>> {
  const data = { template_key: 'deploy-done', template_data: { service: 'Checkout', version: '4.2.0' } };
  const requests: Record<string, object> = {
    email: {
      recipient: { address: 'ada@sandbox.test', name: 'Ada' },
      subject: 'Your order is on its way',
      html_body: newsletter,
      attachments: [
        {
          filename: 'invoice-2026-0301.pdf',
          content_type: 'application/pdf',
          content_base64: Buffer.alloc(48_000, 'a').toString('base64'),
        },
      ],
    },
    sms: { recipient: { address: '+15005550006' }, text_body: 'Your code is 482 913. Ne le partagez pas ☂.' },
    in_app: {
      recipient: { external_user_id: 'ada' },
      subject: 'Grace mentioned you',
      html_body: '<p>In the comments of <b>Quarterly report</b>.</p>',
      action_url: 'https://example.com/reports/7',
      tags: ['mentions'],
      actions: [
        { key: 'reply', label: 'Reply', style: 'primary' },
        { key: 'mute', label: 'Mute the thread' },
      ],
    },
    webhook: {
      recipient: { address: 'https://example.com/hooks/orders' },
      text_body: 'order.shipped',
      template_data: { order: 7 },
    },
    chatone: { recipient: { chatone_channel_id: 'C024BE91L' }, ...data },
    chattwo: { recipient: { endpoint: 'ops' }, ...data },
    chatthree: { recipient: { endpoint: 'ops' }, ...data },
  };
  const ids: Record<string, string> = {};
  for (const [channel, request] of Object.entries(requests)) {
    const { status, body } = await app.request('POST', '/v1/notifications', {
      body: { channel, ...request },
    });
    expect([channel, status, body.error]).toEqual([channel, 202, undefined]);
    ids[channel] = body.id;
  }
  for (const id of Object.values(ids))
    await app.waitFor(id, ({ status }) => ['sent', 'delivered'].includes(status));
  return ids;
}

/** Without what the frame of a hostile email makes the browser say: that it ran no script and fetched no picture. */
export function quiet(complaints: string[]): string[] {
  return complaints.filter((each) => !/Blocked script execution|sandboxed|"img-src data:"/.test(each));
}
