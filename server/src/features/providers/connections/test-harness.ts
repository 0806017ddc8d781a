import { afterAll, beforeAll } from 'vitest';
import {
  type RequestOptions,
  startTestApp,
  type TestApp,
  type TestResponse,
  waitUntil,
} from '../../../../test/harness/app.ts';
import { type ChatoneSimulator, startChatoneSimulator } from '../../../../test/simulators/chatone.ts';
import { type ChatthreeSimulator, startChatthreeSimulator } from '../../../../test/simulators/chatthree.ts';
import { type ChattwoSimulator, startChattwoSimulator } from '../../../../test/simulators/chattwo.ts';
import type { EmailSender } from '../../../channels/email/plan.ts';
import type { EmailConnections } from './email/senders.ts';

export type Json = TestResponse['body'];

const blocks = '[{"type": "section", "text": {"type": "mrkdwn", "text": "Hello {{ name }}"}}]';
const card =
  '{"type": "AdaptiveCard", "version": "1.5", "body": [{"type": "TextBlock", "text": "Hello {{ name }}"}]}';
const embed = '{"title": "Hello {{ name }}"}';

/** A service with simulators of the three chat services, for a whole test file; the template `hello` has a body for each. */
export function useChats(settings: Record<string, string> = {}) {
  let app: TestApp;
  let chatone: ChatoneSimulator;
  let chattwo: ChattwoSimulator;
  let chatthree: ChatthreeSimulator;

  beforeAll(async () => {
    [chatone, chattwo, chatthree] = await Promise.all([
      startChatoneSimulator({ burst: 1_000 }),
      startChattwoSimulator({ burst: 1_000 }),
      startChatthreeSimulator({ burst: 1_000 }),
    ]);
    app = await startTestApp({
      settings: {
        CARILLON_CHATONE_API_URL: chatone.apiUrl,
        CARILLON_CHATONE_AUTHORIZE_URL: chatone.authorizeUrl,
        CARILLON_CHATONE_CLIENT_ID: chatone.clientId,
        CARILLON_CHATONE_CLIENT_SECRET: chatone.clientSecret,
        CARILLON_CHATONE_SIGNING_SECRET: chatone.signingSecret,
        CARILLON_CHATTWO_URL_PATTERNS: chattwo.patterns,
        CARILLON_CHATTHREE_URL_PATTERNS: chatthree.patterns,
        ...settings,
      },
    });
    for (const key of [app.testKey, app.liveKey]) {
      await app.request('POST', '/v1/templates', {
        key,
        body: {
          key: 'hello',
          name: 'Hello',
          bodies: [
            { channel: 'chatone', structured_template: blocks },
            { channel: 'chattwo', structured_template: card },
            { channel: 'chatthree', text_template: 'Hi {{ name }}', structured_template: embed },
          ],
        },
      });
    }
  }, 60_000);
  afterAll(async () => {
    await app?.stop();
    await Promise.all([chatone?.stop(), chattwo?.stop(), chatthree?.stop()]);
  });

  const live = (method: string, path: string, body?: unknown): Promise<TestResponse> =>
    app.request(method, path, { key: app.liveKey, ...(body === undefined ? {} : { body }) });

  return {
    get app() {
      return app;
    },
    get chatone() {
      return chatone;
    },
    get chattwo() {
      return chattwo;
    },
    get chatthree() {
      return chatthree;
    },
    live,
    test: (method: string, path: string, body?: unknown): Promise<TestResponse> =>
      app.request(method, path, body === undefined ? {} : { body }),
    /** Sends with the template `hello`. */
    send(channel: string, recipient: object, more: object = {}, options: RequestOptions = {}) {
      return app.request('POST', '/v1/notifications', {
        key: app.liveKey,
        body: { channel, recipient, template_key: 'hello', template_data: { name: 'Ada' }, ...more },
        ...options,
      });
    },
    /** Resolves to the notification once it meets the condition. */
    until: (id: string, condition: (notification: Json) => boolean, key = app.liveKey): Promise<Json> =>
      waitUntil(async () => {
        const { body } = await app.request('GET', `/v1/notifications/${id}`, { key });
        return condition(body) ? body : new Error(`still ${JSON.stringify(body)}`);
      }, 30_000),
    /** The audit log as a customer can read it. */
    async audit(key = app.liveKey): Promise<Json[]> {
      return (await app.request('GET', '/v1/audit-log?limit=100', { key })).body.data;
    },
  };
}

export const isDone = ({ status }: Json): boolean =>
  ['sent', 'delivered', 'failed', 'bounced', 'suppressed'].includes(status);

/** A notification that was sent with its second call, after the service had asked us to slow down. */
export const throttledOnce = {
  attempt_count: 2,
  events: ['Queued', 'Sending', 'AttemptFailed', 'Retrying', 'Sending', 'Sent'].map((type) => ({ type })),
};

export async function senderFor(
  { sendersFor }: Pick<EmailConnections, 'sendersFor'>,
  id: string,
): Promise<EmailSender> {
  const sender = (await sendersFor([{ id }])).get(id);
  if (!sender) throw new Error('sendersFor returned no sender for an environment');
  return sender;
}
