import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { waitUntil } from '../../../../test/harness/app.ts';
import { kinds, usePush } from './test-harness.ts';

const push = usePush();

const register = (user: string, body: object) => push.as(user, 'PUT', '/inbox/v1/devices', body);

describe('the devices of a user', () => {
  it('are registered with an end-user token, and shown without their addresses', async () => {
    const subscription = push.webPush.subscribe();
    const { status, body } = await register('owner', { kind: 'web_push', ...subscription, label: 'Firefox' });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(String),
      kind: 'web_push',
      service: '127.0.0.1',
      label: 'Firefox',
      created_at: expect.any(String),
      last_seen_at: expect.any(String),
      last_outcome: null,
      last_outcome_detail: null,
      last_outcome_at: null,
    });
    const again = await register('owner', { kind: 'web_push', ...subscription });
    expect(again.body).toMatchObject({ id: body.id, label: null });
    const listed = await push.live('GET', '/v1/users/owner/devices');
    expect(listed.body).toEqual({ data: [again.body], next_cursor: null });
    const stored = JSON.stringify((await push.app.pool.query('select * from devices')).rows);
    for (const secret of [subscription.endpoint, subscription.keys.auth])
      expect(stored).not.toContain(secret);
  });

  it('belong to the user who registered them last', async () => {
    const token = push.newToken();
    const { body } = await register('before', { kind: 'apns', token });
    await register('after', { kind: 'apns', token: token.toUpperCase() });
    expect((await push.live('GET', '/v1/users/before/devices')).body.data).toEqual([]);
    expect((await push.live('GET', '/v1/users/after/devices')).body.data).toMatchObject([{ id: body.id }]);
    await push.as('before', 'DELETE', `/inbox/v1/devices/${body.id}`);
    expect((await push.live('GET', '/v1/users/after/devices')).body.data.length).toBe(1);
    expect((await push.as('after', 'DELETE', `/inbox/v1/devices/${body.id}`)).status).toBe(204);
    expect((await push.live('GET', '/v1/users/after/devices')).body.data).toEqual([]);
  });

  it('are those of one environment', async () => {
    const { body } = await register('tenant', { kind: 'fcm', token: push.newToken(140) });
    expect((await push.app.request('GET', '/v1/users/tenant/devices')).body.data).toEqual([]);
    const removed = await push.app.request('DELETE', `/v1/users/tenant/devices/${body.id}`);
    expect(removed.status).toBe(404);
    expect((await push.live('DELETE', `/v1/users/tenant/devices/${body.id}`)).status).toBe(204);
    const { body: log } = await push.live('GET', `/v1/audit-log?target=device:${body.id}`);
    expect(log.data.map(({ action }: { action: string }) => action)).toEqual(['device.deleted']);
  });

  it('are a hundred at most: the one that was registered longest ago makes room', async () => {
    const first = push.newToken();
    await register('many', { kind: 'apns', token: first });
    await push.app.pool.query(
      `insert into devices (id, environment_id, external_user_id, kind, identity, service, address, last_seen_at)
       select gen_random_uuid(), $1, 'many', 'apns', decode(lpad(n::text, 8, '0'), 'hex'), 'x', 'x', now() + interval '1 second'
       from generate_series(1, 99) n`,
      [push.app.liveEnvironmentId],
    );
    await register('many', { kind: 'apns', token: push.newToken() });
    const { body } = await push.live('GET', '/v1/users/many/devices');
    expect(body.data.length).toBe(100);
    await push.app.pool.query(`delete from devices where external_user_id = 'many' and address = 'x'`);
    expect((await push.live('GET', '/v1/users/many/devices')).body.data.length).toBe(1);
  });

  it.each([
    ['another host', { endpoint: 'https://evil.example/push' }, 'endpoint'],
    [
      'a host that only ends like a push service',
      { endpoint: 'https://evil-fcm.googleapis.com.example/x' },
      'endpoint',
    ],
    ['a private address', { endpoint: 'https://10.0.0.1/push' }, 'endpoint'],
    ['a metadata address', { endpoint: 'https://169.254.169.254/latest' }, 'endpoint'],
    ['no TLS', { endpoint: 'http://fcm.googleapis.com/fcm/send/x' }, 'endpoint'],
    ['credentials in the URL', { endpoint: 'https://a:b@fcm.googleapis.com/x' }, 'endpoint'],
    ['no endpoint', { endpoint: null }, 'endpoint'],
    ['no keys', { keys: null }, 'keys'],
    ['a short key', { keys: { p256dh: 'AAAA', auth: 'BTBZMqHH6r4Tts7J_aSIgg' } }, 'keys.p256dh'],
    ['a token that is none', { kind: 'apns', token: '../../3/device' }, 'token'],
    ['a token with a line break', { kind: 'fcm', token: `${'x'.repeat(100)}\r\nhost: evil` }, 'token'],
    ['no token', { kind: 'fcm' }, 'token'],
  ])('are refused with the name of the field: %s', async (_name, change, param) => {
    const { status, body } = await register('hostile', {
      kind: 'web_push',
      ...push.webPush.subscribe(),
      ...change,
    });
    expect([status, body.error?.param]).toEqual([400, param]);
  });

  it('are erased with the user', async () => {
    await push.addDevices('erased');
    await push.as('erased', 'PUT', '/inbox/v1/presence', { page: 'p', visible: true });
    await push.live('DELETE', '/v1/users/erased');
    await waitUntil(async () => {
      const { rows } = await push.app.pool.query(
        `select 1 from devices where external_user_id = 'erased' union all select 1 from inbox_presences where external_user_id = 'erased'`,
      );
      return rows.length === 0 || new Error('devices are left');
    });
  });
});

describe('the push settings', () => {
  it('offer what is set up, and the key that browsers subscribe with', async () => {
    const { body: saved } = await push.save(push.allServices());
    const { body } = await push.as('ada', 'GET', '/inbox/v1/push');
    expect(body).toEqual({ web_push: { public_key: saved.web_push.public_key }, apns: true, fcm: true });
    expect(Buffer.from(saved.web_push.public_key, 'base64url').length).toBe(65);
    await push.save({ apns: { ...push.allServices().apns } });
    expect((await push.as('ada', 'GET', '/inbox/v1/push')).body).toEqual({
      web_push: null,
      apns: true,
      fcm: false,
    });
    // Browsers that have subscribed can be rung again: the key stays.
    const { body: back } = await push.save(push.allServices());
    expect(back.web_push.public_key).toBe(saved.web_push.public_key);
  });

  it('are checked with the services, and shown without secrets', async () => {
    const { body } = await push.save(push.allServices());
    expect(body).toMatchObject({
      ring: { mode: 'always', after_seconds: null },
      web_push: { check: { ok: true } },
      apns: { check: { ok: true, detail: 'Apple accepts the key.' }, environment: 'production' },
      fcm: {
        check: { ok: true, detail: 'Google accepts the service account.' },
        project_id: 'simulated-project',
      },
    });
    const texts = [
      body,
      (await push.live('GET', push.settingsPath())).body,
      (await push.live('GET', '/v1/audit-log?limit=100')).body,
      (await push.app.pool.query('select * from push_settings')).rows,
    ].map((each) => JSON.stringify(each));
    for (const text of texts) expect(text).not.toContain('BEGIN PRIVATE KEY');
    expect(texts[3]).not.toContain(push.apns.privateKey.split('\n')[1]);
  });

  it('keep a key that is omitted, unless the key id is another one', async () => {
    const { private_key: _, ...apns } = push.allServices().apns;
    const { body } = await push.save({ ...push.allServices(), apns, fcm: {} });
    expect(body).toMatchObject({ apns: { check: { ok: true } }, fcm: { check: { ok: true } } });
    const other = await push.save({ apns: { ...apns, key_id: 'OTHERKEY12' } });
    expect([other.status, other.body.error.param]).toEqual([400, 'apns.private_key']);
  });

  it('take the contact as an address or as a link, however it is written', async () => {
    for (const [contact, saved] of [
      ['HTTPS://Acme.example/push', 'https://acme.example/push'],
      ['MAILTO:ops@acme.example', 'ops@acme.example'],
    ])
      expect((await push.save({ ...push.allServices(), web_push: { contact } })).body.web_push.contact).toBe(
        saved,
      );
  });

  it('are saved when a service refuses them, with its answer', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const foreign = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const { body } = await push.save({ apns: { ...push.allServices().apns, private_key: foreign } });
    expect(body.apns.check).toMatchObject({ ok: false, detail: 'APNs answered 403 InvalidProviderToken.' });
    await push.save(push.allServices());
  });

  it.each([
    ['web_push.contact', { web_push: { contact: 'nobody' } }],
    ['apns.team_id', { apns: { team_id: 'x' } }],
    ['apns.private_key', { apns: { private_key: 'no key' } }],
    ['fcm.service_account.type', { fcm: { service_account: { type: 'authorized_user' } } }],
    ['fcm.service_account.private_key', { fcm: { service_account: { private_key: undefined } } }],
    ['fcm.service_account.token_uri', { fcm: { service_account: { token_uri: 'https://10.1.2.3/token' } } }],
    ['ring.after_seconds', { ring: { mode: 'unseen', after_seconds: 0 } }],
  ])('are refused with the name of the field: %s', async (param, change) => {
    const all = push.allServices();
    const { fcm, apns, ...rest } = change as { fcm?: { service_account: object }; apns?: object };
    const { status, body } = await push.save({
      ...all,
      ...rest,
      apns: { ...all.apns, ...apns },
      fcm: { service_account: { ...all.fcm.service_account, ...fcm?.service_account } },
    });
    expect([status, body.error?.param]).toEqual([400, param]);
  });

  it('are tested on the devices of a user, with the result of each', async () => {
    const { apnsToken } = await push.addDevices('tested');
    push.apns.gone.add(apnsToken);
    const before = push.webPush.received.length;
    const { body } = await push.live('POST', `${push.settingsPath()}/test`, { external_user_id: 'tested' });
    expect(body.checks).toEqual(kinds.map((kind) => ({ kind, ok: true, detail: expect.any(String) })));
    expect(
      body.devices.map(({ kind, outcome }: { kind: string; outcome: string }) => [kind, outcome]).sort(),
    ).toEqual([
      ['apns', 'gone'],
      ['fcm', 'accepted'],
      ['web_push', 'accepted'],
    ]);
    expect(push.webPush.received.length).toBe(before + 1);
    const checked = await push.live('POST', `${push.settingsPath()}/test`, {});
    expect(checked.body).toMatchObject({ checks: [{}, {}, {}], devices: [] });
  });

  it('show the answers of the last test, which leaves the tokens of the senders in use', async () => {
    await push.addDevices('checked');
    const test = (body: object) => push.live('POST', `${push.settingsPath()}/test`, body);
    const isFcmAccepted = async () => (await push.live('GET', push.settingsPath())).body.fcm.check.ok;
    push.fcm.fault = { status: 403, body: { error: { status: 'PERMISSION_DENIED', message: 'no' } } };
    await test({});
    expect(await isFcmAccepted()).toBe(false);
    push.fcm.fault = null;
    await test({ external_user_id: 'checked' });
    expect(await isFcmAccepted()).toBe(true);
    const issued = push.fcm.issued();
    await test({ external_user_id: 'checked' });
    expect(push.fcm.issued() - issued).toBe(1); // that of the check itself
  });

  it('are gone once they are deleted', async () => {
    const other = await push.app.request('GET', push.settingsPath()); // a Test key, the Live environment
    expect(other.status).toBe(404);
    expect((await push.live('DELETE', push.settingsPath())).status).toBe(204);
    expect((await push.live('GET', push.settingsPath())).status).toBe(404);
    expect((await push.live('POST', `${push.settingsPath()}/test`, {})).status).toBe(404);
    expect((await push.as('ada', 'GET', '/inbox/v1/push')).body).toEqual({
      web_push: null,
      apns: false,
      fcm: false,
    });
  });
});
