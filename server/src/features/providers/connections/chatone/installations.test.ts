import { describe, expect, test } from 'vitest';
import { waitUntil } from '../../../../../test/harness/app.ts';
import { isDone, type Json, throttledOnce, useChats } from '../test-harness.ts';

const chats = useChats();

const install = (token: string) => chats.live('POST', '/v1/chatone/installations', { bot_token: token });
const at = (installation: Json, rest = '') => `/v1/chatone/installations/${installation.id}${rest}`;
let teams = 0;
/** A workspace of its own, installed in Live. */
async function workspace(changes: object = {}) {
  teams += 1;
  const token = chats.chatone.addToken({ teamId: `T0NUMBER${teams}`, teamName: `Team ${teams}`, ...changes });
  const { body } = await install(token.token);
  return { token, installation: body as Json };
}
const postsOf = (teamId: string) => chats.chatone.posts.filter((post) => post.teamId === teamId);

describe('installing by token', () => {
  test('asks the service whose token it is, and never shows it', async () => {
    const token = chats.chatone.addToken({ teamId: 'T0FIRST', teamName: 'First', scopes: ['chat:write'] });
    const { status, body } = await install(token.token);
    expect(status).toBe(201);
    const { rows } = await chats.app.pool.query('select id from users');
    expect(body).toEqual({
      id: expect.any(String),
      team_id: 'T0FIRST',
      team_name: 'First',
      bot_user_id: 'U0BOT',
      app_id: 'A0CARILLON',
      scopes: ['chat:write'],
      auto_join_public_channels: false,
      installed_at: expect.any(String),
      installed_by_user_id: rows[0].id,
      status: 'active',
      last_success_at: null,
      last_failure_at: null,
      last_failure_reason: null,
    });
    expect((await chats.live('GET', at(body))).body).toEqual(body);
    const list = await chats.live('GET', '/v1/chatone/installations');
    expect(list.body.data).toContainEqual(body);
    expect(list.body.next_cursor).toBeNull();
    const stored = await chats.app.pool.query(
      'select chatone_installations::text from chatone_installations',
    );
    expect(JSON.stringify(stored.rows)).not.toContain(token.token);
    expect(JSON.stringify(await chats.audit())).not.toContain(token.token);
  });

  test('a workspace that is installed already keeps its id and gets the new token', async () => {
    const { token, installation } = await workspace();
    await chats.live('PUT', at(installation), { auto_join_public_channels: true });
    const next = chats.chatone.addToken({ teamId: token.teamId, teamName: 'Renamed' });
    const again = await install(next.token);
    expect([again.status, again.body.id, again.body.team_name]).toEqual([200, installation.id, 'Renamed']);
    expect(again.body.auto_join_public_channels).toBe(true);
  });

  const refusals: [string, unknown, string][] = [
    ['nothing', undefined, 'parameter_missing'],
    ['a number', 5, 'parameter_invalid'],
    ["a person's token", 'xoxp-123', 'parameter_invalid'],
    ['one with a line break', 'xoxb-1\r\nx: y', 'parameter_invalid'],
    ['one that the service does not know', 'xoxb-unknown', 'parameter_invalid'],
    ['one for the sandbox, in Live', 'xoxb-sandbox-1', 'parameter_invalid'],
  ];
  test.each(refusals)('refused: %s', async (_name, token, code) => {
    const { status, body } = await chats.live('POST', '/v1/chatone/installations', { bot_token: token });
    expect([status, body.error.code, body.error.param]).toEqual([400, code, 'bot_token']);
  });

  test('a revoked token is refused, and a service that cannot be asked is nobody’s fault', async () => {
    const token = chats.chatone.addToken({ refusal: 'token_revoked' });
    expect((await install(token.token)).body.error.message).toContain('token_revoked');
    for (const fault of ['html', 'malformed', 'drop', { status: 503 }, { status: 429 }] as const) {
      chats.chatone.faults = [fault];
      const { status, body } = await install('xoxb-anything');
      expect([status, body.error.code]).toEqual([503, 'temporarily_unavailable']);
    }
  });

  test('in Test a sandbox token makes a workspace up, and nothing is called', async () => {
    const before = chats.chatone.calls();
    const made = await chats.test('POST', '/v1/chatone/installations', { bot_token: 'xoxb-sandbox-one' });
    expect(made.status).toBe(201);
    expect(made.body.team_id).toMatch(/^T[0-9A-F]+$/);
    expect(made.body.bot_user_id).toMatch(/^U[0-9A-F]+$/);
    const again = await chats.test('POST', '/v1/chatone/installations', { bot_token: 'xoxb-sandbox-one' });
    expect([again.status, again.body.id]).toEqual([200, made.body.id]);
    const sent = await chats.send('chatone', { chatone_user_id: 'U0ADA' }, {}, { key: chats.app.testKey });
    expect((await chats.until(sent.body.id, isDone, chats.app.testKey)).status).toBe('delivered');
    const { body } = await chats.test('GET', `/v1/sandbox/messages?notification_id=${sent.body.id}`);
    expect(body.data).toMatchObject([
      { to: 'U0ADA', payload: { channel: 'U0ADA', text: 'Hello Ada', blocks: [{ type: 'section' }] } },
    ]);
    expect((await chats.test('DELETE', at(made.body))).status).toBe(204);
    expect(chats.chatone.calls()).toBe(before);
  });
});

describe('deleting', () => {
  test('revokes the token', async () => {
    const { token, installation } = await workspace();
    expect((await chats.live('DELETE', at(installation))).status).toBe(204);
    expect(token.refusal).toBe('token_revoked');
    expect((await chats.live('GET', at(installation))).status).toBe(404);
    const [entry] = (await chats.audit()).filter(({ target }) => target.endsWith(installation.id));
    expect(entry).toMatchObject({ action: 'chatone_installation.deleted', after: { token_revoked: true } });
  });

  test('happens also when the service cannot be reached, and the audit log says so', async () => {
    const { token, installation } = await workspace();
    chats.chatone.faults = ['drop'];
    expect((await chats.live('DELETE', at(installation))).status).toBe(204);
    expect(token.refusal).toBeNull();
    const [entry] = (await chats.audit()).filter(({ target }) => target.endsWith(installation.id));
    expect(entry).toMatchObject({ after: { token_revoked: false } });
  });

  test('leaves a token alone that another environment lives by', async () => {
    const { token, installation } = await workspace();
    const other = await chats.test('POST', '/v1/chatone/installations', { bot_token: token.token });
    expect(other.status).toBe(201);
    await chats.live('DELETE', at(installation));
    expect(token.refusal).toBeNull();
    await chats.test('DELETE', at(other.body));
    expect(token.refusal).toBe('token_revoked');
  });

  test('fails what is still queued, with the reason', async () => {
    const { installation } = await workspace();
    const { body } = await chats.send(
      'chatone',
      { chatone_user_id: 'U0ADA', endpoint: installation.id },
      { send_at: new Date(Date.now() + 3_600_000) },
    );
    await chats.live('DELETE', at(installation));
    await chats.live('PATCH', `/v1/notifications/${body.id}`, { send_at: null });
    expect((await chats.until(body.id, isDone)).last_error).toContain('installation_not_found');
  });
});

test('another environment does not see it', async () => {
  const { installation } = await workspace();
  expect((await chats.test('GET', at(installation))).status).toBe(404);
  expect((await chats.test('PUT', at(installation), { auto_join_public_channels: true })).status).toBe(404);
  expect((await chats.test('DELETE', at(installation))).status).toBe(404);
  expect((await chats.test('POST', at(installation, '/send-test'), { chatone_user_id: 'U1' })).status).toBe(
    404,
  );
  const foreign = await chats.send(
    'chatone',
    { chatone_user_id: 'U0ADA', endpoint: installation.id },
    {},
    {
      key: chats.app.testKey,
    },
  );
  expect(foreign.status).toBe(400);
});

describe('sending', () => {
  test('goes through the workspace that is named, else through the newest', async () => {
    const one = await workspace();
    const two = await workspace();
    for (const [recipient, team] of [
      [{ endpoint: one.installation.id }, one],
      [{ endpoint: one.token.teamId }, one],
      [{}, two],
    ] as const) {
      const before = postsOf(team.token.teamId).length;
      const { body } = await chats.send('chatone', { chatone_user_id: 'U0ADA', ...recipient });
      expect(body.recipient).toEqual({ address: 'U0ADA', name: null });
      const done = await chats.until(body.id, isDone);
      expect([done.status, done.attempt_count]).toEqual(['delivered', 1]);
      expect(postsOf(team.token.teamId)).toHaveLength(before + 1);
    }
    expect(postsOf(one.token.teamId)[0]).toMatchObject({ channel: 'D0ADA', text: 'Hello Ada' });
    const { body: after } = await chats.live('GET', at(one.installation));
    expect(after.last_success_at).not.toBeNull();
  });

  const refusals: [string, object, string, string | null][] = [
    [
      'both ids',
      { chatone_user_id: 'U1', chatone_channel_id: 'C1' },
      'recipient_invalid',
      'recipient.chatone_channel_id',
    ],
    ['no id', {}, 'parameter_missing', 'recipient.chatone_user_id'],
    ['a user that is none', { chatone_user_id: 'ada' }, 'recipient_invalid', 'recipient.chatone_user_id'],
    [
      'a channel by name',
      { chatone_channel_id: '#general' },
      'recipient_invalid',
      'recipient.chatone_channel_id',
    ],
    [
      'an unknown person',
      { external_user_id: 'nobody' },
      'recipient_unresolvable',
      'recipient.external_user_id',
    ],
    [
      'an unknown workspace',
      { chatone_user_id: 'U1', endpoint: 'T0NONE' },
      'installation_not_found',
      'recipient.endpoint',
    ],
  ];
  test.each(refusals)('refused: %s', async (_name, recipient, code, param) => {
    const { status, body } = await chats.send('chatone', recipient);
    expect([status, body.error.code, body.error.param]).toEqual([400, code, param]);
  });

  test('finds the id that is stored for a person, and remembers one that is sent', async () => {
    const { token } = await workspace();
    const first = await chats.send('chatone', { external_user_id: 'ada', chatone_user_id: 'U0ADA' });
    await chats.until(first.body.id, isDone);
    const second = await chats.send('chatone', { external_user_id: 'ada' });
    expect(second.body.recipient.address).toBe('U0ADA');
    await chats.until(second.body.id, isDone);
    expect(postsOf(token.teamId)).toHaveLength(2);
  });

  test('joins a public channel when the installation says so', async () => {
    const { installation } = await workspace();
    chats.chatone.addChannel('C0PUBLIC', { members: new Set() });
    const to = { chatone_channel_id: 'C0PUBLIC', endpoint: installation.id };
    const refused = await chats.until((await chats.send('chatone', to)).body.id, isDone);
    expect([refused.status, refused.attempt_count]).toEqual(['failed', 1]);
    expect(refused.last_error).toContain('not_in_channel');
    const changed = await chats.live('PUT', at(installation), { auto_join_public_channels: true });
    expect(changed.body.auto_join_public_channels).toBe(true);
    const posted = await chats.until((await chats.send('chatone', to)).body.id, isDone);
    expect([posted.status, posted.attempt_count]).toEqual(['delivered', 1]);
  });

  test('a token that was revoked makes the installation gone; what waits arrives once it is installed again', async () => {
    const { token, installation } = await workspace();
    token.refusal = 'token_revoked';
    const { body } = await chats.send('chatone', { chatone_user_id: 'U0ADA', endpoint: installation.id });
    const gone = await waitUntil(async () => {
      const { body } = await chats.live('GET', at(installation));
      return body.status === 'gone' ? body : new Error(JSON.stringify(body));
    }, 30_000);
    expect(gone.last_failure_reason).toContain('token_revoked');
    const targets = { chatone_user_id: 'U0ADA' };
    const refused = await chats.live('POST', `${at(installation)}/send-test`, targets);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'endpoint_disabled']);
    const waiting = await chats.until(
      body.id,
      ({ events }) => events.filter(({ type }: { type: string }) => type === 'Retrying').length > 1,
    );
    expect(waiting.attempt_count).toBe(1);
    await install(chats.chatone.addToken({ teamId: token.teamId }).token);
    const done = await chats.until(body.id, ({ status }) => status !== 'queued' && status !== 'sending');
    expect(done.status).toBe('delivered');
    expect((await chats.live('GET', at(installation))).body.status).toBe('active');
  });

  test('an answer that is lost after the message was handed over is not repeated', async () => {
    const { token, installation } = await workspace();
    chats.chatone.faults = ['drop_after_accept'];
    const { body } = await chats.send('chatone', { chatone_user_id: 'U0ADA', endpoint: installation.id });
    const done = await chats.until(body.id, isDone);
    expect([done.status, done.attempt_count]).toEqual(['failed', 1]);
    expect(done.last_error).toContain('outcome_unknown');
    expect(postsOf(token.teamId)).toHaveLength(1);
  });

  test('what the service throttles arrives later, and the call is an attempt that leaves its trail', async () => {
    const { installation } = await workspace();
    chats.chatone.faults = [{ status: 429, headers: { 'retry-after': '0' } }];
    const { body } = await chats.send('chatone', { chatone_user_id: 'U0ADA', endpoint: installation.id });
    expect(await chats.until(body.id, isDone)).toMatchObject({
      status: 'delivered',
      ...throttledOnce,
      events: [...throttledOnce.events, { type: 'Delivered' }],
    });
  });
});

describe('a test message', () => {
  test('goes to the user, to the channel, or to both', async () => {
    const { token, installation } = await workspace();
    chats.chatone.addChannel('C0GENERAL');
    const send = (body: object) => chats.live('POST', at(installation, '/send-test'), body);
    const both = await send({ chatone_user_id: 'U0ADA', chatone_channel_id: 'C0GENERAL' });
    expect(both.status).toBe(202);
    const done = await chats.until(both.body.notification_id, isDone);
    expect(done).toMatchObject({ status: 'delivered', recipient: { address: 'U0ADA' } });
    await waitUntil(async () => postsOf(token.teamId).length === 2 || new Error('not yet both'), 30_000);
    expect(
      postsOf(token.teamId)
        .map(({ channel }) => channel)
        .sort(),
    ).toEqual(['C0GENERAL', 'D0ADA']);
    const one = await send({ chatone_channel_id: 'C0GENERAL' });
    expect((await chats.until(one.body.notification_id, isDone)).recipient.address).toBe('C0GENERAL');
  });

  test('needs a target that could be one', async () => {
    const { installation } = await workspace();
    for (const [body, code] of [
      [{}, 'parameter_missing'],
      [{ chatone_user_id: null, chatone_channel_id: '' }, 'parameter_missing'],
      [{ chatone_user_id: 'ada' }, 'parameter_invalid'],
      [{ chatone_channel_id: 5 }, 'parameter_invalid'],
    ] as const) {
      const answer = await chats.live('POST', at(installation, '/send-test'), body);
      expect([answer.status, answer.body.error.code]).toEqual([400, code]);
    }
  });
});
