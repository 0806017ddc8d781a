import { channels, liquid, recipients, send } from './templates.ts';
import type { Area } from './trial.ts';
import { hostileData, hostileText, type JsonObject } from './values.ts';

/** Words that come with the request, on every channel; several alike, so that lists have to show them together. */
export const sends: Area = {
  name: 'sends and their previews',
  sampleEvery: 6,
  known: [
    ...[
      '<b>',
      '<p>',
      '<table><tr><td>',
      '<ul><li>',
      '<a href="x">',
      '<blockquote>',
      '<',
      '&amp;',
      '<!--',
      '<br>',
    ].map((unit) => ({
      copies: 2,
      notification: { channel: 'email', subject: 'x', html_body: unit.repeat(99_000 / unit.length) },
    })),
    { copies: 2, notification: { channel: 'in_app', subject: 'x', html_body: '<b>'.repeat(33_000) } },
    { copies: 1, notification: { channel: 'sms', text_body: '😀'.repeat(20_000) } },
    { copies: 5, notification: { channel: 'email', subject: 'x', text_body: 'a'.repeat(99_000) } },
    ...['{{ a }}', '{% if a %}x{% endif %}', '{% assign a = a | append: a %}', '{{ a | upcase', '{{'].map(
      (unit) => ({
        copies: 5,
        notification: {
          channel: 'email',
          subject: '{{ a }}',
          html_body: unit.repeat(99_000 / unit.length),
          template_data: { a: 'x' },
        },
      }),
    ),
  ],
  fresh(random) {
    const channel = random.pick(channels);
    const notification: JsonObject = {
      channel,
      recipient: {
        ...recipients[channel],
        ...(random.chance(0.3) ? { name: hostileText(random, 200) } : {}),
      },
      subject: random.chance(0.7) ? 'Hello' : hostileText(random, 900),
      ...(random.chance(0.7) ? { html_body: hostileText(random, 60_000) } : {}),
      ...(random.chance(0.5)
        ? { text_body: random.chance(0.5) ? hostileText(random, 60_000) : liquid(random) }
        : {}),
      ...(random.chance(0.3) ? { template_data: hostileData(random, 20_000) } : {}),
      ...(random.chance(0.2)
        ? { from_name: hostileText(random, 180), reply_to: hostileText(random, 300) }
        : {}),
      ...(random.chance(0.2)
        ? {
            attachments: Array.from({ length: random.size(10) }, (_, n) => ({
              filename: hostileText(random, 100) + n,
              content_type: 'text/plain',
              content_base64: Buffer.from(hostileText(random, 2_000)).toString('base64'),
            })),
          }
        : {}),
    };
    return { copies: random.size(4), notification };
  },
  async run(trial, { copies, notification }) {
    await trial.ask('DELETE sandbox messages', 'DELETE', '/v1/sandbox/messages');
    for (let left = Math.min(20, Number(copies) || 1); left > 0; left -= 1)
      await send(trial, (notification ?? {}) as JsonObject);
    await trial.ask('GET notifications', 'GET', '/v1/notifications?limit=100');
  },
};
