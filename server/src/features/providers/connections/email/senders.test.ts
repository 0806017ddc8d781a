import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../../test/harness/app.ts';
import { startSmtpSimulator } from '../../../../../test/simulators/smtp.ts';
import { emailIdentity } from '../../../../channels/email/plan.ts';
import type { EmailMessage } from '../../../../channels/message.ts';
import { createSandboxCarrier } from '../../../../channels/sandbox/index.ts';
import type { Deps } from '../../../../deps.ts';
import { createKeyring } from '../../../../kernel/crypto.ts';
import { createLog } from '../../../../kernel/log.ts';
import { createSandboxEmailSenders } from '../sandbox-senders.ts';
import { settingsVersionSql } from '../sender-cache.ts';
import { senderFor } from '../test-harness.ts';
import { createEmailConnections, type EmailConnections } from './senders.ts';

let app: TestApp;
const now = 0;
const started: EmailConnections[] = [];

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  await Promise.all(started.map((connections) => connections.stop()));
  await app.stop();
});

function connectionsWith(config: Partial<Deps['config']> = {}, more: Partial<Deps> = {}): EmailConnections {
  const deps = { ...app.deps, ...more, config: { ...app.deps.config, ...config }, clock: () => now };
  const connections = createEmailConnections({ ...deps, sandboxStore: app.services.sandboxStore });
  started.push(connections);
  return connections;
}

const put = (kind: 'test' | 'live', body: unknown) => {
  const [id, key] =
    kind === 'test' ? [app.testEnvironmentId, app.testKey] : [app.liveEnvironmentId, app.liveKey];
  return app.request('PUT', `/v1/environments/${id}/email-settings`, { key, body });
};
const smtp = (name: string, changes: object = {}) => ({
  kind: 'smtp',
  name,
  config: { host: '127.0.0.1', port: 2525 },
  ...changes,
});

const operator = { address: 'no-reply@operator.example', name: 'Operator' };
const letter = (): EmailMessage => ({
  channel: 'email',
  notificationId: '0198aaaa-0000-7000-8000-000000000001',
  environmentId: app.liveEnvironmentId,
  attempt: 1,
  to: { address: 'ada@example.com', name: null },
  from: operator,
  replyTo: null,
  subject: 'Hello',
  html: null,
  text: 'Hello',
  attachments: [],
  headers: {},
});

describe('a Test environment', () => {
  it('sends through the sandbox alone, whatever its providers', async () => {
    await put('test', { from_name: 'Acme', providers: [smtp('real')] });
    const sandbox = createSandboxCarrier('sandbox', app.services.sandboxStore, app.deps.clock);
    const sendersFor = createSandboxEmailSenders({ ...app.deps, sandbox });
    const sender = await senderFor({ sendersFor }, app.testEnvironmentId);
    expect(sender.carriers.map(({ kind, name }) => [kind, name])).toEqual([['sandbox', 'sandbox']]);
    expect(sender).toMatchObject({ from: { address: 'no-reply@sandbox.test', name: 'Acme' }, problem: null });
  });
});

describe('a Live environment', () => {
  it('says what is missing', async () => {
    await put('live', { providers: [] });
    const none = await senderFor(connectionsWith(), app.liveEnvironmentId);
    expect(none).toMatchObject({
      from: null,
      carriers: [],
      problem: expect.stringContaining('no enabled email provider'),
    });
    await put('live', { providers: [smtp('a')] });
    const unsigned = await senderFor(connectionsWith(), app.liveEnvironmentId);
    expect(unsigned).toMatchObject({ from: null, problem: expect.stringContaining('from_address') });
  });

  it('sends through its enabled providers, in order', async () => {
    await put('live', {
      from_address: 'hello@acme.example',
      reply_to: 'help@acme.example',
      sender_locked: true,
      providers: [smtp('b'), smtp('off', { enabled: false }), smtp('a')],
    });
    const sender = await senderFor(connectionsWith(), app.liveEnvironmentId);
    expect(sender.carriers.map(({ name }) => name)).toEqual(['b', 'a']);
    expect(sender).toMatchObject({
      from: { address: 'hello@acme.example', name: null },
      replyTo: 'help@acme.example',
      senderLocked: true,
      problem: null,
    });
  });

  it('without providers sends through the operator’s server', async () => {
    const server = await startSmtpSimulator({ user: { username: 'op', password: 'p@ss' } });
    await put('live', { providers: [] });
    const url = `smtp://op:p%40ss@127.0.0.1:${server.port}`;
    const connections = connectionsWith({
      CARILLON_SMTP_URL: url,
      CARILLON_MANAGED_FROM: operator,
      CARILLON_ALLOW_PRIVATE_NETWORK: 'none',
    });
    const { carriers, from, problem } = await senderFor(connections, app.liveEnvironmentId);
    expect(carriers).toMatchObject([{ name: 'managed', kind: 'smtp', isShared: true }]);
    expect({ from, problem }).toEqual({ from: operator, problem: null });
    const outcome = await carriers[0]?.send(letter(), AbortSignal.timeout(5_000));
    expect(outcome).toMatchObject({ kind: 'accepted' });
    expect(server.received[0]?.clientName).toBe('operator.example');
    await connections.stop();
    await server.stop();
  });

  it.each([null, 'notify.acme.example'])(
    'greets mail servers by the setting %s, else by the domain of its address',
    async (name) => {
      const server = await startSmtpSimulator();
      const own = smtp('own', { config: { host: '127.0.0.1', port: server.port } });
      await put('live', { from_address: 'hello@bücher.example', providers: [own] });
      const connections = connectionsWith({ CARILLON_SMTP_NAME: name });
      const { carriers, from } = await senderFor(connections, app.liveEnvironmentId);
      if (!from) throw new Error('no sender');
      await carriers[0]?.send({ ...letter(), from }, AbortSignal.timeout(5_000));
      expect(server.received[0]?.clientName).toBe(name ?? 'xn--bcher-kva.example');
      await connections.stop();
      await server.stop();
    },
  );
});

describe('the managed relay', () => {
  const relay = { CARILLON_SMTP_URL: 'smtp://127.0.0.1:2525', CARILLON_MANAGED_FROM: operator };
  const identityOf = async (config: Partial<Deps['config']>) => {
    const sender = await senderFor(connectionsWith(config), app.liveEnvironmentId);
    return emailIdentity(sender, { from_name: 'Bank', reply_to: null });
  };
  const spoofed = {
    from_address: 'ceo@victim.example',
    from_name: 'Victim',
    reply_to: 'help@acme.example',
  };

  it('sends as the operator, not as the environment or the request say; replies go to the tenant', async () => {
    await put('live', spoofed);
    expect(await identityOf(relay)).toEqual({ from: operator, replyTo: 'help@acme.example' });
    await put('live', { ...spoofed, providers: [smtp('off', { enabled: false })] });
    expect((await identityOf(relay)).from).toEqual(operator);
  });

  it('leaves an environment with a provider of its own alone', async () => {
    await put('live', { ...spoofed, from_address: 'hello@acme.example', providers: [smtp('own')] });
    expect(await identityOf(relay)).toEqual({
      from: { address: 'hello@acme.example', name: 'Bank' },
      replyTo: 'help@acme.example',
    });
  });
});

it('an environment whose own providers cannot be opened is not moved to the operator’s server', async () => {
  const resend = { kind: 'resend', name: 'own', config: { api_key: 're_0123456789' } };
  await put('live', { from_address: 'hello@acme.example', providers: [resend] });
  const keyring = createKeyring([Buffer.alloc(32, 9)]);
  const sender = await senderFor(
    connectionsWith(
      { CARILLON_SMTP_URL: 'smtp://127.0.0.1:2525', CARILLON_MANAGED_FROM: operator },
      { keyring, log: createLog('silent') },
    ),
    app.liveEnvironmentId,
  );
  expect(sender).toMatchObject({ carriers: [], problem: expect.stringContaining('cannot be decrypted') });
});

it('a sender is kept for the version of the settings that it was made from, and unchanged providers keep their carrier', async () => {
  const connections = connectionsWith();
  const find = async () => {
    const { rows } = await app.pool.query(`select ${settingsVersionSql("'email'", '$1')} as version`, [
      app.liveEnvironmentId,
    ]);
    const environment = {
      id: app.liveEnvironmentId,
      settingsVersion: rows[0].version,
    };
    const sender = (await connections.sendersFor([environment])).get(environment.id);
    if (!sender) throw new Error('left out');
    return sender;
  };
  const first = (await put('live', { from_address: 'a@acme.example', providers: [smtp('a'), smtp('b')] }))
    .body;
  const before = await find();
  expect(await find()).toBe(before);
  const [a, b] = first.providers;
  await put('live', {
    from_address: 'b@acme.example',
    providers: [
      { id: a.id, kind: 'smtp', config: { host: '127.0.0.1', port: 2525 } },
      { id: b.id, kind: 'smtp', config: { host: '127.0.0.1', port: 2526 } },
    ],
  });
  const after = await find();
  expect(after.from?.address).toBe('b@acme.example');
  expect(after.carriers[0]).toBe(before.carriers[0]);
  expect(after.carriers[1]).not.toBe(before.carriers[1]);
});

it('many environments are found at once', async () => {
  const found = await connectionsWith().sendersFor([
    { id: app.liveEnvironmentId },
    { id: '0198aaaa-0000-7000-8000-00000000000f' },
  ]);
  expect([...found.values()].map(({ problem }) => problem === null)).toEqual([true, false]);
});

describe('the identity of an email', () => {
  const sender = {
    from: { address: 'hello@acme.example', name: 'Acme' },
    replyTo: 'help@acme.example',
    senderLocked: false,
  };

  it.each([
    ['is the environment’s', sender, { from_name: null, reply_to: null }, 'Acme', 'help@acme.example'],
    [
      'may be named by the request',
      sender,
      { from_name: 'Ada', reply_to: 'ada@acme.example' },
      'Ada',
      'ada@acme.example',
    ],
    [
      'keeps its name when it is locked',
      { ...sender, senderLocked: true },
      { from_name: 'Ada', reply_to: 'ada@acme.example' },
      'Acme',
      'ada@acme.example',
    ],
  ])('%s', (_name, from, request, name, replyTo) => {
    expect(emailIdentity(from, request)).toEqual({ from: { address: 'hello@acme.example', name }, replyTo });
  });
});
