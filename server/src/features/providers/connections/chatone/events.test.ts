import { beforeEach, expect, test } from 'vitest';
import { type Json, useChats } from '../test-harness.ts';

const chats = useChats();

let installation: Json;
let teams = 0;
beforeEach(async () => {
  teams += 1;
  const { token } = chats.chatone.addToken({ teamId: `T0EVENT${teams}` });
  installation = (await chats.live('POST', '/v1/chatone/installations', { bot_token: token })).body;
});

const url = () => `${chats.app.url}/hooks/chatone/events`;
const now = () => Math.floor(Date.now() / 1000);
const uninstalled = (changes: object = {}) => ({
  type: 'event_callback',
  team_id: installation.team_id,
  api_app_id: 'A0CARILLON',
  event_id: 'Ev1',
  event_time: now(),
  event: { type: 'app_uninstalled' },
  ...changes,
});
const revoked = (bot: string[]) =>
  uninstalled({ event: { type: 'tokens_revoked', tokens: { oauth: ['U9'], bot } } });
const statusNow = async (): Promise<Json> =>
  (await chats.live('GET', `/v1/chatone/installations/${installation.id}`)).body;

test('the service is answered its challenge', async () => {
  const event = { type: 'url_verification', challenge: 'abc', token: 'x' };
  expect(await chats.chatone.postEvent(url(), event)).toEqual({ status: 200, body: { challenge: 'abc' } });
});

test('an app that was removed leaves its installation gone, with the reason, and an entry in the audit log', async () => {
  expect((await chats.chatone.postEvent(url(), uninstalled())).status).toBe(200);
  const after = await statusNow();
  expect(after.status).toBe('gone');
  expect(after.last_failure_reason).toContain('app_uninstalled');
  const entries = (await chats.audit()).filter(({ action }) => action === 'chatone_installation.lost');
  expect(entries[0]).toMatchObject({
    target: `chatone_installation:${installation.id}`,
    actor: { kind: 'system' },
  });
});

test('tokens that were revoked concern the bots that are named', async () => {
  await chats.chatone.postEvent(url(), revoked(['U0OTHER']));
  expect((await statusNow()).status).toBe('active');
  await chats.chatone.postEvent(url(), revoked([]));
  expect((await statusNow()).status).toBe('active');
  await chats.chatone.postEvent(url(), revoked(['U0BOT']));
  expect((await statusNow()).last_failure_reason).toContain('tokens_revoked');
});

test('other teams, other apps and other events change nothing', async () => {
  for (const changes of [
    { team_id: 'T0OTHER' },
    { api_app_id: 'A0OTHER' },
    { event: { type: 'message' } },
    { event: null },
    { team_id: 5 },
    { event_time: 'yesterday' },
  ])
    expect((await chats.chatone.postEvent(url(), uninstalled(changes))).status).toBe(200);
  expect((await statusNow()).status).toBe('active');
});

test('a wrong signature, an old one, and none are refused', async () => {
  const wrong = await chats.chatone.postEvent(url(), uninstalled(), { secret: 'guess' });
  expect([wrong.status, (wrong.body as Json).error.code]).toEqual([401, 'invalid_credentials']);
  const old = await chats.chatone.postEvent(url(), uninstalled(), { timestampSeconds: now() - 400 });
  expect(old.status).toBe(401);
  const none = await chats.app.request('POST', '/hooks/chatone/events', { key: null, body: uninstalled() });
  expect(none.status).toBe(401);
  expect((await statusNow()).status).toBe('active');
});

test('an event that is replayed after a new installation does not touch it', async () => {
  const event = uninstalled({ event_time: now() - 60 });
  await chats.chatone.postEvent(url(), event);
  expect((await statusNow()).status).toBe('active');
  await chats.chatone.postEvent(url(), uninstalled());
  await chats.chatone.postEvent(url(), uninstalled());
  expect((await statusNow()).status).toBe('gone');
  const entries = (await chats.audit()).filter(
    ({ action, target }) => action === 'chatone_installation.lost' && target.endsWith(installation.id),
  );
  expect(entries).toHaveLength(1);
  const again = chats.chatone.addToken({ teamId: installation.team_id });
  await chats.live('POST', '/v1/chatone/installations', { bot_token: again.token });
  expect((await statusNow()).status).toBe('active');
});

test('what is signed and is not an event is refused; a huge body is cut off', async () => {
  const list = await chats.chatone.postEvent(url(), 'x');
  expect(list.status).toBe(400);
  const huge = await chats.app.request('POST', '/hooks/chatone/events', {
    key: null,
    body: JSON.stringify({ x: 'x'.repeat(10_000_000) }),
  });
  expect(huge.status).toBe(413);
});
