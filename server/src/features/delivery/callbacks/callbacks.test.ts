import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type EmailBench, startEmailBench } from '../../../../test/conformance/email-bench.ts';
import { startTestApp, type TestApp, type TestResponse, waitUntil } from '../../../../test/harness/app.ts';
import { emailSimulations } from '../../../../test/simulators/all.ts';
import {
  type CallbackCall,
  type CallbackKind,
  type EmailProviderSimulator,
  postCallback,
  type ReceivedEmail,
} from '../../../../test/simulators/email-provider.ts';
import type { SendgridSimulator } from '../../../../test/simulators/sendgrid.ts';
import type { SesSimulator } from '../../../../test/simulators/ses.ts';
import { startWebhookSink } from '../../../../test/simulators/webhook-sink.ts';
import { newId } from '../../../kernel/ids.ts';
import { tidyCallbacks } from '../receipts/index.ts';

type Json = TestResponse['body'];

let app: TestApp;
const benches = new Map<string, EmailBench>();
function benchOf(kind: string): EmailBench {
  const bench = benches.get(kind);
  if (!bench) throw new Error(`${kind} does not run`);
  return bench;
}

beforeAll(async () => {
  app = await startTestApp();
  for (const simulation of emailSimulations) benches.set(simulation.kind, await startEmailBench(simulation));
});
afterAll(async () => {
  await app.stop();
  for (const bench of benches.values()) await bench.stop();
});
afterEach(async () => {
  await app.pool.query('delete from suppressions');
});

const reporting = emailSimulations.flatMap(({ kind, callbacks }) =>
  callbacks ? [[kind, callbacks] as const] : [],
);
const settingsPath = (environmentId: string) => `/v1/environments/${environmentId}/email-settings`;

/** The one provider of the Live environment from now on; resolves to where it reports to. */
async function use(kind: string, key = app.liveKey, environmentId = app.liveEnvironmentId): Promise<string> {
  const before = await app.request('GET', settingsPath(environmentId), { key });
  const known = before.body.providers.find((provider: Json) => provider.kind === kind);
  const { status, body } = await app.request('PUT', settingsPath(environmentId), {
    key,
    body: {
      from_address: 'hello@acme.example',
      providers: [{ ...(known ? { id: known.id } : {}), kind, config: benchOf(kind).config }],
    },
  });
  expect(status).toBe(200);
  return body.providers[0].callback_url;
}

/** Settings take effect within a second, so the first ones may still go to the provider before. */
function send(kind: string): Promise<{ id: string; email: ReceivedEmail; address: string }> {
  return waitUntil(async () => {
    const address = `ada-${newId()}@example.com`;
    const { status, body } = await app.request('POST', '/v1/notifications', {
      key: app.liveKey,
      body: { channel: 'email', recipient: { address }, subject: 'Hello', text_body: 'Hi' },
    });
    expect(status).toBe(202);
    await app.waitFor(body.id, (notification) => notification.status === 'sent');
    const email = benchOf(kind).simulator.received.find(({ tags }) => tags.notification_id === body.id);
    return email ? { id: body.id, email, address } : new Error(`${kind} did not get the email`);
  }, 20_000);
}

const read = async (id: string): Promise<Json> =>
  (await app.request('GET', `/v1/notifications/${id}`, { key: app.liveKey })).body;
const typesOf = ({ events }: Json): string[] => events.map(({ type }: Json) => type);
const suppressionOf = async (address: string): Promise<Json | null> => {
  const { status, body } = await app.request('GET', `/v1/suppressions/${address}`, { key: app.liveKey });
  return status === 200 ? body : null;
};
const simulatorOf = (kind: string): EmailProviderSimulator => benchOf(kind).simulator;
const callback = (kind: string, about: CallbackKind, email: ReceivedEmail): CallbackCall =>
  simulatorOf(kind).callback(about, email);
async function reported(kind: string, outcome: string): Promise<number> {
  const { values } = await app.deps.metrics.callbacks.get();
  const found = values.find(({ labels }) => labels.provider_kind === kind && labels.outcome === outcome);
  return found?.value ?? 0;
}

it('what a provider reports before its answer is lost counts, and nothing is made up about a failure', async () => {
  const url = await use('sendgrid');
  await send('sendgrid'); // it is in use
  const { simulator } = benchOf('sendgrid');
  simulator.fault = 'hang_after_accept';
  const { body } = await app.request('POST', '/v1/notifications', {
    key: app.liveKey,
    body: { channel: 'email', recipient: { address: 'ada@example.com' }, subject: 'Hello', text_body: 'Hi' },
  });
  const email = await waitUntil(
    async () =>
      simulator.received.find(({ tags }) => tags.notification_id === body.id) ?? new Error('not taken'),
    20_000,
  );
  expect(await simulator.emit(url, 'delivered', email)).toBe(200);
  simulator.fault = null;
  simulator.dropAll();
  const settled = await app.waitFor(body.id, ({ attempt_count }) => attempt_count > 0);
  expect(settled).toMatchObject({ status: 'delivered', last_error: null });
  expect(typesOf(settled)).not.toContain('Failed');
  const { entries } = (await app.request('GET', `/v1/notifications/${body.id}/trace`, { key: app.liveKey }))
    .body;
  expect(entries.filter(({ kind }: Json) => kind !== 'gate')).toMatchObject([
    { kind: 'attempt', verdict: 'ambiguous' },
    { kind: 'decision', name: 'outcome_unknown', verdict: 'reported' },
  ]);
});

describe.each(reporting)('what %s reports', (kind, { forge }) => {
  it('moves the notification on', async () => {
    const url = await use(kind);
    const { id, email, address } = await send(kind);
    for (const about of ['delayed', 'delivered', 'opened', 'clicked', 'complained'] as const)
      expect(await simulatorOf(kind).emit(url, about, email)).toBe(200);
    const notification = await read(id);
    expect(notification.status).toBe('complained');
    expect(typesOf(notification).slice(3)).toEqual([
      'DeliveryDelayed',
      'Delivered',
      'Opened',
      'Clicked',
      'Complained',
    ]);
    expect(await suppressionOf(address)).toMatchObject({
      reason: 'complaint',
      source: 'provider',
      triggering_notification_id: id,
    });
  });

  it('suppresses an address that bounced for good, and not one whose mailbox is full', async () => {
    const url = await use(kind);
    const [hard, soft] = [await send(kind), await send(kind)];
    expect(await simulatorOf(kind).emit(url, 'bounced', hard.email)).toBe(200);
    expect(await simulatorOf(kind).emit(url, 'soft_bounced', soft.email)).toBe(200);
    expect(await read(hard.id)).toMatchObject({
      status: 'bounced',
      last_error: expect.stringContaining(kind),
    });
    expect((await read(soft.id)).status).toBe('bounced');
    expect(await suppressionOf(hard.address)).toMatchObject({ reason: 'hard_bounce' });
    expect(await suppressionOf(soft.address)).toBeNull();
  });

  it('counts once, however often and at once it is repeated', async () => {
    const url = await use(kind);
    const { id, email } = await send(kind);
    const calls = [callback(kind, 'opened', email), callback(kind, 'delivered', email)];
    const statuses = await Promise.all(
      Array.from({ length: 12 }, (_, index) => postCallback(url, calls[index % 2] as CallbackCall)),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    const types = typesOf(await read(id));
    expect(types.filter((type) => type === 'Opened')).toHaveLength(1);
    expect(types.filter((type) => type === 'Delivered')).toHaveLength(1);
  });

  it('never moves a status back, in whichever order it comes', async () => {
    const url = await use(kind);
    const [first, second] = [await send(kind), await send(kind)];
    for (const about of ['complained', 'delivered', 'bounced'] as const)
      await simulatorOf(kind).emit(url, about, first.email);
    for (const about of ['bounced', 'delivered'] as const)
      await simulatorOf(kind).emit(url, about, second.email);
    expect(await read(first.id)).toMatchObject({ status: 'complained' });
    expect(await read(second.id)).toMatchObject({ status: 'bounced' });
    expect(typesOf(await read(first.id)).slice(-3)).toEqual(['Complained', 'Delivered', 'Bounced']);
  });

  it('is ignored when it is about a message that is not ours, and taken note of', async () => {
    const url = await use(kind);
    const { email } = await send(kind);
    const before = await reported(kind, 'unknown');
    for (const id of [newId(), 'not-an-id', "'; drop table notifications"])
      expect(
        await simulatorOf(kind).emit(url, 'delivered', { ...email, tags: { notification_id: id } }),
      ).toBe(200);
    expect(await reported(kind, 'unknown')).toBe(before + 3);
  });

  it('is refused without the right signature, and changes nothing', async () => {
    const url = await use(kind);
    const { id, email } = await send(kind);
    const forged = forge(callback(kind, 'bounced', email));
    expect(await postCallback(url, forged)).toBe(401);
    expect(await postCallback(url, { ...forged, headers: {} })).toBe(401);
    expect((await read(id)).status).toBe('sent');
    expect(await reported(kind, 'refused')).toBeGreaterThan(0);
  });
});

describe('an address for callbacks', () => {
  it('is shown for providers that report, and stays the same', async () => {
    const first = await use('resend');
    expect(first).toMatch(new RegExp(`^${app.url}/hooks/resend/[\\w-]{50,}$`));
    expect(await use('resend')).toBe(first);
    const { body } = await app.request('PUT', settingsPath(app.testEnvironmentId), {
      body: { providers: [{ kind: 'smtp', config: { host: 'localhost' } }] },
    });
    expect(body.providers[0].callback_url).toBeNull();
  });

  it('stands in no audit entry', async () => {
    const url = await use('resend');
    const { rows } = await app.pool.query(
      "select string_agg(to_jsonb(a)::text, '') as text from audit_entries a",
    );
    expect(rows[0].text).toContain('email_settings.updated');
    expect(rows[0].text).not.toContain(url.split('/').at(-1));
  });

  it('is nowhere unless it is to the letter ours, of this kind, and the provider is still there', async () => {
    const url = await use('resend');
    const token = url.split('/').at(-1) ?? '';
    const { email } = await send('resend');
    const post = (path: string): Promise<number> =>
      postCallback(app.url + path, callback('resend', 'delivered', email));
    for (const path of [
      `/hooks/sendgrid/${token}`,
      `/hooks/smtp/${token}`,
      `/hooks/__proto__/${token}`,
      `/hooks/resend/${token.slice(0, -1)}`,
      `/hooks/resend/${token}A`,
      `/hooks/resend/${token.slice(0, 20)}${token[20] === 'A' ? 'B' : 'A'}${token.slice(21)}`,
      `/hooks/resend/${'A'.repeat(55)}`,
      '/hooks/resend/x',
    ])
      expect([path, await post(path)]).toEqual([path, 404]);
    expect(await post(`/hooks/resend/${token}`)).toBe(200);
    await use('postmark');
    expect(await post(`/hooks/resend/${token}`)).toBe(404);
  });

  it('of one environment has no say about the notifications of another', async () => {
    await use('sendgrid');
    const { id, email, address } = await send('sendgrid');
    const elsewhere = await use('sendgrid', app.testKey, app.testEnvironmentId);
    expect(await postCallback(elsewhere, callback('sendgrid', 'bounced', email))).toBe(200);
    expect((await read(id)).status).toBe('sent');
    expect(await suppressionOf(address)).toBeNull();
  });

  it('of an email provider has no say about other channels', async () => {
    const url = await use('sendgrid');
    const { email } = await send('sendgrid');
    const { body } = await app.request('POST', '/v1/notifications', {
      key: app.liveKey,
      body: { channel: 'in_app', recipient: { external_user_id: 'ada' }, html_body: 'Hi' },
    });
    await app.waitFor(body.id, ({ status }) => status === 'delivered');
    const strange = { ...email, tags: { notification_id: body.id } };
    expect(await simulatorOf('sendgrid').emit(url, 'complained', strange)).toBe(200);
    expect((await read(body.id)).status).toBe('delivered');
  });

  it('takes a megabyte, and not ten', async () => {
    const url = await use('sendgrid');
    const body = `[${'{},'.repeat(3_500_000)}{}]`;
    expect(await postCallback(url, { headers: { 'content-type': 'application/json' }, body })).toBe(413);
  });

  it('answers GET too, for providers that report so', async () => {
    const url = await use('resend');
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(`${app.url}/hooks/resend/x`)).status).toBe(404);
  });
});

describe('one call that says much', () => {
  it('is applied whole and in order', async () => {
    const url = await use('sendgrid');
    const { id, email } = await send('sendgrid');
    const events = (['complained', 'delivered', 'opened'] as const).flatMap((about) =>
      JSON.parse(callback('sendgrid', about, email).body),
    );
    const copies = events.flatMap((event) => [event, event]);
    expect(await postSendgrid(url, [...copies, null, 5, { event: 'delivered' }])).toBe(200);
    const notification = await read(id);
    expect(notification.status).toBe('complained');
    expect(typesOf(notification).slice(-3)).toEqual(['Complained', 'Delivered', 'Opened']);
  });

  it('cannot make a notification grow without end', async () => {
    const url = await use('sendgrid');
    const { id, email } = await send('sendgrid');
    const opens = Array.from({ length: 60 }, () => JSON.parse(callback('sendgrid', 'opened', email).body)[0]);
    expect(await postSendgrid(url, opens)).toBe(200);
    expect(await postSendgrid(url, JSON.parse(callback('sendgrid', 'opened', email).body))).toBe(200);
    expect(typesOf(await read(id)).filter((type) => type === 'Opened')).toHaveLength(20);
  });

  it('may contain whatever a stranger wrote', async () => {
    const url = await use('sendgrid');
    const { id, email } = await send('sendgrid');
    const [event] = JSON.parse(callback('sendgrid', 'delivered', email).body);
    const response = `250 \u0000\ud800 ${'x'.repeat(5_000)}\r\nBcc: evil`;
    expect(await postSendgrid(url, [{ ...event, response }])).toBe(200);
    const { detail } = (await read(id)).events.at(-1);
    expect(detail).toMatch(/^sendgrid: 250 {2}\ufffd x+$/);
    expect(detail.length).toBeLessThanOrEqual(500);
  });
});

/** Events as one call, signed by the simulator as it signs its own. */
async function postSendgrid(url: string, events: unknown[]): Promise<number> {
  const { sign } = simulatorOf('sendgrid') as SendgridSimulator;
  return postCallback(url, sign(`${JSON.stringify(events)}\r\n`, Date.now()));
}

describe('people who want no more', () => {
  it('are on the list once they told a provider, and off it when they come back', async () => {
    const url = await use('sendgrid');
    const { email, address } = await send('sendgrid');
    const [event] = JSON.parse(callback('sendgrid', 'opened', email).body);
    await postSendgrid(url, [{ ...event, event: 'unsubscribe', sg_event_id: newId() }]);
    expect(await suppressionOf(address)).toMatchObject({ reason: 'unsubscribed', source: 'recipient' });

    const postmark = await use('postmark');
    const change = {
      RecordType: 'SubscriptionChange',
      Recipient: address,
      Origin: 'Recipient',
      MessageID: newId(),
    };
    await postPostmark(postmark, { ...change, SuppressSending: false, ChangedAt: new Date().toISOString() });
    expect(await suppressionOf(address)).toBeNull();
  });

  it('cannot take back a bounce', async () => {
    const url = await use('postmark');
    const { email, address } = await send('postmark');
    await simulatorOf('postmark').emit(url, 'bounced', email);
    await postPostmark(url, {
      RecordType: 'SubscriptionChange',
      Recipient: address,
      Origin: 'Recipient',
      SuppressSending: false,
    });
    expect(await suppressionOf(address)).toMatchObject({ reason: 'hard_bounce' });
  });
});

async function postPostmark(url: string, record: object): Promise<void> {
  const { config } = benchOf('postmark');
  const user = Buffer.from(`${config.webhook_username}:${config.webhook_password}`).toString('base64');
  const call = { headers: { authorization: `Basic ${user}` }, body: JSON.stringify(record) };
  expect(await postCallback(url, call)).toBe(200);
}

it('a mailgun token counts once: another body with it is ignored', async () => {
  const url = await use('mailgun');
  const [first, second] = [await send('mailgun'), await send('mailgun')];
  const made = callback('mailgun', 'delivered', first.email);
  expect(await postCallback(url, made)).toBe(200);
  const { signature } = JSON.parse(made.body);
  const other = JSON.parse(callback('mailgun', 'bounced', second.email).body);
  expect(await postCallback(url, { ...made, body: JSON.stringify({ ...other, signature }) })).toBe(200);
  expect((await read(second.id)).status).toBe('sent');
});

describe('a message of Amazon SNS', () => {
  it('that offers a subscription to our topic is answered with yes', async () => {
    const url = await use('ses');
    const { sns } = simulatorOf('ses') as SesSimulator;
    expect(await postCallback(url, sns.subscriptionConfirmation('token-1'))).toBe(200);
    expect(sns.confirmed).toEqual(['token-1']);
  });

  it('that offers one elsewhere, or is signed elsewhere, leads nowhere', async () => {
    const url = await use('ses');
    const { sns } = simulatorOf('ses') as SesSimulator;
    const elsewhere = await startWebhookSink();
    try {
      const lures: [Record<string, string>, number][] = [
        [{ TopicArn: 'arn:aws:sns:eu-west-1:999999999999:ses-events' }, 403],
        [{ SubscribeURL: elsewhere.url('/subscribe') }, 403],
        [{ SubscribeURL: 'https://sns.eu-west-1.amazonaws.com.evil.example/' }, 403],
        [{ SubscribeURL: 'not a url' }, 403],
        [{ SigningCertURL: elsewhere.url('/cert.pem') }, 401],
        [{ SigningCertURL: 'https://evil.example/sns.pem' }, 401],
        [{ SigningCertURL: 'http://sns.eu-west-1.amazonaws.com/cert.pem' }, 401],
        [{ SigningCertURL: 'https://user@sns.eu-west-1.amazonaws.com/cert.pem' }, 401],
        [{ SigningCertURL: `${simulatorOf('ses').url}/v2/email/account` }, 401],
        // Its host would answer a query with words of the caller's choice, which can be a certificate.
        [
          { SigningCertURL: `${simulatorOf('ses').url}/SimpleNotificationService-simulated.pem?Action=x` },
          401,
        ],
        [{ SignatureVersion: '3' }, 401],
        [{ Type: 'Invitation' }, 401],
      ];
      for (const [fields, status] of lures)
        expect([fields, await postCallback(url, sns.subscriptionConfirmation('lure', { fields }))]).toEqual([
          fields,
          status,
        ]);
      expect(elsewhere.received).toEqual([]);
      expect(sns.confirmed).not.toContain('lure');
    } finally {
      await elsewhere.stop();
    }
  });

  it('is taken with either version of the signature', async () => {
    const url = await use('ses');
    const { sns } = simulatorOf('ses') as SesSimulator;
    for (const signatureVersion of ['1', '2'] as const)
      expect(await postCallback(url, sns.notification({ eventType: 'Send' }, { signatureVersion }))).toBe(
        200,
      );
  });
});

it('webhook endpoints hear of it', async () => {
  const sink = await startWebhookSink();
  try {
    const url = await use('resend');
    const { id, email } = await send('resend');
    await app.request('POST', '/v1/webhook-endpoints', {
      key: app.liveKey,
      body: { url: sink.url(), event_filters: ['notification.bounced'] },
    });
    await simulatorOf('resend').emit(url, 'bounced', email);
    const call = await waitUntil(async () => sink.received[0] ?? new Error('nothing yet'), 20_000);
    expect(call.body).toMatchObject({ type: 'notification.bounced', data: { id, status: 'bounced' } });
  } finally {
    await sink.stop();
  }
});

it('what was told is forgotten after some days, not before', async () => {
  const count = async (): Promise<number> =>
    Number((await app.pool.query('select count(*) from callback_events')).rows[0].count);
  const before = await count();
  expect(before).toBeGreaterThan(0);
  await tidyCallbacks({ pool: app.pool, clock: () => Date.now() + 2 * 86_400_000 }, () => false);
  expect(await count()).toBe(before);
  await tidyCallbacks({ pool: app.pool, clock: () => Date.now() + 4 * 86_400_000 }, () => false);
  expect(await count()).toBe(0);
});
