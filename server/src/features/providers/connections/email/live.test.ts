import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../../test/harness/app.ts';
import { type SmtpSimulator, startSmtpSimulator } from '../../../../../test/simulators/smtp.ts';

let app: TestApp;
let first: SmtpSimulator;
let second: SmtpSimulator;

beforeAll(async () => {
  [app, first, second] = await Promise.all([startTestApp(), startSmtpSimulator(), startSmtpSimulator()]);
  const { status } = await app.request('PUT', `/v1/environments/${app.liveEnvironmentId}/email-settings`, {
    key: app.liveKey,
    body: {
      from_address: 'hello@acme.example',
      from_name: 'Acme',
      reply_to: 'help@acme.example',
      providers: [first, second].map(({ port }, index) => ({
        kind: 'smtp',
        name: index === 0 ? 'first' : 'second',
        config: { host: 'localhost', port },
      })),
    },
  });
  expect(status).toBe(200);
});
afterAll(async () => {
  await app.stop();
  await Promise.all([first.stop(), second.stop()]);
});
beforeEach(() => {
  for (const server of [first, second]) {
    server.script = {};
    server.received.splice(0);
  }
});

async function send(changes: object = {}): Promise<string> {
  const { status, body } = await app.request('POST', '/v1/notifications', {
    key: app.liveKey,
    body: {
      channel: 'email',
      recipient: { address: 'ada@example.com', name: 'Ада' },
      subject: 'Grüße',
      html_body: '<p>Hello</p>',
      ...changes,
    },
  });
  expect(status).toBe(202);
  return body.id;
}

const settled = (id: string) => app.waitFor(id, ({ status }) => !['queued', 'sending'].includes(status));
const types = (notification: { events: { type: string }[] }) => notification.events.map(({ type }) => type);

describe('a Live email', () => {
  it('reaches the server as it was meant, from the address of the environment', async () => {
    const bytes = Buffer.from('attached');
    const id = await send({
      from_name: 'Zoë at Acme',
      attachments: [
        { filename: 'ä.txt', content_type: 'text/plain', content_base64: bytes.toString('base64') },
      ],
    });
    expect(await settled(id)).toMatchObject({ status: 'sent', attempt_count: 1 });
    const [mail] = first.received;
    expect(mail).toMatchObject({ from: 'hello@acme.example', to: ['ada@example.com'] });
    const parsed = await PostalMime.parse(mail?.raw ?? '');
    expect(parsed).toMatchObject({
      from: { address: 'hello@acme.example', name: 'Zoë at Acme' },
      to: [{ address: 'ada@example.com', name: 'Ада' }],
      replyTo: [{ address: 'help@acme.example' }],
      subject: 'Grüße',
      messageId: `<${id}@acme.example>`,
    });
    expect(parsed.text?.trim()).toBe('Hello');
    expect(Buffer.from(parsed.attachments[0]?.content as ArrayBuffer).equals(bytes)).toBe(true);
  });

  it('goes to the next provider when the first refuses it', async () => {
    first.script.rcpt = () => ({ code: 451, text: '4.3.0 Not now' });
    const notification = await settled(await send());
    expect(notification).toMatchObject({ status: 'sent', attempt_count: 2 });
    expect(types(notification)).toEqual(['Queued', 'Sending', 'FailedOver', 'Sent']);
    expect(second.received).toHaveLength(1);
  });

  it('to a mailbox that does not exist bounces at once, without asking the next', async () => {
    first.script.rcpt = () => ({ code: 550, text: '5.1.1 No such user' });
    // An address of its own: it is on the suppression list afterwards.
    const notification = await settled(await send({ recipient: { address: 'nobody@example.com' } }));
    expect(notification.status).toBe('bounced');
    expect(types(notification)).toEqual(['Queued', 'Sending', 'Bounced']);
    expect(second.received).toHaveLength(0);
  });

  it('that may have been taken is never handed to the next provider', async () => {
    first.script.message = () => 'drop';
    const notification = await settled(await send());
    expect(notification).toMatchObject({
      status: 'failed',
      last_error: expect.stringContaining('outcome_unknown'),
    });
    expect(second.received).toHaveLength(0);
  });

  it('that is critical and may have been taken is sent once more, and never a third time', async () => {
    let copies = 0;
    for (const server of [first, second])
      server.script.message = () => {
        copies += 1;
        return 'drop';
      };
    const notification = await settled(await send({ priority: 'critical' }));
    expect(notification).toMatchObject({
      ...{ status: 'failed', attempt_count: 2 },
      last_error: expect.stringMatching(/^outcome_unknown: .*sent twice, both outcomes unknown/),
    });
    expect(copies).toBe(2);
    expect(types(notification)).toEqual(['Queued', 'Sending', 'Retrying', 'Sending', 'Failed']);
    expect(notification.events[2]?.detail).toMatch(
      /outcome of round 1 is unknown; .* is sent once more; the next/,
    );
    const trace = await app.request('GET', `/v1/notifications/${notification.id}/trace`, {
      key: app.liveKey,
    });
    const decisions = trace.body.entries.filter(({ name }: { name: string }) => name === 'outcome_unknown');
    expect(decisions.map(({ verdict }: { verdict: string }) => verdict)).toEqual([
      'prefer_duplicate',
      'prefer_loss',
    ]);
  });
});
