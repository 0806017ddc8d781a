import { describe, expect, test } from 'vitest';
import { startTestApp } from '../../../../../test/harness/app.ts';
import { isDone, useChats } from '../test-harness.ts';

const chats = useChats();

/** Signs in and gives the cookie. */
async function signIn(app = chats.app): Promise<string> {
  const { headers } = await app.request('POST', '/auth/login', {
    key: null,
    body: { email: app.adminEmail, password: app.adminPassword },
  });
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

const get = (path: string, cookie: string | null) =>
  chats.app.request('GET', path, { key: null, headers: cookie ? { cookie } : {} });

async function begin(cookie: string, environmentId = chats.app.liveEnvironmentId): Promise<URL> {
  const { status, headers } = await get(`/oauth/chatone/install?env_id=${environmentId}`, cookie);
  expect(status).toBe(302);
  return new URL(headers.get('location') ?? '');
}

async function end(query: Record<string, string>, cookie: string | null): Promise<URL> {
  const { status, headers } = await get(`/oauth/chatone/callback?${new URLSearchParams(query)}`, cookie);
  expect(status).toBe(302);
  const url = new URL(headers.get('location') ?? '');
  expect(url.origin).toBe(chats.app.url);
  return url;
}

const redirectUri = () => `${chats.app.url}/oauth/chatone/callback`;

test('a person installs the app, and messages go through it', async () => {
  const cookie = await signIn();
  const asked = await begin(cookie);
  expect(asked.origin + asked.pathname).toBe(chats.chatone.authorizeUrl);
  expect(asked.searchParams.get('client_id')).toBe(chats.chatone.clientId);
  expect(asked.searchParams.get('scope')).toBe('chat:write,chat:write.public,channels:join');
  expect(asked.searchParams.get('redirect_uri')).toBe(redirectUri());
  const state = asked.searchParams.get('state') ?? '';
  const code = chats.chatone.grantCode(redirectUri(), { teamId: 'T0OAUTH', teamName: 'OAuth' });
  const back = await end({ code, state }, cookie);
  expect(Object.fromEntries(back.searchParams)).toEqual({ installed: '1', team: 'T0OAUTH' });
  const { body } = await chats.live('GET', '/v1/chatone/installations');
  expect(body.data).toMatchObject([
    { team_id: 'T0OAUTH', team_name: 'OAuth', app_id: 'A0CARILLON', bot_user_id: 'U0BOT' },
  ]);
  const { rows } = await chats.app.pool.query('select id from users');
  expect(body.data[0].installed_by_user_id).toBe(rows[0].id);
  const sent = await chats.send('chatone', { chatone_user_id: 'U0ADA' });
  expect((await chats.until(sent.body.id, isDone)).status).toBe('delivered');
  // The state and the code have been used.
  expect((await end({ code, state }, cookie)).searchParams.get('error')).toBe('invalid_state');
  const audit = JSON.stringify(await chats.audit());
  for (const token of chats.chatone.tokens.keys()) expect(audit).not.toContain(token);
});

test('the browser is led all the way round', async () => {
  const cookie = await signIn();
  const agreed = await fetch(await begin(cookie, chats.app.testEnvironmentId), { redirect: 'manual' });
  expect(agreed.status).toBe(302);
  const { pathname, search } = new URL(agreed.headers.get('location') ?? '');
  const { headers } = await get(pathname + search, cookie);
  expect(headers.get('location')).toContain('?installed=1&team=T0TEAM');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  const { body } = await chats.test('GET', '/v1/chatone/installations');
  expect(body.data).toMatchObject([{ team_id: 'T0TEAM' }]);
});

describe('the way back leads nowhere', () => {
  const errorOf = async (query: Record<string, string>, cookie: string | null) =>
    (await end(query, cookie)).searchParams.get('error');
  const stateOf = async (cookie: string) => (await begin(cookie)).searchParams.get('state') ?? '';
  const code = () => chats.chatone.grantCode(redirectUri(), { teamId: 'T0NEVER' });

  test('without a state, or with one that was made up or changed', async () => {
    const cookie = await signIn();
    const state = await stateOf(cookie);
    expect(await errorOf({ code: code() }, cookie)).toBe('invalid_state');
    expect(await errorOf({ code: code(), state: 'x' }, cookie)).toBe('invalid_state');
    expect(await errorOf({ code: code(), state: `${state}A` }, cookie)).toBe('invalid_state');
  });

  test('in another session, or in none: the state is worthless to whoever stole it, and then used up', async () => {
    const cookie = await signIn();
    const other = await signIn();
    const stolen = await stateOf(cookie);
    expect(await errorOf({ code: code(), state: stolen }, other)).toBe('session_mismatch');
    expect(await errorOf({ code: code(), state: stolen }, cookie)).toBe('invalid_state');
    expect(await errorOf({ code: code(), state: await stateOf(cookie) }, null)).toBe('session_mismatch');
  });

  test('after ten minutes', async () => {
    const cookie = await signIn();
    const state = await stateOf(cookie);
    await chats.app.pool.query(
      `update chatone_oauth_states set expires_at = expires_at - interval '10 minutes'`,
    );
    expect(await errorOf({ code: code(), state }, cookie)).toBe('invalid_state');
  });

  test('when the person said no, or nothing', async () => {
    const cookie = await signIn();
    expect(await errorOf({ error: 'access_denied', state: await stateOf(cookie) }, cookie)).toBe(
      'access_denied',
    );
    expect(await errorOf({ error: '<script>', state: await stateOf(cookie) }, cookie)).toBe('refused');
    expect(await errorOf({ state: await stateOf(cookie) }, cookie)).toBe('missing_code');
  });

  test('when the service refuses the code, or cannot be asked', async () => {
    const cookie = await signIn();
    expect(await errorOf({ code: 'none', state: await stateOf(cookie) }, cookie)).toBe('invalid_code');
    const elsewhere = chats.chatone.grantCode('https://elsewhere.example/');
    expect(await errorOf({ code: elsewhere, state: await stateOf(cookie) }, cookie)).toBe('bad_redirect_uri');
    for (const fault of ['html', 'drop', { status: 503 }] as const) {
      const state = await stateOf(cookie);
      chats.chatone.faults = [fault];
      expect(await errorOf({ code: code(), state }, cookie)).toBe('service_unavailable');
    }
  });

  test('when the whole organization over there was asked', async () => {
    const cookie = await signIn();
    const state = await stateOf(cookie);
    const body = {
      ok: true,
      access_token: 'xoxb-1',
      bot_user_id: 'U1',
      is_enterprise_install: true,
      team: null,
    };
    chats.chatone.faults = [{ status: 200, body }];
    expect(await errorOf({ code: 'x', state }, cookie)).toBe('org_install_not_supported');
  });

  test('and nothing was installed', async () => {
    const { body } = await chats.live('GET', '/v1/chatone/installations');
    expect(JSON.stringify(body)).not.toContain('T0NEVER');
  });
});

test('only people of the environment who may set channels up begin at all', async () => {
  const path = `/oauth/chatone/install?env_id=${chats.app.liveEnvironmentId}`;
  expect((await get(path, null)).body.error.code).toBe('missing_credentials');
  expect((await get(path, 'carillon_session=0123456789012345678901234567890')).status).toBe(401);
  expect((await chats.app.request('GET', path)).body.error.code).toBe('missing_credentials');
  const cookie = await signIn();
  expect(
    (await get('/oauth/chatone/install?env_id=01890000-0000-7000-8000-000000000000', cookie)).status,
  ).toBe(404);
  expect((await get('/oauth/chatone/install?env_id=x', cookie)).body.error.param).toBe('env_id');
  expect((await get('/oauth/chatone/install', cookie)).body.error.code).toBe('parameter_missing');
  await chats.app.pool.query(`update memberships set role = 'viewer'`);
  chats.app.deps.authenticator.forget();
  expect((await get(path, cookie)).body.error.code).toBe('insufficient_scope');
  await chats.app.pool.query(`update memberships set role = 'owner'`);
  chats.app.deps.authenticator.forget();
});

test('without an app the dashboard is told that there is none', async () => {
  const app = await startTestApp();
  const { headers } = await app.request('GET', `/oauth/chatone/install?env_id=${app.liveEnvironmentId}`, {
    key: null,
    headers: { cookie: await signIn(app) },
  });
  expect(headers.get('location')).toContain('?error=chatone_not_configured');
  await app.stop();
});
