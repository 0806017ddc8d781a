import type { Running } from '../simulators/all.ts';
import { type Answer, type Caller, type EnvironmentKind, reaches, signIn } from './installation.ts';

/** What is under way when the release stops. Its successor has to finish it. */
export interface Unfinished {
  scheduledEmail: string;
  scheduledSms: string;
  retried: string;
  waitingForEvent: string;
  delayed: string;
  digested: string[];
  inboxUser: string;
  unsubscribeLink: string;
  narrowKey: string;
}

const text = 'Parcel {{ parcel }} is on its way.';
const user = 'ada';
const attachment = { filename: 'hello.txt', content_type: 'text/plain', content_base64: 'SGVsbG8=' };

/** Uses every feature that stores something: all channels in Test (sandbox) and in Live (simulators), and what waits. */
export async function makeTraffic(caller: Caller, simulators: Map<string, Running>): Promise<Unfinished> {
  const owner = await signIn(caller);
  const environments = {
    test: (await caller.call('test', 'GET', '/v1/me')).environment_id,
    live: (await caller.call('live', 'GET', '/v1/me')).environment_id,
  };
  await inviteMembers(caller, owner);
  const narrowKey = await createKeys(caller);
  await createTemplates(caller);
  const unsubscribeLink = await createConsent(caller);
  await connectWebhooks(caller, simulators);
  await sendInTest(caller);
  await sendInLive(caller, simulators, environments.live);
  const runs = await startRuns(caller);
  const scheduled = { send_at: new Date(Date.now() + 3_600_000).toISOString() };
  return {
    scheduledEmail: await send(caller, 'test', {
      ...email('later@example.com', { attachments: [attachment] }),
      ...scheduled,
    }),
    scheduledSms: await send(caller, 'live', {
      channel: 'sms',
      recipient: { address: '+447700900123' },
      text_body: 'Scheduled by the previous release.',
      ...scheduled,
    }),
    retried: await retried(caller),
    ...runs,
    inboxUser: user,
    unsubscribeLink,
    narrowKey,
  };
}

const email = (address: string, more: object = {}) => ({
  channel: 'email',
  recipient: { address },
  subject: 'Hello',
  text_body: 'Hello from Carillon.',
  ...more,
});

async function send({ call }: Caller, environment: EnvironmentKind, body: object): Promise<string> {
  return (await call(environment, 'POST', '/v1/notifications', body)).id;
}

/** Sends, and waits until nothing more happens to the notification. */
async function finish(
  caller: Caller,
  environment: EnvironmentKind,
  body: object,
  ...statuses: string[]
): Promise<string> {
  const id = await send(caller, environment, body);
  await reaches(caller, environment, `/v1/notifications/${id}`, ({ status }) => statuses.includes(status));
  return id;
}

async function inviteMembers({ send }: Caller, owner: Record<string, string>): Promise<void> {
  const me: Answer = await (await send('GET', '/auth/me', owner)).json();
  const path = `/auth/organizations/${me.organizations[0].id}/invitations`;
  const invite = async (address: string): Promise<Answer> =>
    (await send('POST', path, owner, { email: address, role: 'developer' })).json();
  const { accept_url } = await invite('grace@example.com');
  const acceptance = { token: accept_url.split('#')[1], name: 'Grace', password: 'a quiet evening walk' };
  await send('POST', '/auth/invitations/accept', {}, acceptance);
  await invite('joan@example.com');
}

/** Returns a key that may read notifications and nothing else. */
async function createKeys({ call }: Caller): Promise<string> {
  const revoked = await call('test', 'POST', '/v1/api-keys', { name: 'Revoked', preset: 'full_access' });
  await call('test', 'DELETE', `/v1/api-keys/${revoked.id}`);
  const scopes = ['notifications:read'];
  return (await call('test', 'POST', '/v1/api-keys', { name: 'Narrow', scopes })).key;
}

async function createTemplates({ call }: Caller): Promise<void> {
  const template = { key: 'parcel', name: 'Parcel sent', subject_template: text };
  await call('test', 'POST', '/v1/templates', { ...template, html_body_template: `<p>${text}</p>` });
  const card = { type: 'AdaptiveCard', version: '1.5', body: [{ type: 'TextBlock', text }] };
  const bodies = {
    in_app: { subject_template: 'On its way', html_template: `<p>${text}</p>` },
    sms: { text_template: text },
    chatone: { structured_template: JSON.stringify([{ type: 'section', text: { type: 'mrkdwn', text } }]) },
    chattwo: { structured_template: JSON.stringify(card) },
    chatthree: { structured_template: JSON.stringify({ title: 'On its way', description: text }) },
  };
  for (const [channel, body] of Object.entries(bodies))
    await call('test', 'PUT', `/v1/templates/parcel/bodies/${channel}`, body);
  await call('test', 'PUT', '/v1/templates/parcel/bodies/email', {
    locale: 'de',
    subject_template: 'Unterwegs',
    html_template: '<p>Paket {{ parcel }} ist unterwegs.</p>',
  });
  await call('test', 'POST', '/v1/templates/parcel/promote', { dry_run: false });
}

/** Categories, preferences, quiet hours and suppressions; returns the unsubscribe link of an email. */
async function createConsent(caller: Caller): Promise<string> {
  const { call } = caller;
  const categories = '/v1/preferences/categories';
  await call('test', 'POST', categories, {
    key: 'news',
    name: 'News',
    default_channels: ['email', 'in_app'],
  });
  await call('test', 'PUT', `/v1/users/${user}`, { locale: 'de', email: 'ada@example.com' });
  const news = (externalUserId: string) =>
    email(`${externalUserId}@example.com`, {
      recipient: { external_user_id: externalUserId, address: `${externalUserId}@example.com` },
      category: 'news',
    });
  const id = await finish(caller, 'test', news('joan'), 'delivered');
  await call('test', 'PATCH', `/v1/preferences/users/grace/news/email`, { opted_in: false });
  await finish(caller, 'test', news('grace'), 'suppressed');
  const hours = { start_local: '22:00', end_local: '07:00', timezone: 'Europe/Berlin' };
  await call('test', 'PUT', `/v1/preferences/users/${user}/quiet-hours`, hours);
  await call('test', 'POST', '/v1/suppressions', { address: 'never@example.com', reason: 'manual_add' });
  const sandbox = await call('test', 'GET', `/v1/sandbox/messages?notification_id=${id}`);
  return sandbox.data[0].payload.headers['List-Unsubscribe'].slice(1, -1);
}

async function connectWebhooks({ call }: Caller, simulators: Map<string, Running>): Promise<void> {
  const url = simulators.get('webhook')?.url;
  await call('test', 'POST', '/v1/webhook-endpoints', { url: `${url}/events`, event_filters: [] });
  const endpoint = await call('test', 'POST', '/v1/webhook-endpoints', {
    url: 'http://127.0.0.1:1/unreachable',
  });
  await call('test', 'POST', `/v1/webhook-endpoints/${endpoint.id}/rotate-secret`);
}

async function sendInTest(caller: Caller): Promise<void> {
  const { call } = caller;
  await call('test', 'POST', '/v1/chatone/installations', { bot_token: 'xoxb-sandbox-release' });
  await call('test', 'POST', '/v1/chattwo-endpoints', {
    label: 'Warehouse',
    webhook_url: 'https://prod-1.westus.logic.azure.com/workflows/a/triggers/manual/paths/invoke?sig=secret',
  });
  await call('test', 'POST', '/v1/chatthree-endpoints', {
    label: 'Warehouse',
    webhook_url: 'https://discord.com/api/webhooks/1/secret',
  });
  const recipients = {
    email: { address: 'ada@example.com' },
    in_app: { external_user_id: user },
    sms: { address: '+14155550123' },
    chatone: { chatone_channel_id: 'C024BE91L' },
    chattwo: { endpoint: 'warehouse' },
    chatthree: { endpoint: 'warehouse' },
  };
  const ended = ['sent', 'delivered'];
  for (const [channel, recipient] of Object.entries(recipients)) {
    const content = { template_key: 'parcel', template_data: { parcel: 'C-1042' } };
    await finish(caller, 'test', { channel, recipient, ...content }, ...ended);
  }
  const webhook = {
    channel: 'webhook',
    recipient: { address: 'https://ada.example/hook' },
    text_body: 'Hello',
  };
  await finish(caller, 'test', webhook, ...ended);

  for (const status of ['bounced', 'complained'])
    await finish(caller, 'test', email(`${status}+release@sandbox.test`), status);
  await finish(caller, 'test', email('bounced+release@sandbox.test'), 'suppressed');
  await finish(caller, 'test', email('refused@sandbox.test'), 'failed');
  await finish(caller, 'test', email('ada@example.com', { attachments: [attachment] }), 'delivered');
  const batch = [1, 2, 3].map((number) => email(`batch-${number}@example.com`, { priority: 'bulk' }));
  const { data } = await call('test', 'POST', '/v1/notifications/batch', { notifications: batch });
  for (const { notification } of data)
    await reaches(
      caller,
      'test',
      `/v1/notifications/${notification.id}`,
      ({ status }) => status === 'delivered',
    );

  const item = {
    channel: 'in_app',
    recipient: { external_user_id: user },
    subject: 'Read',
    html_body: '<p>Read</p>',
  };
  const read = await finish(caller, 'test', item, ...ended);
  const { token } = await call('test', 'POST', '/v1/inbox/tokens', { external_user_id: user });
  await caller.send('POST', `/inbox/v1/notifications/${read}/read`, { authorization: `Bearer ${token}` });
}

/** Through every provider, one after the other. At the end all email providers form one chain. */
async function sendInLive(
  caller: Caller,
  simulators: Map<string, Running>,
  environmentId: string,
): Promise<void> {
  const configure = async ({ steps }: Pick<Running, 'steps'>): Promise<void> => {
    for (const { method, path, body } of steps)
      await caller.call('live', method, path.replace('{env}', environmentId), body);
  };
  for (const simulator of simulators.values()) {
    await configure(simulator);
    await finish(caller, 'live', simulator.send, 'sent', 'delivered');
  }
  const emailSteps = [...simulators.values()]
    .flatMap(({ steps }) => steps)
    .filter(({ path }) => path.endsWith('/email-settings'));
  const providers = emailSteps.flatMap(({ body }) => (body as { providers: object[] }).providers);
  await configure({
    steps: emailSteps.slice(0, 1).map((step) => ({ ...step, body: { ...step.body, providers } })),
  });
  const smsone = simulators.get('smsone');
  if (smsone) await configure(smsone);
}

async function startRuns(
  caller: Caller,
): Promise<Pick<Unfinished, 'waitingForEvent' | 'delayed' | 'digested'>> {
  const { call } = caller;
  const define = async (key: string, steps: object[]): Promise<void> => {
    await call('test', 'POST', '/v1/workflows', { key, name: key });
    await call('test', 'POST', `/v1/workflows/${key}/versions`, { body: { steps } });
    const { valid } = await call('test', 'POST', `/v1/workflows/${key}/versions/1/activate`);
    if (!valid) throw new Error(`The workflow ${key} is not valid.`);
  };
  const trigger = async (key: string, data: object, ...statuses: string[]): Promise<string> => {
    const { run_id: id } = await call('test', 'POST', `/v1/workflows/${key}/trigger`, { trigger_data: data });
    await reaches(caller, 'test', `/v1/workflows/runs/${id}`, ({ status }) => statuses.includes(status));
    return id;
  };
  const mail = (id: string) => ({ id, kind: 'send', ...email('ada@example.com', { subject: id }) });
  await define('order', [
    mail('confirm'),
    {
      id: 'paid',
      kind: 'wait_for_event',
      event: 'order.paid',
      match: { order: '{{ trigger.order }}' },
      timeout: '366d',
    },
    mail('thanks'),
  ]);
  await define('reminder', [{ id: 'pause', kind: 'delay', duration: '1h' }, mail('remind')]);
  await define('comments', [
    { id: 'collect', kind: 'digest', key: '{{ trigger.user }}', window: '1h' },
    {
      id: 'summary',
      kind: 'send',
      channel: 'in_app',
      recipient: { external_user_id: '{{ trigger.user }}' },
      html_body: '<p>{{ digest.count }} comments</p>',
    },
  ]);
  await define('lookup', [
    {
      id: 'ask',
      kind: 'fetch',
      url: 'https://api.example.com/orders',
      method: 'GET',
      headers: { authorization: 'Bearer fetch-secret' },
    },
  ]);
  await define('short', [mail('only')]);
  await trigger('short', {}, 'completed');
  const digested: string[] = [];
  for (const comment of ['Fine.', 'Really?', 'Yes.'])
    digested.push(await trigger('comments', { user, comment }, 'waiting', 'completed'));
  return {
    waitingForEvent: await trigger('order', { order: 'A-17' }, 'waiting'),
    delayed: await trigger('reminder', {}, 'waiting'),
    digested,
  };
}

/** A notification whose first attempt failed. */
async function retried(caller: Caller): Promise<string> {
  const address = 'http://127.0.0.1:1/closed';
  const id = await send(caller, 'live', { channel: 'webhook', recipient: { address }, text_body: 'Hello' });
  await reaches(caller, 'live', `/v1/notifications/${id}`, ({ attempt_count }) => attempt_count > 0);
  return id;
}
