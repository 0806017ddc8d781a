import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp, type TestResponse, waitUntil } from '../../../../test/harness/app.ts';
import { startResendSimulator } from '../../../../test/simulators/resend.ts';
import { type SendgridSimulator, startSendgridSimulator } from '../../../../test/simulators/sendgrid.ts';
import { type SmtpSimulator, startRawServer, startSmtpSimulator } from '../../../../test/simulators/smtp.ts';
import { startWebhookSink, type WebhookSink } from '../../../../test/simulators/webhook-sink.ts';
import type { EmailConnections } from '../connections/index.ts';
import { senderFor } from '../connections/test-harness.ts';

/** The email chain with real sockets: two processes on one database, two mail servers that do as they are told. */
type Json = TestResponse['body'];

let app: TestApp;
let other: TestApp;
let first: SmtpSimulator;
let second: SmtpSimulator;
let sink: WebhookSink;
/** Of both processes. */
const allConnections: EmailConnections[] = [];
const onConnections = (connections: EmailConnections): void => void allConnections.push(connections);

beforeAll(async () => {
  [app, first, second, sink] = await Promise.all([
    // Probes come every half second.
    startTestApp({ settings: { CARILLON_RETRY_SCALE: '0.05' }, onConnections }),
    startSmtpSimulator(),
    startSmtpSimulator(),
    startWebhookSink(),
  ]);
  other = await startTestApp({
    database: app.database,
    settings: { CARILLON_RETRY_SCALE: '0.05' },
    onConnections,
  });
});
afterAll(async () => {
  await other.stop();
  await app.stop();
  await Promise.all([first.stop(), second.stop(), sink.stop()]);
});
beforeEach(async () => {
  await app.pool.query('delete from provider_pauses');
  await app.pool.query('delete from provider_health');
  await app.pool.query('delete from provider_health_counts');
  for (const server of [first, second]) {
    server.script = {};
    server.received.splice(0);
  }
});

const settingsPath = () => `/v1/environments/${app.liveEnvironmentId}/email-settings`;

const smtp = (name: string, port: number) => ({ kind: 'smtp', name, config: { host: '127.0.0.1', port } });
const configure = (ports: number[]) =>
  configureProviders(ports.map((port, index) => smtp(index === 0 ? 'first' : 'second', port)));

let configured = 0;

/** Resolves when both processes send by these settings. */
async function configureProviders(providers: object[]): Promise<void> {
  configured += 1;
  const address = `hello-${configured}@acme.example`;
  const { status } = await app.request('PUT', settingsPath(), {
    key: app.liveKey,
    body: { from_address: address, providers },
  });
  expect(status).toBe(200);
  await waitUntil(async () => {
    const senders = await Promise.all(
      allConnections.map((connections) => senderFor(connections, app.liveEnvironmentId)),
    );
    return senders.every(({ from }) => from?.address === address) || new Error('old settings are in use');
  }, 20_000);
}

const email = (more: object = {}) => ({
  channel: 'email',
  recipient: { address: 'ada@example.com' },
  subject: 'Hello',
  text_body: 'It rings.',
  ...more,
});

async function send(more: object = {}): Promise<string> {
  const { status, body } = await app.request('POST', '/v1/notifications', {
    key: app.liveKey,
    body: email(more),
  });
  expect(status).toBe(202);
  return body.id;
}

/** Whoever takes them sends them, too, unless it is busy. */
async function sendMany(count: number, by = app): Promise<string[]> {
  const { body } = await by.request('POST', '/v1/notifications/batch', {
    key: app.liveKey,
    body: { notifications: Array.from({ length: count }, () => email({ priority: 'normal' })) },
  });
  return body.data.map(({ notification }: Json) => notification.id);
}

const read = async (path: string): Promise<Json> =>
  (await app.request('GET', `/v1/notifications/${path}`, { key: app.liveKey })).body;

function becomes(id: string, condition: (notification: Json) => boolean): Promise<Json> {
  return waitUntil(async () => {
    const seen = await read(id);
    return condition(seen) ? seen : new Error(`still ${JSON.stringify(seen)}`);
  }, 30_000);
}
const isSent = ({ status }: Json) => status === 'sent';
const types = ({ events }: Json): string[] => events.map(({ type }: Json) => type);

async function attemptsOf(id: string): Promise<Json[]> {
  return (await read(`${id}/trace`)).entries.filter(({ kind }: Json) => kind !== 'gate');
}

async function acceptedBy({ deps }: TestApp): Promise<number> {
  const { values } = await deps.metrics.attempts.get();
  return values.find(({ labels }) => labels.outcome === 'accepted')?.value ?? 0;
}

const healthOf = async (index: number): Promise<Json> =>
  (await app.request('GET', settingsPath(), { key: app.liveKey })).body.providers[index].health;

describe('a provider that hangs before it could have accepted the message', () => {
  test('at the greeting loses it to the next within 2 s of the timeout', { timeout: 40_000 }, async () => {
    const silent = await startRawServer(null);
    await configure([silent.port, second.port]);
    const id = await send();
    const notification = await becomes(id, isSent);
    expect(types(notification)).toEqual(['Queued', 'Sending', 'FailedOver', 'Sent']);
    const [failedOver, sent] = await attemptsOf(id);
    expect(failedOver).toMatchObject({ name: 'first', verdict: 'retry', code: 'timeout' });
    expect(sent).toMatchObject({ name: 'second', verdict: 'accepted' });
    // From the moment the first was given up to the moment the second had it, however busy this machine is.
    const givenUp = Date.parse(failedOver.at) + failedOver.latency_ms;
    expect(Date.parse(sent.at) + sent.latency_ms - givenUp).toBeLessThan(2_000);
    expect(failedOver.latency_ms).toBeLessThan(12_000);
    await silent.stop();
  });

  test('at the recipient as well', { timeout: 40_000 }, async () => {
    first.script.rcpt = () => 'hang';
    await configure([first.port, second.port]);
    const id = await send();
    await becomes(id, isSent);
    const [failedOver, sent] = await attemptsOf(id);
    expect(failedOver).toMatchObject({ name: 'first', verdict: 'retry', code: 'timeout' });
    const givenUp = Date.parse(failedOver.at) + failedOver.latency_ms;
    expect(Date.parse(sent.at) + sent.latency_ms - givenUp).toBeLessThan(2_000);
  });
});

/** The events of what was sent after so many calls that were answered with "slow down". */
const slowedDown = (calls: number) => [
  'Queued',
  ...Array.from({ length: calls }, () => ['Sending', 'AttemptFailed', 'Retrying']).flat(),
  ...['Sending', 'Sent'],
];

describe('a provider that asks us to slow down', () => {
  test('is left alone by both processes, the next one has the mail, and nothing is lost', {
    timeout: 60_000,
  }, async () => {
    await configure([first.port, second.port]);
    let refused = 0;
    first.script.mail = () => {
      refused += 1;
      return { code: 454, text: 'Throttling failure: Maximum sending rate exceeded.' };
    };
    // Long enough that everything below happens within it.
    const id = await send();
    expect(types(await becomes(id, isSent))).toEqual(['Queued', 'Sending', 'FailedOver', 'Sent']);
    expect(await read(id)).toMatchObject({ attempt_count: 2 });
    await app.pool.query(`update provider_pauses set paused_until = now() + interval '10 minutes'`);
    app.deps.doorbell.ring('provider_pauses');

    const before = refused;
    const ids = await sendMany(200);
    for (const each of ids) await becomes(each, isSent);
    expect(second.received).toHaveLength(201);
    // Those that were under way when the pause was pushed forward, and no more.
    expect(refused - before).toBeLessThanOrEqual(2);
    const last = ids.at(-1) ?? '';
    expect(types(await read(last))).toEqual(['Queued', 'Sending', 'Sent']);
    expect(await attemptsOf(last)).toMatchObject([
      { kind: 'decision', name: 'pace', verdict: 'passed_over' },
      { name: 'second', verdict: 'accepted' },
    ]);
    expect(await healthOf(0)).toMatchObject({ status: 'healthy', messages: 0 });

    // Both have worked, and neither has asked the first.
    await waitUntil(async () => {
      const done = await Promise.all([app, other].map(acceptedBy));
      if (done.every((count) => count > 0)) return true;
      for (const each of await sendMany(50, other)) await becomes(each, isSent);
      return new Error(`accepted: ${done.join(', ')}`);
    }, 20_000);
    expect(refused - before).toBeLessThanOrEqual(2);
  });

  test('and is the only one makes everything wait: every call is counted and told, a wait without one is told once', {
    timeout: 60_000,
  }, async () => {
    await configure([first.port]);
    let throttling = true;
    first.script.mail = () => (throttling ? { code: 451, text: '4.7.0 Rate limit exceeded' } : null);
    const ids = await sendMany(40);
    ids.push(await send({ priority: 'critical' }));
    const waiting = await waitUntil(async () => {
      const { rows } = await app.pool.query(
        `select count(*)::int as count, max((note -> 'waiting' ->> 'times')::int) as times from queue_later where kind = 1`,
      );
      return rows[0].count > 0 && rows[0].times >= 3 ? rows[0] : new Error(JSON.stringify(rows));
    }, 30_000);
    expect(waiting.count).toBeGreaterThan(0);
    expect(first.received).toHaveLength(0);
    throttling = false;
    for (const id of ids) {
      const sent = await becomes(id, isSent);
      const { entries } = await read(`${id}/trace`);
      const count = (wanted: string) => entries.filter(({ verdict }: Json) => verdict === wanted).length;
      const slowed = count('throttled');
      expect(sent.attempt_count).toBe(slowed + 1);
      expect(types(sent)).toEqual(slowedDown(slowed));
      const hasFirstWaitedWithoutCall = count('defer') > slowed;
      expect(count('defer')).toBe(slowed + (hasFirstWaitedWithoutCall ? 1 : 0));
      expect(count('resume')).toBe(count('defer') > 0 ? 1 : 0);
    }
    expect(first.received).toHaveLength(41);
  });
});

describe('a provider that answers 429', () => {
  let api: SendgridSimulator;
  beforeAll(async () => {
    api = await startSendgridSimulator({ apiKey: 'SG.live' });
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    api.received.splice(0);
    await configureProviders([
      { kind: 'sendgrid', name: 'first', config: { api_key: 'SG.live', base_url: api.url } },
    ]);
  });
  const tooMany = (retryAfter?: string) => ({
    status: 429,
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    body: { errors: [{ message: 'too many requests', field: null, help: null }] },
  });

  test.each([
    ['with Retry-After', '1'],
    ['without', undefined],
  ])(
    '%s gets everything later, and each once',
    {
      timeout: 60_000,
    },
    async (_name, retryAfter) => {
      api.faults.push(tooMany(retryAfter), tooMany(retryAfter), tooMany(retryAfter));
      const ids = await sendMany(20);
      let calls = 0;
      for (const id of ids) {
        const sent = await becomes(id, isSent);
        expect(types(sent)).toEqual(slowedDown(sent.attempt_count - 1));
        calls += sent.attempt_count;
      }
      expect(calls).toBe(23);
      expect(api.received).toHaveLength(20);
    },
  );

  test('and wants to be left alone for years is asked again within the hour', {
    timeout: 60_000,
  }, async () => {
    api.faults.push(tooMany('99999999'));
    const id = await send();
    const { pause } = await waitUntil(async () => {
      const { rows } = await app.pool.query(
        `select extract(epoch from paused_until - now())::int as pause from provider_pauses
         where environment_id = $1 and paused_until > now()`,
        [app.liveEnvironmentId],
      );
      return rows[0] ?? new Error(`no pause: ${JSON.stringify(await read(`${id}/trace`))}`);
    }, 20_000);
    expect(pause).toBeGreaterThan(3_000);
    expect(pause).toBeLessThanOrEqual(3_600);
    const waiting = await becomes(id, ({ status, last_error }) => status === 'queued' && last_error !== null);
    expect(waiting).toMatchObject({ attempt_count: 1, last_error: expect.stringContaining('429') });
    expect(types(waiting)).toEqual(['Queued', 'Sending', 'AttemptFailed', 'Retrying']);
    const trace = await read(`${id}/trace`);
    expect(trace.summary).toContain('Waiting for a throttled provider');
    expect(Date.parse(trace.next_attempt_at)).toBeGreaterThan(Date.now() + 3_000_000);
    expect((await app.request('DELETE', `/v1/notifications/${id}`, { key: app.liveKey })).status).toBe(204);
  });
});

describe('a provider that fails', () => {
  test('is announced, tried last, and back in its place once it works again', {
    timeout: 90_000,
  }, async () => {
    await configure([first.port, second.port]);
    const made = await app.request('POST', '/v1/webhook-endpoints', {
      key: app.liveKey,
      body: { url: sink.url('/outages'), event_filters: ['provider.critical', 'provider.recovered'] },
    });
    expect(made.status).toBe(201);
    const told = () =>
      sink.received.filter(({ path }) => path === '/outages').map(({ body }) => body as Json);

    let asked = 0;
    let dead = true;
    first.script.mail = () => {
      asked += 1;
      return dead ? { code: 451, text: '4.3.0 Local error' } : null;
    };
    for (const id of await sendMany(30)) await becomes(id, isSent);
    const critical = await waitUntil(async () => told()[0] ?? new Error('nothing was announced'), 20_000);
    expect(critical).toMatchObject({
      type: 'provider.critical',
      data: { provider: 'first', environment_id: app.liveEnvironmentId, failure_rate: 1 },
    });
    expect(await healthOf(0)).toMatchObject({ status: 'outage', since: critical.data.firing_since });
    expect(await healthOf(1)).toMatchObject({ status: 'healthy', failed_messages: 0 });
    const status = async () => (await app.request('GET', '/status', { key: null })).body;
    const incident = await waitUntil(
      async () => (await status()).active_incidents[0] ?? new Error('no incident'),
      20_000,
    );
    expect(incident).toMatchObject({ title: 'Email provider outage (SMTP server)', source: 'provider' });

    // Most of them go to the second at once: only a probe now and then finds out that the first still fails.
    asked = 0;
    const ids = await sendMany(100);
    for (const id of ids) expect(await becomes(id, isSent)).toBeDefined();
    expect(asked).toBeLessThan(50);
    const orders = (await Promise.all(ids.map(attemptsOf))).map(([entry]) => entry);
    expect(orders.some((entry) => entry.name === 'provider_order' && entry.verdict === 'tried_last')).toBe(
      true,
    );

    dead = false;
    await waitUntil(async () => {
      await becomes(await send(), isSent);
      const { status } = await healthOf(0);
      return status === 'degraded' || status === 'healthy' ? true : new Error(`still ${status}`);
    }, 30_000);
    const id = await send();
    await becomes(id, isSent);
    expect(await attemptsOf(id)).toMatchObject([{ name: 'first', verdict: 'accepted' }]);

    await app.pool.query('delete from provider_health_counts'); // the window has passed
    await becomes(await send(), isSent);
    await waitUntil(async () => told()[1] ?? new Error('its end was not announced'), 20_000);
    expect(told().map(({ type }) => type)).toEqual(['provider.critical', 'provider.recovered']);
    expect(await healthOf(0)).toMatchObject({ status: 'healthy', since: null });
    await waitUntil(async () => {
      const { active_incidents, recent_incidents } = await status();
      return (
        (active_incidents.length === 0 && recent_incidents[0]?.id === incident.id) ||
        new Error('the incident is not resolved')
      );
    }, 20_000);
  });

  test('for want of good credentials is tried last from the first message on', {
    timeout: 60_000,
  }, async () => {
    await configure([first.port, second.port]);
    first.script.mail = () => ({ code: 530, text: '5.7.0 Authentication required' });
    const [one] = [await send()];
    expect(types(await becomes(one, isSent))).toContain('FailedOver');
    expect(
      await waitUntil(async () => {
        const health = await healthOf(0);
        return health.status === 'outage' ? health : new Error(JSON.stringify(health));
      }),
    ).toMatchObject({ messages: 1 });
  });
});

test('a provider that lost its answer and recognises repeats is asked again, and no other', {
  timeout: 60_000,
}, async () => {
  const api = await startResendSimulator({ apiKey: 're_live' });
  await configureProviders([
    { kind: 'resend', name: 'first', config: { api_key: 're_live', base_url: api.url } },
    smtp('second', second.port),
  ]);
  api.faults.push('drop_after_accept');
  const id = await send();
  expect(await becomes(id, isSent)).toMatchObject({ attempt_count: 2 });
  expect(await attemptsOf(id)).toMatchObject([
    { name: 'first', verdict: 'ambiguous' },
    { name: 'outcome_unknown', verdict: 'retry' },
    { name: 'first', verdict: 'accepted' },
  ]);
  expect(api.received).toHaveLength(1);
  expect(second.received).toHaveLength(0);
  await api.stop();
});

test('a provider that has had the message in other words keeps it: nobody else is given it', {
  timeout: 60_000,
}, async () => {
  const api = await startResendSimulator({ apiKey: 're_live' });
  await configureProviders([
    { kind: 'resend', name: 'first', config: { api_key: 're_live', base_url: api.url } },
    smtp('second', second.port),
  ]);
  const later = (ms: number) => ({ send_at: new Date(Date.now() + ms).toISOString() });
  const id = await send(later(3_600_000));
  // As an earlier attempt would have, by settings that were changed since.
  const earlier = await fetch(`${api.url}/emails`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer re_live',
      'content-type': 'application/json',
      'idempotency-key': id,
      'user-agent': 'test',
    },
    body: JSON.stringify({ from: 'a@acme.example', to: ['ada@example.com'], subject: 'Hello', text: 'Hi' }),
  });
  expect(earlier.status).toBe(200);
  await app.request('PATCH', `/v1/notifications/${id}`, { key: app.liveKey, body: later(100) });
  const failed = await becomes(id, ({ status }) => status === 'failed' || status === 'sent');
  expect(failed).toMatchObject({ status: 'failed', last_error: expect.stringMatching(/^outcome_unknown/) });
  expect(await attemptsOf(id)).toMatchObject([
    { name: 'first', verdict: 'ambiguous', code: 'invalid_idempotent_request' },
    { name: 'outcome_unknown', verdict: 'prefer_loss' },
  ]);
  expect(api.received).toHaveLength(1);
  expect(second.received).toHaveLength(0);
  await api.stop();
});

test('a provider that is removed while its messages are queued hands them to those that are left', {
  timeout: 60_000,
}, async () => {
  await configure([first.port]);
  first.script.mail = () => ({ code: 451, text: '4.3.0 Not now' });
  const ids = await sendMany(5);
  for (const id of ids) await becomes(id, ({ attempt_count }) => attempt_count > 0);
  await configure([second.port]);
  for (const id of ids) await becomes(id, isSent);
  expect(second.received).toHaveLength(5);
});
