import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../../test/harness/app.ts';
import { type SmsoneSimulator, startSmsoneSimulator } from '../../../../../test/simulators/smsone.ts';
import { type SmstwoSimulator, startSmstwoSimulator } from '../../../../../test/simulators/smstwo.ts';

let app: TestApp;
let one: SmsoneSimulator;
let two: SmstwoSimulator;

beforeAll(async () => {
  [one, two] = await Promise.all([startSmsoneSimulator(), startSmstwoSimulator()]);
  app = await startTestApp({
    settings: { CARILLON_ROLES: 'api', CARILLON_SMSONE_API_URL: one.url, CARILLON_SMSTWO_API_URL: two.url },
  });
});
afterAll(async () => {
  await app.stop();
  await Promise.all([one.stop(), two.stop()]);
});
beforeEach(async () => {
  one.fault = null;
  await app.pool.query('delete from sms_settings');
});

const path = () => `/v1/environments/${app.liveEnvironmentId}/sms-settings`;
const put = (body: unknown) => app.request('PUT', path(), { key: app.liveKey, body });
const read = () => app.request('GET', path(), { key: app.liveKey });

function smsone(changes: object = {}) {
  return {
    kind: 'smsone',
    from_number: '+14155550100',
    smsone_account_sid: one.accountSid,
    smsone_auth_token: one.authToken,
    ...changes,
  };
}
function smstwo(changes: object = {}) {
  return {
    kind: 'smstwo',
    from_sender_id: 'Acme',
    smstwo_api_key: two.apiKey,
    smstwo_api_secret: two.apiSecret,
    ...changes,
  };
}

describe('SMS settings', () => {
  it('are not there until they are set, and not there once they are deleted', async () => {
    expect((await read()).status).toBe(404);
    expect((await app.request('DELETE', path(), { key: app.liveKey })).status).toBe(404);
    expect((await put(smsone())).status).toBe(200);
    expect((await read()).status).toBe(200);
    const gone = await app.request('DELETE', path(), { key: app.liveKey });
    expect([gone.status, gone.body]).toEqual([204, '']);
    expect((await read()).status).toBe(404);
  });

  it('of smsone are checked with the provider and show no credentials', async () => {
    const { status, body } = await put(smsone());
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: 'Smsone',
      from_number: '+14155550100',
      from_sender_id: null,
      credentials_validated: true,
      credentials_validated_at: expect.stringMatching(/Z$/),
      credentials_detail: 'The account is active.',
      callback_url: expect.stringContaining(`${app.url}/hooks/smsone/`),
    });
    expect((await read()).body).toEqual(body);
  });

  it('of smstwo as well', async () => {
    const { status, body } = await put(smstwo());
    expect(status).toBe(200);
    expect(body).toMatchObject({
      kind: 'Smstwo',
      from_number: null,
      from_sender_id: 'Acme',
      credentials_validated: true,
      callback_url: expect.stringContaining('/hooks/smstwo/'),
    });
  });

  it.each(['SMSONE', 'Smsone', 'sMsOnE'])('take the kind as %s', async (kind) => {
    expect((await put(smsone({ kind }))).body.kind).toBe('Smsone');
  });

  it('that are managed need nothing else', async () => {
    const { status, body } = await put({ kind: 'Managed', from_number: '', from_sender_id: null });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      kind: 'Managed',
      from_number: null,
      from_sender_id: null,
      credentials_validated: false,
      credentials_validated_at: null,
      callback_url: null,
    });
  });

  it('that are managed have a sender that is checked, while the operator has none', async () => {
    const sender = { from_number: '+14155550100', from_sender_id: 'Acme' };
    expect((await put({ kind: 'managed', ...sender })).body).toMatchObject(sender);
    for (const [param, value] of [
      ['from_number', '12'],
      ['from_sender_id', 'Rather a long name'],
    ] as const) {
      const { status, body } = await put({ kind: 'managed', ...sender, [param]: value });
      expect([status, body.error.param]).toEqual([400, param]);
    }
  });

  it('keep their id and their callback URL when they are replaced', async () => {
    const first = (await put(smsone())).body;
    const second = (await put(smsone({ from_number: '+14155550101' }))).body;
    expect(second).toMatchObject({
      id: first.id,
      callback_url: first.callback_url,
      from_number: '+14155550101',
    });
  });

  it('with wrong credentials are saved, and say so', async () => {
    const { status, body } = await put(smsone({ smsone_auth_token: 'wrong' }));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      credentials_validated: false,
      credentials_validated_at: null,
      credentials_detail: '401 Authenticate',
    });
    expect((await put(smstwo({ smstwo_api_secret: 'wrong' }))).body).toMatchObject({
      credentials_validated: false,
      credentials_detail: '401 authentication failed',
    });
  });

  it('of a provider that does not answer are saved, and say so after five seconds', async () => {
    one.fault = 'hang';
    const { status, body } = await put(smsone());
    expect(status).toBe(200);
    expect(body).toMatchObject({
      credentials_validated: false,
      credentials_detail: 'No complete response within 5 s.',
    });
  });

  it('keep the credentials that are left out while kind and account stay the same', async () => {
    await put(smsone());
    const { smsone_account_sid: _a, smsone_auth_token: _t, ...rest } = smsone();
    expect((await put({ ...rest, from_number: '+14155550102' })).body).toMatchObject({
      credentials_validated: true,
    });
    expect((await put({ ...rest, smsone_account_sid: one.accountSid })).status).toBe(200);
    const other = await put({ ...rest, smsone_account_sid: `AC${'a'.repeat(32)}` });
    expect([other.status, other.body.error.param]).toEqual([400, 'smsone_auth_token']);
    await put(smstwo());
    const back = await put(rest);
    expect([back.status, back.body.error.param]).toEqual([400, 'smsone_account_sid']);
  });

  it('keep the signature secret until it is taken away', async () => {
    const isSet = async () => {
      const { rows } = await app.pool.query("select config->'signature_secret' as secret from sms_settings");
      return rows[0].secret !== null;
    };
    await put(smstwo({ smstwo_signature_secret: 'sigsecret' }));
    await put(smstwo());
    expect(await isSet()).toBe(true);
    for (const nothing of [null, '']) {
      await put(smstwo({ smstwo_signature_secret: nothing }));
      expect(await isSet()).toBe(false);
      await put(smstwo({ smstwo_signature_secret: 'sigsecret' }));
    }
  });

  it.each([
    ['no kind', { kind: undefined }, 'parameter_missing', 'kind'],
    ['an unknown kind', { kind: 'pigeon' }, 'parameter_invalid', 'kind'],
    ['a kind that is a number', { kind: 1 }, 'parameter_invalid', 'kind'],
    ['no sender', { from_number: null }, 'parameter_missing', 'from_number'],
    ['an empty sender', { from_number: '', from_sender_id: '' }, 'parameter_missing', 'from_number'],
    ['no account', { smsone_account_sid: undefined }, 'parameter_missing', 'smsone_account_sid'],
    ['no token', { smsone_auth_token: '' }, 'parameter_missing', 'smsone_auth_token'],
    ['a null token', { smsone_auth_token: null }, 'parameter_missing', 'smsone_auth_token'],
    ['an account that is none', { smsone_account_sid: 'AC12' }, 'parameter_invalid', 'smsone_account_sid'],
    [
      'an account with a path',
      { smsone_account_sid: `AC${'a'.repeat(30)}/x` },
      'parameter_invalid',
      'smsone_account_sid',
    ],
    ['a token with a line break', { smsone_auth_token: 'a\nb' }, 'parameter_invalid', 'smsone_auth_token'],
    ['a number without a plus', { from_number: '14155550100' }, 'parameter_invalid', 'from_number'],
    ['a national number', { from_number: '(415) 555-0100' }, 'parameter_invalid', 'from_number'],
    ['a number of no country', { from_number: '+999123456789' }, 'parameter_invalid', 'from_number'],
    ['a sender of 12 letters', { from_sender_id: 'AcmeAcmeAcme' }, 'parameter_invalid', 'from_sender_id'],
    ['a sender of digits', { from_sender_id: '12345' }, 'parameter_invalid', 'from_sender_id'],
    ['a sender with an accent', { from_sender_id: 'Zoë' }, 'parameter_invalid', 'from_sender_id'],
    ['a sender with a line break', { from_sender_id: 'Ac\nme' }, 'parameter_invalid', 'from_sender_id'],
    ['a sender that begins with a space', { from_sender_id: ' Acme' }, 'parameter_invalid', 'from_sender_id'],
  ])('with %s are refused', async (_name, changes, code, param) => {
    const { status, body } = await put(smsone(changes));
    expect([status, body.error.code, body.error.param]).toEqual([400, code, param]);
    expect((await read()).status).toBe(404);
  });

  it('without a sender are refused with both ways to give one', async () => {
    const { body } = await put(smsone({ from_number: null }));
    expect(body.error.message).toBe('from_number or from_sender_id is required.');
  });

  it.each([
    ['no key', { smstwo_api_key: undefined }, 'smstwo_api_key'],
    ['no secret', { smstwo_api_secret: null }, 'smstwo_api_secret'],
    ['a sender with a space', { from_sender_id: 'Ac me' }, 'from_sender_id'],
  ])('of smstwo with %s are refused', async (_name, changes, param) => {
    const { status, body } = await put(smstwo(changes));
    expect([status, body.error.param]).toEqual([400, param]);
  });

  it('of another environment do not exist', async () => {
    await put(smsone());
    const foreign = `/v1/environments/${app.testEnvironmentId}/sms-settings`;
    for (const method of ['GET', 'DELETE']) {
      expect((await app.request(method, foreign, { key: app.liveKey })).status).toBe(404);
    }
    expect((await app.request('PUT', foreign, { key: app.liveKey, body: smsone() })).status).toBe(404);
    expect((await app.request('GET', foreign)).status).toBe(404);
  });

  it('are in the audit log, without credentials and without the callback URL', async () => {
    await put(smsone());
    await put(smstwo({ smstwo_signature_secret: 'sig-secret-sig' }));
    await app.request('DELETE', path(), { key: app.liveKey });
    const { body } = await app.request('GET', '/v1/audit-log?limit=3', { key: app.liveKey });
    expect(body.data.map(({ action }: { action: string }) => action)).toEqual([
      'sms_settings.deleted',
      'sms_settings.updated',
      'sms_settings.updated',
    ]);
    const said = JSON.stringify(body);
    expect(body.data[1].before).toMatchObject({ kind: 'Smsone' });
    expect(body.data[1].after).toMatchObject({ kind: 'Smstwo' });
    for (const secret of [
      one.authToken,
      one.accountSid,
      two.apiSecret,
      two.apiKey,
      'sig-secret-sig',
      '/hooks/',
    ])
      expect(said).not.toContain(secret);
  });

  it('are sealed in the database', async () => {
    await put(smstwo({ smstwo_signature_secret: 'sig-secret-sig' }));
    const { rows } = await app.pool.query('select config::text from sms_settings');
    for (const secret of [two.apiSecret, two.apiKey, 'sig-secret-sig'])
      expect(rows[0].config).not.toContain(secret);
  });
});
