import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../../test/harness/app.ts';
import { type SmtpSimulator, startSmtpSimulator } from '../../../../../test/simulators/smtp.ts';

let app: TestApp;
let smtp: SmtpSimulator;
const user = { username: 'acme', password: 'very-secret-pa55word' };

beforeAll(async () => {
  app = await startTestApp();
  smtp = await startSmtpSimulator({ user });
});
afterAll(async () => {
  await smtp.stop();
  await app.stop();
});

const path = (): string => `/v1/environments/${app.liveEnvironmentId}/email-settings`;
const read = () => app.request('GET', path(), { key: app.liveKey });
const put = (body: unknown) => app.request('PUT', path(), { key: app.liveKey, body });
const provider = (changes: object = {}, config: object = {}) => ({
  kind: 'smtp',
  config: { host: '127.0.0.1', port: smtp.port, ...user, ...config },
  ...changes,
});

describe('PATCH', () => {
  const patch = (body: unknown) => app.request('PATCH', path(), { key: app.liveKey, body });

  it('changes what it gives and leaves the rest', async () => {
    const all = { from_address: 'a@acme.example', from_name: 'Acme', reply_to: 'b@acme.example' };
    const before = (await put({ ...all, track_opens: true, providers: [provider()] })).body;
    const after = await patch({ from_name: 'Acme Inc.', track_clicks: true, reply_to: null });
    expect([after.status, after.body]).toEqual([
      200,
      { ...before, from_name: 'Acme Inc.', track_clicks: true, reply_to: null },
    ]);
    expect((await read()).body).toEqual(after.body);
    expect((await patch({})).body).toEqual(after.body);
    expect((await patch({ from_name: '' })).body).toEqual({ ...after.body, from_name: null });
  });

  it('replaces the whole chain, and keeps the secrets of a provider named by its id', async () => {
    const [first] = (await put({ providers: [provider(), { kind: 'sandbox' }] })).body.providers;
    const { body } = await patch({
      providers: [{ id: first.id, kind: 'smtp', config: { ...first.config, secure: false } }],
    });
    expect(body.providers).toEqual([first]);
    const verified = await app.request('POST', `${path()}/providers/${first.id}/verify`, {
      key: app.liveKey,
    });
    expect(verified.body).toMatchObject({ ok: true });
    expect((await patch({ providers: [] })).body.providers).toEqual([]);
  });

  it('checks what it is given as PUT does', async () => {
    const refused = await patch({ from_address: 'nobody' });
    expect([refused.status, refused.body.error.param]).toEqual([400, 'from_address']);
    const elsewhere = await app.request('PATCH', path(), { body: { from_name: 'x' } });
    expect(elsewhere.status).toBe(404);
  });
});

describe('email settings', () => {
  it('are empty before anybody sets them', async () => {
    const { status, body } = await app.request(
      'GET',
      `/v1/environments/${app.testEnvironmentId}/email-settings`,
    );
    expect(status).toBe(200);
    expect(body).toEqual({
      from_address: null,
      from_name: null,
      reply_to: null,
      sender_locked: false,
      managed_from: null,
      track_opens: false,
      track_clicks: false,
      providers: [],
    });
  });

  it('are read as they were written, with defaults filled in and secrets masked', async () => {
    const health = { status: 'healthy', messages: 0, failed_messages: 0, failure_rate: 0, since: null };
    const written = await put({
      from_address: 'Hello@ACME.example',
      from_name: 'Acme',
      reply_to: 'help@acme.example',
      sender_locked: true,
      track_opens: true,
      providers: [provider(), { kind: 'sandbox', enabled: false }],
    });
    expect(written.status).toBe(200);
    expect(written.body).toEqual({
      from_address: 'Hello@acme.example',
      from_name: 'Acme',
      reply_to: 'help@acme.example',
      sender_locked: true,
      managed_from: null,
      track_opens: true,
      track_clicks: false,
      providers: [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          kind: 'smtp',
          name: 'smtp',
          enabled: true,
          config: {
            host: '127.0.0.1',
            port: smtp.port,
            secure: false,
            require_tls: false,
            username: 'acme',
            password: '••••word',
          },
          callback_url: null,
          health,
        },
        {
          id: expect.any(String),
          kind: 'sandbox',
          name: 'sandbox',
          enabled: false,
          config: {},
          callback_url: null,
          health,
        },
      ],
    });
    expect((await read()).body).toEqual(written.body);
  });

  it('go back to their defaults when they are left out', async () => {
    await put({ from_name: 'Acme', track_clicks: true, providers: [provider()] });
    expect((await put({ providers: [] })).body).toMatchObject({
      from_name: null,
      track_clicks: false,
      providers: [],
    });
  });

  it('belong to the environment of the key: another one does not exist', async () => {
    for (const method of ['GET', 'PUT']) {
      const options = { key: app.testKey, ...(method === 'PUT' ? { body: {} } : {}) };
      const { status, body } = await app.request(method, path(), options);
      expect([status, body.error.code]).toEqual([404, 'resource_not_found']);
    }
  });

  it.each<[string, unknown]>([
    ['from_address', { from_address: 'Acme <hello@acme.example>' }],
    ['from_address', { from_address: 5 }],
    ['from_name', { from_name: 'Acme <x>' }],
    ['from_name', { from_name: 'a\r\nBcc: b' }],
    ['from_name', { from_name: 'x'.repeat(201) }],
    ['reply_to', { reply_to: 'help' }],
    ['sender_locked', { sender_locked: 'yes' }],
    ['providers', { providers: {} }],
    ['providers', { providers: Array.from({ length: 11 }, () => ({ kind: 'sandbox' })) }],
    ['providers[0].kind', { providers: [{ kind: 'pigeon' }] }],
    ['providers[0].kind', { providers: [{ kind: 'constructor' }] }],
    ['providers[0].kind', { providers: [{}] }],
    ['providers[0].config.host', { providers: [{ kind: 'smtp' }] }],
    ['providers[0].config.host', { providers: [{ kind: 'smtp', config: { host: 'a b' } }] }],
    ['providers[0].config.host', { providers: [{ kind: 'smtp', config: { host: 'mail.example:25' } }] }],
    [
      'providers[1].config.port',
      { providers: [{ kind: 'sandbox' }, { kind: 'smtp', config: { host: 'a.example', port: 70_000 } }] },
    ],
    [
      'providers[0].config.port',
      { providers: [{ kind: 'smtp', config: { host: 'a.example', port: '25' } }] },
    ],
    [
      'providers[0].config.secure',
      { providers: [{ kind: 'smtp', config: { host: 'a.example', secure: 1 } }] },
    ],
    [
      'providers[0].config.password',
      { providers: [{ kind: 'smtp', config: { host: 'a.example', username: 'a' } }] },
    ],
    [
      'providers[0].config.username',
      { providers: [{ kind: 'smtp', config: { host: 'a.example', password: 'a' } }] },
    ],
    [
      'providers[0].config.password',
      { providers: [{ kind: 'smtp', config: { host: 'a.example', username: 'a', password: '••••word' } }] },
    ],
    [
      'providers[0].config.password',
      { providers: [{ kind: 'smtp', config: { host: 'a.example', username: 'a', password: 'a\u0000b' } }] },
    ],
    ['providers[0].config', { providers: [{ kind: 'smtp', config: [] }] }],
    [
      'providers[1].name',
      {
        providers: [
          { kind: 'sandbox', name: 'A' },
          { kind: 'sandbox', name: 'a' },
        ],
      },
    ],
    ['providers[0].name', { providers: [{ kind: 'sandbox', name: 'a\nb' }] }],
  ])('name the field at fault: %s', async (param, body) => {
    const before = (await read()).body;
    const refused = await put(body);
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatchObject({ type: 'invalid_request_error', param });
    expect((await read()).body).toEqual(before);
  });
});

describe('providers', () => {
  it('get names of their own, which they keep', async () => {
    const { body } = await put({
      providers: [{ kind: 'sandbox' }, { kind: 'sandbox' }, { kind: 'sandbox', name: 'sandbox-2' }],
    });
    const names = (view: typeof body) => view.providers.map(({ name }: { name: string }) => name);
    expect(names(body)).toEqual(['sandbox', 'sandbox-3', 'sandbox-2']);
    const [, second, third] = body.providers;
    const reordered = await put({
      providers: [
        { id: third.id, kind: 'sandbox' },
        { id: second.id, kind: 'sandbox' },
      ],
    });
    expect(reordered.body.providers.map(({ id }: { id: string }) => id)).toEqual([third.id, second.id]);
    expect(names(reordered.body)).toEqual(['sandbox-2', 'sandbox-3']);
  });

  it('keep a secret that is left out or sent back masked, and lose one that is cleared', async () => {
    const first = (await put({ providers: [provider()] })).body.providers[0];
    const verify = (id: string) =>
      app.request('POST', `${path()}/providers/${id}/verify`, { key: app.liveKey });
    const without = { host: '127.0.0.1', port: smtp.port, username: user.username };
    for (const config of [without, first.config, { ...without, password: '••••' }]) {
      const [kept] = (await put({ providers: [{ id: first.id, kind: 'smtp', config }] })).body.providers;
      expect(kept).toMatchObject({ id: first.id, config: { password: '••••word' } });
      expect((await verify(first.id)).body).toEqual({ ok: true, detail: 'Connected and authenticated.' });
    }
    const cleared = { ...without, username: '', password: '' };
    const { body } = await put({ providers: [{ id: first.id, kind: 'smtp', config: cleared }] });
    expect(body.providers[0].config).toMatchObject({ username: null, password: null });
  });

  it('do not send a secret that they were not given anew to another host', async () => {
    const first = (await put({ providers: [provider()] })).body.providers[0];
    for (const elsewhere of [{ host: 'mail.evil.example' }, { port: smtp.port + 1 }]) {
      const config = { ...first.config, ...elsewhere };
      const refused = await put({ providers: [{ id: first.id, kind: 'smtp', config }] });
      expect(refused).toMatchObject({
        status: 400,
        body: { error: { code: 'parameter_invalid', param: 'providers[0].config.password' } },
      });
      const given = { ...config, password: 'another-password' };
      expect((await put({ providers: [{ id: first.id, kind: 'smtp', config: given }] })).status).toBe(200);
      await put({
        providers: [{ id: first.id, kind: 'smtp', config: { ...first.config, password: user.password } }],
      });
    }
    const resend = { kind: 'resend', config: { api_key: 're_0123456789', webhook_secret: null } };
    const [stored] = (await put({ providers: [resend] })).body.providers;
    const lure = { ...stored.config, base_url: 'https://evil.example' };
    expect(await put({ providers: [{ id: stored.id, kind: 'resend', config: lure }] })).toMatchObject({
      status: 400,
      body: { error: { param: 'providers[0].config.api_key', message: expect.stringContaining('base_url') } },
    });
  });

  it('of another environment lend neither id nor secret', async () => {
    const live = (await put({ providers: [provider()] })).body.providers[0];
    const testPath = `/v1/environments/${app.testEnvironmentId}/email-settings`;
    const borrowed = { id: live.id, kind: 'smtp', config: { host: '127.0.0.1', username: 'acme' } };
    const refused = await app.request('PUT', testPath, { body: { providers: [borrowed] } });
    expect(refused.body.error).toMatchObject({ param: 'providers[0].config.password' });
    const own = await app.request('PUT', testPath, {
      body: { providers: [{ ...borrowed, config: { host: '127.0.0.1' } }] },
    });
    expect(own.body.providers[0].id).not.toBe(live.id);
    const verified = await app.request('POST', `${testPath}/providers/${live.id}/verify`);
    expect(verified.status).toBe(404);
  });

  it('with the same id twice are refused', async () => {
    const [{ id }] = (await put({ providers: [{ kind: 'sandbox' }] })).body.providers;
    const twice = await put({
      providers: [
        { id, kind: 'sandbox', name: 'a' },
        { id, kind: 'sandbox', name: 'b' },
      ],
    });
    expect(twice.body.error).toMatchObject({ param: 'providers[1].id' });
  });

  it('are verified: what is wrong is said, without secrets', async () => {
    const wrong = provider({}, { password: 'another-secret' });
    const [{ id }] = (await put({ providers: [wrong] })).body.providers;
    const { status, body } = await app.request('POST', `${path()}/providers/${id}/verify`, {
      key: app.liveKey,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ok: false, detail: expect.stringContaining('535') });
    expect(body.detail).not.toContain('another-secret');
  });
});

describe('secrets', () => {
  it('are in no response, in no audit entry, and sealed in the database', async () => {
    const short = provider({ name: 'short' }, { password: 'abc123' });
    const responses = [await put({ providers: [provider({ name: 'long' }), short] }), await read()];
    expect(
      responses[0]?.body.providers.map((entry: { config: { password: string } }) => entry.config.password),
    ).toEqual(['••••word', '••••']);
    const audit = await app.pool.query(
      "select before, after from audit_entries where action = 'email_settings.updated' order by id",
    );
    const stored = await app.pool.query('select providers from email_settings where environment_id = $1', [
      app.liveEnvironmentId,
    ]);
    expect(audit.rows.at(-1).after.providers).toHaveLength(2);
    const everything = JSON.stringify([responses, audit.rows, stored.rows]);
    for (const secret of [user.password, 'abc123', 'another-secret'])
      expect(everything).not.toContain(secret);
    expect(stored.rows[0].providers[0].config.password).toMatch(/^v1\./);
  });

  it('moved to another provider do not open', async () => {
    const { body } = await put({ providers: [provider(), provider()] });
    await app.pool.query(
      `update email_settings set providers = jsonb_set(providers, '{0,config,password}', providers #> '{1,config,password}')
       where environment_id = $1`,
      [app.liveEnvironmentId],
    );
    const verified = await app.request('POST', `${path()}/providers/${body.providers[0].id}/verify`, {
      key: app.liveKey,
    });
    expect(verified.body).toMatchObject({
      ok: false,
      detail: expect.stringContaining('cannot be decrypted'),
    });
    expect((await read()).body.providers[0].config.password).toBe('••••');
  });
});

it('two replacements at once leave one of them, whole', async () => {
  const bodies = ['a', 'b', 'c', 'd'].map((name) => ({ from_name: name, providers: [provider({ name })] }));
  const answers = await Promise.all(bodies.map(put));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const { body } = await read();
  expect(body.providers.map(({ name }: { name: string }) => name)).toEqual([body.from_name]);
});
