import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allRoutes } from '../../src/routes.ts';
import { startTestApp, type TestApp, type TestResponse, waitUntil } from '../harness/app.ts';
import { emailSimulations, smsSimulations } from '../simulators/all.ts';
import { type ApnsSimulator, startApnsSimulator } from '../simulators/apns.ts';
import { type ChatoneSimulator, startChatoneSimulator } from '../simulators/chatone.ts';
import { type ChatthreeSimulator, startChatthreeSimulator } from '../simulators/chatthree.ts';
import { type ChattwoSimulator, startChattwoSimulator } from '../simulators/chattwo.ts';
import type { EmailProviderSimulator } from '../simulators/email-provider.ts';
import { type FcmSimulator, startFcmSimulator } from '../simulators/fcm.ts';
import { type HttpSimulator, startHttpSimulator } from '../simulators/http-simulator.ts';
import { secretOf } from '../simulators/secret.ts';
import type { SmsSimulator } from '../simulators/simulation.ts';
import { type SmtpSimulator, startSmtpSimulator } from '../simulators/smtp.ts';
import { startWebPushSimulator, type WebPushSimulator } from '../simulators/web-push.ts';
import { startWebhookSink, type WebhookSink } from '../simulators/webhook-sink.ts';

/**
 * Secrets that can be recognised are planted in every credential and webhook URL; then the service sends, succeeds and fails,
 * with providers that repeat what they were given. Whatever it emitted is searched for them.
 */
const planted = new Map<string, string>();
function plant(name: string, length = 40): string {
  const secret = secretOf(`planted ${name}`, length);
  planted.set(name, secret);
  return secret;
}

const emitted: { where: string; text: string }[] = [];
const log: string[] = [];
const emit = (where: string, value: unknown): void => {
  emitted.push({ where, text: typeof value === 'string' ? value : JSON.stringify(value) });
};

let app: TestApp;
let collector: HttpSimulator;
let sink: WebhookSink;
let smtp: SmtpSimulator;
let chatone: ChatoneSimulator;
let chattwo: ChattwoSimulator;
let chatthree: ChatthreeSimulator;
let webPush: WebPushSimulator;
let apns: ApnsSimulator;
let fcm: FcmSimulator;
const providers: {
  kind: string;
  simulator: EmailProviderSimulator;
  config: Record<string, unknown>;
  errorBody(text: string): object;
}[] = [];
const smsProviders: {
  kind: string;
  simulator: SmsSimulator;
  config: Record<string, unknown>;
  /** The operator sets the host of the service. */
  hasHostSetting: boolean;
}[] = [];
const stops: (() => Promise<void>)[] = [];

function running<Simulator extends { stop(): Promise<void> }>(simulator: Simulator): Simulator {
  stops.push(() => simulator.stop());
  return simulator;
}

async function startEmailProviders(): Promise<void> {
  smtp = running(await startSmtpSimulator({ user: { username: 'acme', password: plant('smtp password') } }));
  for (const { kind, name = kind, start, errorBody, settingsFor } of emailSimulations) {
    const { simulator, config } = await start({ port: 0, secretFor: (field) => plant(`${name} ${field}`) });
    running(simulator);
    const urls = settingsFor ? {} : { base_url: simulator.url };
    providers.push({ kind, simulator, errorBody, config: { ...config, ...urls } });
  }
}

async function startSmsProviders(): Promise<void> {
  for (const { kind, name = kind, start, settingsFor } of smsSimulations) {
    const { simulator, config } = await start({ port: 0, secretFor: (field) => plant(`${name} ${field}`) });
    smsProviders.push({ kind, simulator: running(simulator), config, hasHostSetting: !settingsFor });
  }
}

beforeAll(async () => {
  await startEmailProviders();
  await startSmsProviders();
  chatone = running(
    await startChatoneSimulator({ clientSecret: plant('chatone client secret'), burst: 1_000 }),
  );
  chattwo = running(await startChattwoSimulator({ burst: 1_000 }));
  chatthree = running(await startChatthreeSimulator({ burst: 1_000 }));
  webPush = running(await startWebPushSimulator());
  apns = running(await startApnsSimulator());
  fcm = running(await startFcmSimulator());
  collector = running(
    await startHttpSimulator({
      handle({ text }) {
        emit('trace export', text);
        return { status: 200 };
      },
    }),
  );
  sink = running(await startWebhookSink());
  sink.reply = (call) => {
    emit('webhook delivery', call.text + JSON.stringify({ ...call.headers, 'webhook-signature': '' }));
    return 204;
  };
  const managed = smsProviders.find(({ kind }) => kind === 'smstwo')?.config;
  app = await startTestApp({
    logTo: { write: (line) => log.push(line) },
    settings: {
      LOG_LEVEL: 'trace',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      CARILLON_ENCRYPTION_KEY: Buffer.from(plant('encryption key', 32)).toString('base64'),
      CARILLON_BOOTSTRAP_TEST_KEY: `crl_test_${plant('test key')}`,
      CARILLON_BOOTSTRAP_LIVE_KEY: `crl_live_${plant('live key')}`,
      CARILLON_ADMIN_PASSWORD: plant('admin password'),
      ...Object.fromEntries(
        smsProviders
          .filter(({ hasHostSetting }) => hasHostSetting)
          .map(({ kind, simulator }) => [`CARILLON_${kind.toUpperCase()}_API_URL`, simulator.url]),
      ),
      CARILLON_CHATONE_API_URL: chatone.apiUrl,
      CARILLON_CHATONE_AUTHORIZE_URL: chatone.authorizeUrl,
      CARILLON_CHATONE_CLIENT_ID: chatone.clientId,
      CARILLON_CHATONE_CLIENT_SECRET: chatone.clientSecret,
      CARILLON_CHATONE_SIGNING_SECRET: plant('chatone signing secret'),
      CARILLON_CHATTWO_URL_PATTERNS: chattwo.patterns,
      CARILLON_CHATTHREE_URL_PATTERNS: chatthree.patterns,
      CARILLON_APNS_API_URL: apns.url,
      CARILLON_FCM_API_URL: fcm.url,
      CARILLON_WEB_PUSH_HOSTS: webPush.host,
      CARILLON_MANAGED_SMS_KIND: 'smstwo',
      CARILLON_MANAGED_SMS_ACCOUNT: String(managed?.api_key),
      CARILLON_MANAGED_SMS_SECRET: String(managed?.api_secret),
      CARILLON_MANAGED_SMS_FROM: 'Operator',
    },
  });
  chatone.signingSecret = planted.get('chatone signing secret') ?? '';
}, 60_000);
afterAll(async () => {
  await app?.stop();
  await Promise.all(stops.map((stop) => stop()));
});

/** Every answer counts as emitted, except where a secret is shown this once because it was made just now. */
async function call(
  method: string,
  path: string,
  body?: unknown,
  { key = app.liveKey, shownOnce = false } = {},
): Promise<TestResponse> {
  const answer = await app.request(method, path, body === undefined ? { key } : { key, body });
  if (!shownOnce) emit(`${method} ${path}`, answer.body);
  return answer;
}

const sent: string[] = [];
async function send(body: object, key = app.liveKey): Promise<TestResponse['body']> {
  const answer = await call('POST', '/v1/notifications', body, { key });
  expect([answer.status, answer.body.error]).toEqual([202, undefined]);
  sent.push(answer.body.id);
  return waitUntil(async () => {
    const { body: seen } = await app.request('GET', `/v1/notifications/${answer.body.id}`, { key });
    return ['queued', 'sending'].includes(seen.status) ? new Error(JSON.stringify(seen)) : seen;
  }, 30_000);
}

/** Sends until one is taken: settings count within a second. */
async function sendUntilTaken(body: object, taken: () => boolean): Promise<void> {
  await waitUntil(async () => {
    const seen = await send(body);
    return taken() || new Error(JSON.stringify(seen));
  }, 30_000);
}

/** The settings that a provider could repeat: those that only sign its callbacks are in no call to it. */
function inRequests(config: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).filter(([name]) => !/^(?:webhook|callback)_/.test(name)));
}

/** The body of an error in the form of every SMS and chat service. */
const anyErrorBody = (text: string): object => ({
  ok: false,
  error: text,
  message: text,
  Message: text,
  name: text,
  errors: [{ message: text, field: text }],
  code: 12_345,
  messages: [{ status: '3', 'error-text': text }],
  'error-code-label': text,
  response_metadata: { messages: [text] },
  needed: text,
  text,
});

/** An answer that repeats the settings that it was given. */
function repeating(
  status: number,
  given: Record<string, unknown>,
  errorBody = anyErrorBody,
): { status: number; body: unknown } {
  const repeated = Object.values(given)
    .filter((value) => typeof value === 'string')
    .join(' ');
  const forms = [repeated, Buffer.from(repeated).toString('base64'), encodeURIComponent(repeated)];
  return { status, body: { status, ...errorBody(`${'refused: '.repeat(28)}${forms.join(' ')}`) } };
}
const statuses = [400, 401, 403, 404, 422, 500, 503, 200];

const emailMessage = {
  channel: 'email',
  recipient: { address: 'ada@example.com' },
  subject: 'Hello',
  text_body: 'Hi',
};
const smsMessage = { channel: 'sms', recipient: { address: '+447700900123' }, text_body: 'Hi' };

/** A message for each status; where one place takes no more at once, each goes to another. */
async function failWith(
  simulator: HttpSimulator,
  given: Record<string, unknown>,
  message: object | ((index: number) => object),
  errorBody?: (text: string) => object,
): Promise<void> {
  for (const [index, status] of statuses.entries()) {
    simulator.fault = repeating(status, given, errorBody);
    const body = typeof message === 'function' ? message(index) : message;
    const made = await app.request('POST', '/v1/notifications', { key: app.liveKey, body });
    expect([made.status, made.body.error]).toEqual([202, undefined]);
    sent.push(made.body.id);
    await waitUntil(async () => {
      const { body: seen } = await app.request('GET', `/v1/notifications/${made.body.id}`, {
        key: app.liveKey,
      });
      return seen.attempt_count > 0 || seen.status === 'failed' || new Error(JSON.stringify(seen));
    }, 30_000);
  }
  simulator.fault = null;
}

describe('what is planted comes out nowhere', () => {
  it('while email is sent, refused and failed over', async () => {
    const path = `/v1/environments/${app.liveEnvironmentId}/email-settings`;
    const settings = { from_address: 'hello@mg.acme.example' };
    /** Saves a provider, sends through it, verifies it, lets it fail, and saves it wrongly. */
    async function useProvider(
      kind: string,
      config: Record<string, unknown>,
      received: unknown[],
      fail: (verify: () => Promise<unknown>) => Promise<void>,
    ): Promise<void> {
      const saved = await call('PUT', path, { ...settings, providers: [{ kind, config }] });
      expect([kind, saved.status, saved.body.error]).toEqual([kind, 200, undefined]);
      await sendUntilTaken(emailMessage, () => received.length > 0);
      const verify = () => call('POST', `${path}/providers/${saved.body.providers[0].id}/verify`);
      await verify();
      await fail(verify);
      await call('PUT', path, {
        ...settings,
        providers: [{ kind, config: { ...config, nonsense: { a: 1 } } }],
      });
      await call('PUT', path, { ...settings, providers: [{ kind: 'pigeon', config }] });
    }
    const login = { username: 'acme', password: planted.get('smtp password') };
    await useProvider(
      'smtp',
      { host: '127.0.0.1', port: smtp.port, ...login },
      smtp.received,
      async (verify) => {
        smtp.script.auth = (username, password) => ({ code: 535, text: `5.7.8 no ${username} ${password}` });
        smtp.dropAll();
        await verify();
        const seen = await call('POST', '/v1/notifications', emailMessage);
        await app.waitFor(seen.body.id, ({ attempt_count }) => attempt_count > 0);
        smtp.script = {};
      },
    );
    for (const { kind, simulator, config, errorBody } of providers)
      await useProvider(kind, config, simulator.received, async (verify) => {
        await failWith(simulator, inRequests(config), emailMessage, errorBody);
        simulator.fault = repeating(401, inRequests(config), errorBody);
        await verify();
        simulator.fault = null;
      });
  }, 120_000);

  it('while text messages are sent and refused', async () => {
    const path = `/v1/environments/${app.liveEnvironmentId}/sms-settings`;
    for (const { kind, simulator, config } of smsProviders) {
      const provider = { kind, from_number: '+14155550100', config };
      const saved = await call('PUT', `${path}/providers`, { providers: [provider] });
      expect([kind, saved.status, saved.body.error]).toEqual([kind, 200, undefined]);
      const [{ id, callback_url }] = saved.body.providers;
      simulator.fault = repeating(401, inRequests(config));
      await call('POST', `${path}/providers/${id}/verify`);
      simulator.fault = null;
      await call('POST', `${path}/providers/${id}/verify`);
      // The owner is before the tag of a token, and the provider after it: neither is secret.
      planted.set(`${kind} callback token`, callback_url.split('/').at(-1).slice(12, 33));
      await sendUntilTaken(smsMessage, () => simulator.received.length > 0);
      const [message] = simulator.received;
      if (!message) throw new Error(`${kind} received nothing`);
      await simulator.receipt(message, 'delivered');
      await simulator.receipt(message, 'failed', undefined, { signature: 'bm8=' });
      await failWith(simulator, inRequests(config), smsMessage);
      const wrong = { ...provider, from_sender_id: 'much too long a sender' };
      await call('PUT', `${path}/providers`, { providers: [wrong] });
    }
    await call('PUT', path, { kind: 'managed' });
    await send(smsMessage);
  }, 120_000);

  it('while chats are posted to and refused', async () => {
    const token = `xoxb-${plant('chatone bot token')}`;
    chatone.addToken({ token });
    chatone.addChannel('C0GENERAL');
    for (const index of statuses.keys()) chatone.addChannel(`C0ROOM${index}`);
    const installed = await call('POST', '/v1/chatone/installations', { bot_token: token });
    expect([installed.status, installed.body.error]).toEqual([201, undefined]);
    await call('POST', '/v1/chatone/installations', { bot_token: `xoxb-${plant('a wrong bot token')}` });
    const templates: [string, unknown][] = [
      ['chatone', [{ type: 'section', text: { type: 'mrkdwn', text: 'Hi' } }]],
      ['chattwo', { type: 'AdaptiveCard', version: '1.5', body: [{ type: 'TextBlock', text: 'Hi' }] }],
      ['chatthree', { title: 'Hi' }],
    ];
    for (const [channel, structured] of templates) {
      const bodies = [{ channel, structured_template: JSON.stringify(structured), text_template: 'Hi' }];
      await call('POST', '/v1/templates', { key: channel, name: channel, bodies });
    }
    const flow = chattwo.addFlow();
    const webhook = chatthree.addWebhook();
    planted.set('chattwo sig', flow.sig);
    planted.set('chatthree token', webhook.token);
    const endpoints: [string, string][] = [
      ['chattwo', flow.url],
      ['chatthree', webhook.url],
    ];
    for (const [channel, url] of endpoints) {
      const path = `/v1/${channel}-endpoints`;
      const made = await call('POST', path, { label: 'Here', key: 'here', webhook_url: url });
      expect([channel, made.status, made.body.error]).toEqual([channel, 201, undefined]);
      await call('POST', path, { label: 'Here', webhook_url: url.replace('http', 'ftp') });
      await call('POST', `${path}/${made.body.id}/send-test`);
      await call('PUT', `${path}/${made.body.id}`, { label: 'There', webhook_url: `${url}&x=[` });
    }
    const toRoom = (id: string) => ({
      channel: 'chatone',
      recipient: { chatone_channel_id: id },
      template_key: 'chatone',
    });
    await send(toRoom('C0GENERAL'));
    await failWith(chatone, { token, secret: chatone.clientSecret }, (index) => toRoom(`C0ROOM${index}`));
    const posts: [HttpSimulator, Record<string, unknown>, object][] = [
      [
        chattwo,
        { url: flow.url, sig: flow.sig },
        { channel: 'chattwo', recipient: { endpoint: 'here' }, template_key: 'chattwo' },
      ],
      [
        chatthree,
        { url: webhook.url, token: webhook.token },
        { channel: 'chatthree', recipient: { endpoint: 'here' }, template_key: 'chatthree' },
      ],
    ];
    for (const [simulator, given, body] of posts) {
      await send(body);
      await failWith(simulator, given, body);
    }
    await chatone.postEvent(`${app.url}/hooks/chatone/events`, { type: 'url_verification', challenge: 'x' });
    await chatone.postEvent(
      `${app.url}/hooks/chatone/events`,
      { type: 'event_callback' },
      { secret: 'wrong' },
    );
  }, 120_000);

  it('while devices are rung and refused', async () => {
    const path = `/v1/environments/${app.liveEnvironmentId}/push-settings`;
    const settings = {
      web_push: { contact: 'ops@acme.example' },
      apns: {
        team_id: apns.teamId,
        key_id: apns.keyId,
        bundle_id: apns.bundleId,
        private_key: apns.privateKey,
      },
      fcm: { service_account: fcm.serviceAccount },
    };
    const keyOf = (pem = ''): string => pem.replace(/-----[^-]+-----|\s/g, '').slice(50, 110);
    planted.set('apns key', keyOf(apns.privateKey));
    planted.set('fcm key', keyOf(fcm.serviceAccount.private_key));
    const saved = await call('PUT', path, settings);
    expect([saved.status, saved.body.error]).toEqual([200, undefined]);

    const { endpoint, keys } = webPush.subscribe();
    planted.set('web push endpoint', endpoint.split('/').at(-1) ?? '');
    planted.set('web push auth', keys.auth);
    const given = {
      endpoint: `${endpoint}?token=${plant('web push query')}`,
      apns: plant('apns token', 32),
      fcm: plant('fcm token', 140),
      apnsKey: planted.get('apns key'),
      fcmKey: planted.get('fcm key'),
    };
    planted.set('apns token', Buffer.from(given.apns).toString('hex'));
    const devices = [
      { kind: 'web_push', endpoint: given.endpoint, keys },
      { kind: 'apns', token: planted.get('apns token') },
      { kind: 'fcm', token: given.fcm },
    ];
    const errorBody = (text: string) => ({ reason: text, error: { status: text, message: text } });
    for (const status of [null, ...statuses]) {
      // A device that is gone is removed, so all of them register again.
      for (const device of devices)
        expect((await call('PUT', '/v1/users/ada/devices', device)).status).toBeLessThan(300);
      for (const simulator of [webPush, apns, fcm])
        simulator.fault = status === null ? null : repeating(status, given, errorBody);
      const { id } = await send({
        channel: 'in_app',
        recipient: { external_user_id: 'ada' },
        subject: 'Hello',
        html_body: '<p>Hi</p>',
      });
      await waitUntil(async () => {
        const { body } = await call('GET', `/v1/notifications/${id}/trace`);
        const pushes = body.entries.filter(({ name }: { name: string }) => name === 'push');
        return pushes.length >= devices.length || new Error(JSON.stringify(pushes));
      }, 20_000);
      await call('POST', `${path}/test`, { external_user_id: 'ada' });
      await call('GET', '/v1/users/ada/devices');
    }
    for (const simulator of [webPush, apns, fcm]) simulator.fault = null;
    const wrong = { ...settings, apns: { ...settings.apns, private_key: given.apnsKey } };
    expect((await call('PUT', path, wrong)).status).toBe(400);
    await call('PUT', '/v1/users/ada/devices', { kind: 'apns', token: `${planted.get('apns token')}x` });
  }, 60_000);

  it('while webhooks are signed, tokens are minted and keys are made', async () => {
    const env = `/v1/environments/${app.liveEnvironmentId}`;
    const once = { shownOnce: true };
    const endpoint = await call('POST', '/v1/webhook-endpoints', { url: sink.url('/events') }, once);
    planted.set('webhook signing secret', endpoint.body.signing_secret.slice('whsec_'.length));
    const rotated = await call('POST', `${env}/webhook-secret/rotate`, {}, once);
    planted.set('environment webhook secret', rotated.body.signing_secret.slice('whsec_'.length));
    const inbox = await call('POST', `${env}/inbox-key/rotate`, {}, once);
    planted.set('inbox signing key', inbox.body.signing_key.slice('csi_'.length));
    const made = await call('POST', '/v1/api-keys', { name: 'planted', preset: 'full_access' }, once);
    planted.set('api key', made.body.key.slice('crl_live_'.length));
    const login = await app.request('POST', '/auth/login', {
      key: null,
      body: { email: app.adminEmail, password: app.adminPassword },
    });
    const cookie = /=([^;]+)/.exec(login.headers.get('set-cookie') ?? '')?.[1] ?? '';
    expect(cookie.length).toBeGreaterThan(20);
    planted.set('session', cookie);
    await app.request('GET', '/auth/me', { key: null, headers: { cookie: `carillon_session=${cookie}` } });
    await app.request('POST', '/auth/login', {
      key: null,
      body: { email: app.adminEmail, password: plant('a wrong password') },
    });
    await send({ channel: 'webhook', recipient: { address: sink.url('/notify') }, text_body: 'Hi' });
    await send(emailMessage);
    for (const channel of ['email', 'sms'] as const)
      await send(channel === 'email' ? emailMessage : smsMessage, app.testKey);
    await waitUntil(
      async () => sink.received.length > 3 || new Error(`${sink.received.length} deliveries`),
      20_000,
    );
  }, 60_000);

  it('while workflows call others, who repeat what they were given', async () => {
    const token = plant('fetch token');
    const url = `${sink.url('/fetch')}?api_key=${plant('fetch query')}`;
    const { reply } = sink;
    const answer = {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ echo: `Bearer ${token}`, url }),
    };
    sink.reply = (each, number) => (each.path.startsWith('/fetch') ? answer : reply(each, number));
    await call('POST', '/v1/workflows', { key: 'fetching', name: 'Fetching' });
    const headers = { Authorization: `Bearer ${token}` };
    const steps = [{ id: 'ask', kind: 'fetch', url, headers }];
    const version = await call('POST', '/v1/workflows/fetching/versions', { body: { steps } });
    expect([version.status, version.body.error]).toEqual([201, undefined]);
    await call('POST', '/v1/workflows/fetching/versions/1/activate');
    await call('GET', '/v1/workflows/fetching/versions/1');
    await call('POST', '/v1/workflows/fetching/versions/1/simulate', { trigger_data: {} });
    const { body } = await call('POST', '/v1/workflows/fetching/trigger', { trigger_data: {} });
    await waitUntil(async () => {
      const run = await call('GET', `/v1/workflows/runs/${body.run_id}`);
      return run.body.status === 'completed' || new Error(JSON.stringify(run.body));
    }, 20_000);
    expect(sink.received.some((each) => each.headers.authorization === `Bearer ${token}`)).toBe(true);
    sink.reply = reply;
  }, 60_000);

  it('in any answer, and nowhere else', async () => {
    await readEverything();
    for (const path of ['/metrics', '/status', '/openapi.json', '/docs', '/readyz'])
      emit(path, (await app.request('GET', path, { key: null })).body);
    emit('database', await dump());
    await app.app.stop(); // spans and log lines that are still on their way
    emit('log', log.join(''));
    expect(log.length).toBeGreaterThan(100);
    expect(emitted.filter(({ where }) => where === 'trace export').length).toBeGreaterThan(0);

    const different = new Map(emitted.map(({ where, text }) => [text, where])); // most answers are "not found"
    const found = [...different].flatMap(([text, where]) =>
      [...planted].flatMap(([name, secret]) => {
        // Settings show their own callback URL; that is what it is for.
        if (name.endsWith('callback token') && where.includes('sms-settings')) return [];
        const leak = leakOf(text, secret);
        return leak === null ? [] : [`${name} in ${where}: …${leak}…`];
      }),
    );
    expect([...new Set(found)]).toEqual([]);
    expect(planted.size).toBeGreaterThan(20);
  }, 60_000);
});

/** Asks every GET of the API, with every id that it may be asked with. */
async function readEverything(): Promise<void> {
  const ids = new Set<string>(sent);
  for (const { text } of emitted)
    for (const [id] of text.matchAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g))
      ids.add(id);
  const isUseful = ({ method, path, access }: { method: string; path: string; access: string }) =>
    method === 'GET' &&
    access !== 'public' &&
    access !== 'session' &&
    !path.includes('stream') &&
    !access.startsWith('recipient');
  for (const route of allRoutes(app.services).filter(isUseful)) {
    const paths = new Set([route.path.replace(':envId', app.liveEnvironmentId)]);
    for (const path of [...paths].filter((each) => each.includes('/:'))) {
      paths.delete(path);
      for (const id of [...ids].slice(-30)) paths.add(path.replace(/:\w+/g, id));
    }
    for (const path of paths) {
      const keys = route.path.includes('/:') ? [app.liveKey] : [app.liveKey, app.testKey];
      for (const key of keys) emit(`GET ${path}`, (await app.request('GET', path, { key })).body);
    }
  }
  for (const id of sent)
    emit(
      `trace of ${id}`,
      (await app.request('GET', `/v1/notifications/${id}/trace`, { key: app.liveKey })).body,
    );
  emit('audit log', (await app.request('GET', '/v1/audit-log?limit=100', { key: app.liveKey })).body);
}

async function dump(): Promise<string> {
  const { rows: tables } = await app.pool.query(
    "select format('%I', tablename) as name from pg_tables where schemaname = 'public'",
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await app.pool.query(
      `select coalesce(string_agg(t::text, e'\\n'), '') as text from ${name} t`,
    );
    parts.push(rows[0].text);
  }
  return parts.join('\n');
}

const window = 12;

/** A dozen characters of a secret are too many, whether as they are, in hexadecimal, in base64 or in a URL. */
function leakOf(text: string, secret: string): string | null {
  for (let at = 0; at + window <= secret.length; at += 1) {
    const part = secret.slice(at, at + window);
    if (text.includes(part)) return part;
  }
  const bytes = Buffer.from(secret);
  const forms = [bytes.toString('hex'), encodeURIComponent(secret)];
  // In base64 it looks different by where in a group of three bytes it begins; its first and last digits depend on others.
  for (const before of ['', 'x', 'xx']) {
    const coded = Buffer.from(before + secret).toString('base64');
    forms.push(coded.slice(before === '' ? 0 : 4, -4));
  }
  return forms.find((form) => form.length >= window && text.includes(form)) ?? null;
}
