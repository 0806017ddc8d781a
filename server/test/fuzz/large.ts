import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { newId } from '../../src/kernel/ids.ts';
import type { FuzzTarget } from './target.ts';
import { send } from './templates.ts';
import type { Area, Trial } from './trial.ts';
import type { JsonObject } from './values.ts';

/** What is repeated; the search changes how often, and what. The request itself is far larger than its description. */
const units = ['a', '<p>Hi</p>\n', '<b>', '"', '\\', '\n', 'é', '字', '😀', '&amp;', '{{ a }}'];
const maxBatch = 500;
const maxEvents = 2_000;
const maxBytes = 20_000_000;
const bytesOfEvents = 950_000;

/** Single requests as large as operations accept: batches, attachments, and callbacks with many reports. */
export const large: Area = {
  name: 'large requests',
  known: [
    { kind: 'callback', count: 2_000, size: 200, unit: '250 OK ', subjects: 2_000 },
    { kind: 'batch', count: 500, size: 40_000, unit: '<p>Hi</p>\n', field: 'html_body' },
    { kind: 'attachment', count: 1, size: 15_000_000, unit: 'It rings.' },
    { kind: 'batch', count: 100, size: 10_000, unit: '<p>Hi</p>\n', field: 'html_body' },
    { kind: 'callback', count: 2_000, size: 1, unit: 'a', subjects: 1 },
    { kind: 'batch', count: 500, size: 20_000, unit: '😀', field: 'text_body' },
    { kind: 'attachment', count: 20, size: 700_000, unit: '字' },
  ],
  // The whole of them takes longer than the rest of a brief run.
  sampleEvery: 4,
  fresh: (random) => ({
    kind: random.pick(['batch', 'attachment', 'callback']),
    count: random.size(2_000),
    size: random.size(400_000),
    unit: random.pick(units),
    field: random.pick(['html_body', 'text_body', 'subject', 'name', 'data']),
    subjects: random.pick([1, 50, 2_000]),
  }),
  async run(trial, input) {
    const unit = String(input.unit || 'a').slice(0, 100);
    const text = (most: number) => unit.repeat(atLeastOne(input.size, most) / unit.length);
    const count = (most: number) => Math.floor(atLeastOne(input.count, most));
    if (input.kind === 'callback') {
      const events = count(maxEvents);
      return report(
        trial,
        events,
        text(Math.max(1, bytesOfEvents / events - 250)),
        atLeastOne(input.subjects, maxEvents),
      );
    }
    if (input.kind === 'attachment') {
      const files = count(20);
      const bytes = Buffer.from(text(maxBytes)).subarray(0, 15_000_000 / files);
      const content_base64 = bytes.toString('base64');
      return send(trial, {
        ...{ channel: 'email', subject: 'x', text_body: 'Hi' },
        attachments: Array.from({ length: files }, (_, n) => ({
          ...{ filename: `${n}.txt`, content_type: 'text/plain', content_base64 },
        })),
      });
    }
    const length = count(maxBatch);
    const message = messageOf(String(input.field), text(maxBytes / 4 / length));
    const notifications = Array.from({ length }, (_, n) => ({
      ...{ channel: 'email', subject: 'x', recipient: { address: `a${n}@sandbox.test` } },
      ...message,
    }));
    const { body } = await trial.ask('POST batch', 'POST', '/v1/notifications/batch', { notifications });
    const last = body.data?.at(-1)?.notification?.id;
    if (last)
      await trial.afterwards('the sends of a batch', async () => {
        const path = `/v1/notifications/${last}`;
        return (await trial.target.request('GET', path)).body.status === 'delivered';
      });
  },
};

const atLeastOne = (value: unknown, most: number): number => Math.max(1, Math.min(Number(value) || 1, most));

function messageOf(field: string, text: string): JsonObject {
  switch (field) {
    case 'html_body':
      return { html_body: text };
    case 'subject':
      return { subject: text.replace(/\s/g, '').slice(0, 900), text_body: 'Hi' };
    case 'data':
      return { text_body: 'Hi', template_data: { a: [text, { b: text.slice(0, 100) }] } };
    default:
      return { text_body: text };
  }
}

interface Reporter {
  path: string;
  privateKey: KeyObject;
  notificationIds: string[];
}

const reporters = new WeakMap<FuzzTarget, Promise<Reporter>>();

/** A provider whose callbacks are signed with a key that the search knows, and sends for it to report about. */
async function createReporter(target: FuzzTarget): Promise<Reporter> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const key = { key: target.testKey };
  const { body: me } = await target.request('GET', '/v1/me', undefined, key);
  const webhook_public_key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const { body: settings } = await target.request(
    'PUT',
    `/v1/environments/${me.environment_id}/email-settings`,
    {
      from_address: 'bells@example.com',
      providers: [{ kind: 'sendgrid', config: { api_key: 'SG.fuzz', webhook_public_key } }],
    },
    key,
  );
  const { body: batch } = await target.request('POST', '/v1/notifications/batch', {
    notifications: Array.from({ length: maxBatch }, (_, n) => ({
      ...{ channel: 'email', subject: 'x', text_body: 'Hi', recipient: { address: `r${n}@sandbox.test` } },
    })),
  });
  return {
    path: new URL(settings.providers[0].callback_url).pathname,
    privateKey,
    notificationIds: batch.data.map(({ notification }: { notification: { id: string } }) => notification.id),
  };
}

/** One callback about so many notifications. */
async function report(trial: Trial, events: number, response: string, subjects: number): Promise<void> {
  const made = reporters.get(trial.target) ?? createReporter(trial.target);
  reporters.set(trial.target, made);
  const { path, privateKey, notificationIds } = await made;
  await trial.target.longestBlock();
  const timestamp = String(Math.floor(Date.now() / 1000));
  const body = Buffer.from(
    JSON.stringify(
      Array.from({ length: events }, (_, n) => ({
        ...{ event: 'delivered', email: `r${n}@example.com`, timestamp: Number(timestamp), response },
        sg_event_id: newId(),
        notification_id: notificationIds[n % Math.min(subjects, notificationIds.length)],
      })),
    ),
  );
  const signature = sign('sha256', Buffer.concat([Buffer.from(timestamp), body]), privateKey);
  await trial.ask('a signed callback', 'POST', path, body, {
    contentType: 'application/json',
    headers: {
      'x-twilio-email-event-webhook-signature': signature.toString('base64'),
      'x-twilio-email-event-webhook-timestamp': timestamp,
    },
  });
}
