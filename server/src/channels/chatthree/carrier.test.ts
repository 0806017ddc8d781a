import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../../test/harness/app.ts';
import { type ChatthreeSimulator, startChatthreeSimulator } from '../../../test/simulators/chatthree.ts';
import type { Fault } from '../../../test/simulators/http-simulator.ts';
import type { Outcome } from '../contract.ts';
import { createOutbound, type Outbound } from '../http.ts';
import type { ChatthreeMessage } from '../message.ts';
import { executeUrl } from './carrier.ts';
import { avatarUrlProblem, createChatthreeCarrier, isAcceptedUrl, isGone, usernameProblem } from './index.ts';

let service: ChatthreeSimulator;
let outbound: Outbound;
beforeAll(async () => {
  service = await startChatthreeSimulator();
  outbound = createOutbound({ policy: 'loopback' });
});
afterAll(async () => {
  await outbound.stop();
  await service.stop();
});
const publicUrl = (): string => 'https://notify.acme.example';

beforeEach(() => {
  service.faults = [];
  service.posts = [];
});

function send(
  url: string,
  changes: Partial<ChatthreeMessage> = {},
  signal = AbortSignal.timeout(5_000),
): Promise<Outcome> {
  const carrier = createChatthreeCarrier({
    outbound,
    clock: Date.now,
    name: 'chatthree:x',
    rateLimitKey: 'x',
    publicUrl,
    url,
  });
  return carrier.send(message(changes), signal);
}

function message(changes: Partial<ChatthreeMessage> = {}): ChatthreeMessage {
  return {
    channel: 'chatthree',
    notificationId: '01890000-0000-7000-8000-000000000000',
    environmentId: '01890000-0000-7000-8000-000000000001',
    attempt: 1,
    to: { address: 'x', name: null },
    content: 'Hello',
    embeds: null,
    username: null,
    avatarUrl: null,
    ...changes,
  };
}

test('a message is posted, mentions nobody, and is delivered once the service shows it', async () => {
  const outcome = await send(service.addWebhook().url, {
    content: '@everyone <@1>',
    embeds: { title: 'One' },
    username: 'Bell',
    avatarUrl: 'https://example.com/bell.png',
  });
  expect(outcome).toMatchObject({ kind: 'accepted', code: '200', receipts: [{ type: 'Delivered' }] });
  expect(outcome.kind === 'accepted' && outcome.providerMessageId).toMatch(/^\d+$/);
  expect(service.posts.map(({ body }) => body)).toEqual([
    {
      content: '@everyone <@1>',
      embeds: [{ title: 'One' }],
      username: 'Bell',
      avatar_url: 'https://example.com/bell.png',
      allowed_mentions: { parse: [] },
    },
  ]);
});

test('11 embeds, too much text, and nothing at all are refused without a call', async () => {
  const before = service.calls();
  const { url } = service.addWebhook();
  const embeds = Array.from({ length: 11 }, () => ({ title: 'x' }));
  expect(await send(url, { embeds })).toMatchObject({ kind: 'rejected' });
  expect(await send(url, { content: 'x'.repeat(2_001) })).toMatchObject({ kind: 'rejected' });
  expect(await send(url, { content: null })).toMatchObject({ kind: 'rejected' });
  expect(service.calls()).toBe(before);
});

test('a webhook that was deleted is gone; one with a wrong token too', async () => {
  const webhook = service.addWebhook();
  webhook.isDeleted = true;
  const deleted = await send(webhook.url);
  expect(deleted).toMatchObject({ kind: 'broken', code: '10015' });
  expect(isGone(deleted.code ?? null)).toBe(true);
  const wrong = await send(`${service.addWebhook().url}x`);
  expect(wrong).toMatchObject({ kind: 'broken', code: '50027' });
  expect(isGone(wrong.code ?? null)).toBe(true);
  expect(isGone('404')).toBe(false);
});

test('more calls than the webhook may have are throttled for as long as it says, to the millisecond', async () => {
  const strict = await startChatthreeSimulator({ burst: 1, everyMs: 60_000 });
  const { url } = strict.addWebhook();
  expect((await send(url)).kind).toBe('accepted');
  const outcome = await send(url);
  expect(outcome.kind === 'throttled' && outcome.retryAfterMs).toBeGreaterThan(0);
  expect(outcome.kind === 'throttled' && outcome.retryAfterMs).toBeLessThanOrEqual(60_000);
  expect((await send(strict.addWebhook().url)).kind).toBe('accepted');
  await strict.stop();
});

test('an answer that says there is no call left for a while is heeded before the next', async () => {
  const strict = await startChatthreeSimulator({ burst: 2, everyMs: 60_000 });
  const rests: number[] = [];
  const { url } = strict.addWebhook();
  const carrier = createChatthreeCarrier({
    outbound,
    clock: Date.now,
    name: 'x',
    rateLimitKey: 'x',
    publicUrl,
    url,
    onQuotaExhausted: (ms) => rests.push(ms),
  });
  for (const expected of [[], [60_000]]) {
    expect((await carrier.send(message(), AbortSignal.timeout(5_000))).kind).toBe('accepted');
    expect(rests).toEqual(expected);
  }
  await strict.stop();
});

test('what the service complains about is in the detail', async () => {
  service.faults = [
    {
      status: 400,
      body: {
        code: 50035,
        message: 'Invalid Form Body',
        errors: { embeds: { 0: { title: { _errors: [{ message: 'Must be 256 or fewer in length.' }] } } } },
      },
    },
  ];
  const outcome = await send(service.addWebhook().url);
  expect(outcome).toMatchObject({ kind: 'rejected', code: '50035' });
  expect(outcome.detail).toContain('embeds.0.title Must be 256');
});

const limited = (body: unknown): Fault => ({ status: 429, headers: { 'retry-after': '5' }, body });
const answers: [string, Fault, Partial<Outcome>][] = [
  [
    '429 that says it in the body',
    limited({ retry_after: 1.25 }),
    { kind: 'throttled', retryAfterMs: 1_250 },
  ],
  ['429 that says it in the header', limited('<html>'), { kind: 'throttled', retryAfterMs: 5_000 }],
  ['429 that says nothing', { status: 429 }, { kind: 'throttled', retryAfterMs: null }],
  [
    '429 for a thousand years',
    limited({ retry_after: 3e10 }),
    { kind: 'throttled', retryAfterMs: 86_400_000 },
  ],
  ['403', { status: 403, body: { code: 50013, message: 'Missing Permissions' } }, { kind: 'broken' }],
  ['404 of somebody else', { status: 404, body: '<html>' }, { kind: 'broken', code: '404' }],
  ['413', { status: 413, body: { code: 40005, message: 'too large' } }, { kind: 'rejected', code: '40005' }],
  ['400 by the filter', { status: 400, body: { code: 200000, message: 'blocked' } }, { kind: 'rejected' }],
  ['500', { status: 500 }, { kind: 'retry' }],
  ['an HTML error page', { status: 502, body: '<html>' }, { kind: 'retry', code: '502' }],
  ['a redirect', { status: 301, headers: { location: 'http://127.0.0.1:1/' } }, { kind: 'broken' }],
  ['204', { status: 204 }, { kind: 'accepted', providerMessageId: null }],
  ['an HTML page with 200', 'html', { kind: 'ambiguous' }],
  ['malformed JSON with 200', 'malformed', { kind: 'ambiguous' }],
  ['an empty 200', 'empty', { kind: 'ambiguous' }],
  ['a 2xx answer that is cut off', 'half', { kind: 'accepted' }],
  ['a hang-up after the message was taken', 'drop_after_accept', { kind: 'ambiguous' }],
];
test.each(answers)('%s', async (_name, fault, outcome) => {
  service.faults = [fault];
  expect(await send(service.addWebhook().url)).toMatchObject(outcome);
});

test('a webhook that hangs leaves the outcome open; one that cannot be reached is tried again', async () => {
  service.faults = ['hang'];
  expect((await stopped((signal) => send(service.addWebhook().url, {}, signal))).kind).toBe('ambiguous');
  expect((await send('http://127.0.0.1:1/api/webhooks/1/x')).kind).toBe('retry');
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

const urls: [string, boolean][] = [
  ['https://discord.com/api/webhooks/123/abc_D-e', true],
  ['https://discordapp.com/api/webhooks/123/abc', true],
  ['https://ptb.discord.com/api/webhooks/123/abc', true],
  ['https://canary.discord.com/api/v10/webhooks/123/abc', true],
  ['https://discord.com/api/webhooks/123/abc?thread_id=5', true],
  ['http://discord.com/api/webhooks/123/abc', false],
  ['https://discord.com/api/webhooks/123', false],
  ['https://discord.com/api/webhooks/abc/123', false],
  ['https://discord.com/api/webhooks/123/abc/github', false],
  ['https://discord.com.evil.example/api/webhooks/123/abc', false],
  ['https://evil.example/api/webhooks/123/abc', false],
  ['https://discord.com:8443/api/webhooks/123/abc', false],
  ['https://x:y@discord.com/api/webhooks/123/abc', false],
  ['nonsense', false],
];
test.each(urls)('%s accepted: %s', (url, accepted) => {
  expect(isAcceptedUrl(url, [])).toBe(accepted);
});

test('calls go to the version that the adapter was written for, and wait for the message', () => {
  expect(executeUrl('https://discord.com/api/webhooks/1/a?thread_id=5')).toBe(
    'https://discord.com/api/v10/webhooks/1/a?thread_id=5&wait=true',
  );
  expect(executeUrl('https://discord.com/api/v9/webhooks/1/a?wait=false')).toBe(
    'https://discord.com/api/v10/webhooks/1/a?wait=true',
  );
});

test('names that the service forbids are known', () => {
  expect(usernameProblem('Bell')).toBeNull();
  for (const name of ['', '   ', 'x'.repeat(81), 'My Discord bot', 'CLYDE', 'a\nb'])
    expect(usernameProblem(name)).not.toBeNull();
  expect(avatarUrlProblem('https://example.com/a.png')).toBeNull();
  for (const url of ['a.png', 'javascript:alert(1)', `https://e.co/${'x'.repeat(2_048)}`])
    expect(avatarUrlProblem(url)).not.toBeNull();
});
