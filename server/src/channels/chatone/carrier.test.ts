import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { waitUntil } from '../../../test/harness/app.ts';
import { type ChatoneSimulator, startChatoneSimulator } from '../../../test/simulators/chatone.ts';
import type { Fault } from '../../../test/simulators/http-simulator.ts';
import type { Outcome } from '../contract.ts';
import { createOutbound, type Outbound } from '../http.ts';
import type { ChatoneMessage } from '../message.ts';
import { createChatoneApi, createChatoneCarrier } from './index.ts';

let service: ChatoneSimulator;
let outbound: Outbound;
beforeAll(async () => {
  service = await startChatoneSimulator({ burst: 1_000 });
  outbound = createOutbound({ policy: 'loopback' });
});
afterAll(async () => {
  await outbound.stop();
  await service.stop();
});
beforeEach(() => {
  service.faults = [];
  service.posts = [];
  service.methods = [];
});

const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: 'Hello' } }];

function message(address: string, changes: Partial<ChatoneMessage> = {}): ChatoneMessage {
  return {
    channel: 'chatone',
    notificationId: '01890000-0000-7000-8000-000000000000',
    environmentId: '01890000-0000-7000-8000-000000000001',
    attempt: 1,
    to: { address, name: null },
    blocks,
    text: 'Hello',
    ...changes,
  };
}

interface Settings {
  autoJoin?: boolean;
  token?: string;
  signal?: AbortSignal;
  renewed?: string;
}

function send(what: ChatoneMessage, settings: Settings = {}): Promise<Outcome> {
  const { autoJoin = false, token = service.addToken().token, renewed = null } = settings;
  const carrier = createChatoneCarrier({
    api: createChatoneApi(outbound, service.apiUrl, Date.now),
    name: 'chatone:T0TEAM',
    rateLimitKey: 'chatone:x',
    autoJoin,
    token: async (stale) => (stale === null ? token : (renewed ?? { outcome: expired })),
  });
  return carrier.send(what, settings.signal ?? AbortSignal.timeout(5_000));
}
const expired: Outcome = { kind: 'broken', detail: 'expired', code: 'token_expired' };

test('a post to a channel carries blocks and the text beside them, and is delivered once the service has it', async () => {
  service.addChannel('C0MEMBER');
  const outcome = await send(message('C0MEMBER'));
  expect(outcome).toMatchObject({ kind: 'accepted', receipts: [{ type: 'Delivered' }] });
  expect(service.posts).toMatchObject([{ channel: 'C0MEMBER', text: 'Hello', blocks }]);
  expect(outcome.kind === 'accepted' && outcome.providerMessageId).toBe(`C0MEMBER/${service.posts[0]?.ts}`);
});

test('a message to a user goes to the direct message with the bot', async () => {
  expect(await send(message('U0ADA'))).toMatchObject({ kind: 'accepted' });
  expect(service.posts).toMatchObject([{ channel: 'D0ADA' }]);
});

describe('a channel that the bot is not in', () => {
  test('is joined, and posted to once more, when the installation says so', async () => {
    service.addChannel('C0OPEN', { members: new Set() });
    expect(await send(message('C0OPEN'), { autoJoin: true })).toMatchObject({ kind: 'accepted' });
    expect(service.methods).toEqual(['chat.postMessage', 'conversations.join', 'chat.postMessage']);
  });
  test('is left alone otherwise', async () => {
    service.addChannel('C0SHUT', { members: new Set() });
    const outcome = await send(message('C0SHUT'));
    expect(outcome).toMatchObject({ kind: 'rejected', code: 'not_in_channel' });
    expect(outcome.detail).toContain('Invite the bot');
    expect(service.methods).toEqual(['chat.postMessage']);
  });
  test('is refused with a hint when it is private', async () => {
    service.addChannel('C0SECRET', { members: new Set(), isPrivate: true });
    const outcome = await send(message('C0SECRET'), { autoJoin: true });
    expect(outcome).toMatchObject({ kind: 'rejected', code: 'channel_not_found' });
    expect(outcome.detail).toContain('private');
  });
  test('is refused when the app may not join', async () => {
    service.addChannel('C0NOSCOPE', { members: new Set() });
    const { token } = service.addToken({ scopes: ['chat:write'] });
    const outcome = await send(message('C0NOSCOPE'), { autoJoin: true, token });
    expect(outcome).toMatchObject({ kind: 'rejected', code: 'not_in_channel' });
    expect(outcome.detail).toContain('missing_scope');
  });
  test('is tried again when joining fails for a reason that passes', async () => {
    service.addChannel('C0BUSY', { members: new Set() });
    const busy: Fault = { status: 200, body: { ok: false, error: 'not_in_channel' } };
    service.faults = [busy, { status: 503 }];
    expect(await send(message('C0BUSY'), { autoJoin: true })).toMatchObject({ kind: 'retry', code: '503' });
    service.faults = [busy, { status: 429, headers: { 'retry-after': '7' } }];
    expect(await send(message('C0BUSY'), { autoJoin: true })).toMatchObject({
      kind: 'throttled',
      retryAfterMs: 7_000,
    });
    service.faults = [busy, 'drop'];
    expect((await send(message('C0BUSY'), { autoJoin: true })).kind).toBe('retry');
    service.faults = [busy, { status: 200, body: { ok: false, error: 'token_revoked' } }];
    expect((await send(message('C0BUSY'), { autoJoin: true })).kind).toBe('broken');
  });
});

test('an archived channel, one that is not there, and an unknown user are refused for good', async () => {
  service.addChannel('C0OLD', { isArchived: true });
  expect(await send(message('C0OLD'))).toMatchObject({ kind: 'rejected', code: 'is_archived' });
  expect(await send(message('C0NOWHERE'))).toMatchObject({ kind: 'rejected', code: 'channel_not_found' });
  expect(await send(message('U0NOBODY'))).toMatchObject({ kind: 'rejected' });
});

test('blocks that the service would refuse are not sent', async () => {
  const tooMany = Array.from({ length: 51 }, () => blocks[0]);
  expect(await send(message('U0ADA', { blocks: tooMany }))).toMatchObject({
    kind: 'rejected',
    code: 'blocks',
  });
  expect(service.methods).toEqual([]);
});

const classes: [string, Outcome['kind']][] = [
  ['ratelimited', 'throttled'],
  ['rate_limited', 'throttled'],
  ['service_unavailable', 'retry'],
  ['request_timeout', 'retry'],
  ['team_added_to_org', 'retry'],
  ['org_login_required', 'retry'],
  ['fatal_error', 'ambiguous'],
  ['internal_error', 'ambiguous'],
  ['user_disabled', 'rejected'],
  ['messages_tab_disabled', 'rejected'],
  ['restricted_action', 'rejected'],
  ['msg_too_long', 'rejected'],
  ['msg_blocks_too_long', 'rejected'],
  ['invalid_blocks', 'rejected'],
  ['no_text', 'rejected'],
  ['an error nobody has heard of', 'rejected'],
  ['invalid_auth', 'broken'],
  ['not_authed', 'broken'],
  ['account_inactive', 'broken'],
  ['token_revoked', 'broken'],
  ['missing_scope', 'broken'],
  ['not_allowed_token_type', 'broken'],
  ['accesslimited', 'broken'],
  ['team_access_not_granted', 'broken'],
];
test.each(classes)('200 with the error %s inside means: %s', async (error, kind) => {
  service.faults = [{ status: 200, body: { ok: false, error, needed: 'chat:write' } }];
  const outcome = await send(message('U0ADA'));
  expect(outcome.kind).toBe(kind);
  if (error === 'missing_scope') expect(outcome.detail).toContain('chat:write');
  expect(outcome.detail).not.toContain('nobody');
});

const answers: [string, Fault, Partial<Outcome>][] = [
  [
    '429 with Retry-After',
    { status: 429, headers: { 'retry-after': '3' } },
    { kind: 'throttled', retryAfterMs: 3_000 },
  ],
  ['429 without', { status: 429 }, { kind: 'throttled', retryAfterMs: null }],
  [
    '429 with an absurd Retry-After',
    { status: 429, headers: { 'retry-after': '9999999999' } },
    { kind: 'throttled', retryAfterMs: 86_400_000 },
  ],
  ['500', { status: 500 }, { kind: 'retry', code: '500' }],
  ['an HTML error page', { status: 502, body: '<html>' }, { kind: 'retry', code: '502' }],
  ['an HTML page with 200', 'html', { kind: 'ambiguous' }],
  ['malformed JSON', 'malformed', { kind: 'ambiguous' }],
  ['an empty body', 'empty', { kind: 'ambiguous' }],
  ['half an answer', 'half', { kind: 'ambiguous' }],
  ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, { kind: 'broken' }],
  ['404', { status: 404 }, { kind: 'broken', code: '404' }],
  ['a hang-up after the message was taken', 'drop_after_accept', { kind: 'ambiguous' }],
];
test.each(answers)('%s', async (_name, fault, outcome) => {
  service.faults = [fault];
  expect(await send(message('U0ADA'))).toMatchObject(outcome);
});

test('a service that hangs leaves the outcome open when we stop waiting', async () => {
  service.faults = ['hang'];
  expect(await stopped((signal) => send(message('U0ADA'), { signal }))).toMatchObject({
    kind: 'ambiguous',
  });
});

/** Breaks the call off once the service has heard it. */
async function stopped(call: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome> {
  const before = service.calls();
  const controller = new AbortController();
  const outcome = call(controller.signal);
  await waitUntil(async () => service.calls() > before || new Error('not heard'), 20_000);
  controller.abort();
  return outcome;
}

test('nobody listening is tried again: nothing was sent', async () => {
  const carrier = createChatoneCarrier({
    api: createChatoneApi(outbound, 'http://127.0.0.1:1/api', Date.now),
    name: 'x',
    rateLimitKey: 'x',
    autoJoin: false,
    token: async () => 'xoxb-1',
  });
  expect((await carrier.send(message('U0ADA'), AbortSignal.timeout(5_000))).kind).toBe('retry');
});

test('too many messages to one channel are throttled by the service, each channel for itself', async () => {
  const strict = await startChatoneSimulator({ burst: 1, everyMs: 60_000 });
  const { token } = strict.addToken();
  strict.addChannel('C0ONE');
  strict.addChannel('C0TWO');
  const carrier = createChatoneCarrier({
    api: createChatoneApi(outbound, strict.apiUrl, Date.now),
    name: 'x',
    rateLimitKey: 'x',
    autoJoin: false,
    token: async () => token,
  });
  const kinds = [];
  for (const channel of ['C0ONE', 'C0ONE', 'C0TWO'])
    kinds.push((await carrier.send(message(channel), AbortSignal.timeout(5_000))).kind);
  expect(kinds).toEqual(['accepted', 'throttled', 'accepted']);
  await strict.stop();
});

test('a token that has expired is renewed and the message posted with the new one', async () => {
  const { token } = service.addToken({ expiresAt: 1 });
  const renewed = service.addToken().token;
  expect(await send(message('U0ADA'), { token, renewed })).toMatchObject({ kind: 'accepted' });
  expect(await send(message('U0ADA'), { token })).toEqual(expired);
});
