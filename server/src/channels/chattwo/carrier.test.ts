import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../../test/harness/app.ts';
import { type ChattwoSimulator, startChattwoSimulator } from '../../../test/simulators/chattwo.ts';
import type { Fault } from '../../../test/simulators/http-simulator.ts';
import type { Outcome } from '../contract.ts';
import { createOutbound, type Outbound } from '../http.ts';
import { createChattwoCarrier, flavourOf } from './index.ts';

let service: ChattwoSimulator;
let outbound: Outbound;
beforeAll(async () => {
  service = await startChattwoSimulator({ burst: 1_000 });
  outbound = createOutbound({ policy: 'loopback' });
});
afterAll(async () => {
  await outbound.stop();
  await service.stop();
});
beforeEach(() => {
  service.faults = [];
  service.runs = [];
});

const card = { type: 'AdaptiveCard', version: '1.5', body: [{ type: 'TextBlock', text: 'Hello' }] };

function send(url: string, what: unknown = card, signal = AbortSignal.timeout(5_000)): Promise<Outcome> {
  const carrier = createChattwoCarrier({
    outbound,
    clock: Date.now,
    name: 'chattwo:x',
    rateLimitKey: 'x',
    url,
  });
  return carrier.send(
    {
      channel: 'chattwo',
      notificationId: '01890000-0000-7000-8000-000000000000',
      environmentId: '01890000-0000-7000-8000-000000000001',
      attempt: 1,
      to: { address: 'x', name: null },
      card: what,
    },
    signal,
  );
}

test.each(['A', 'B'] as const)(
  'a workflow of variant %s gets the card in the envelope it expects',
  async (variant) => {
    const outcome = await send(service.addFlow(variant).url);
    expect(outcome).toMatchObject({ kind: 'accepted', code: '202' });
    // Whether the card is shown, nobody is told.
    expect(outcome.kind === 'accepted' && outcome.receipts).toBeUndefined();
    expect(service.runs).toMatchObject([{ result: 'posted', body: { attachments: [{ content: card }] } }]);
  },
);

test('a card of 40 KB is refused without a call', async () => {
  const before = service.calls();
  const large = { ...card, body: [{ type: 'TextBlock', text: 'x'.repeat(40_000) }] };
  const outcome = await send(service.addFlow().url, large);
  expect(outcome).toMatchObject({ kind: 'rejected', code: 'card' });
  expect(outcome.detail).toContain('28672 bytes');
  expect(service.calls()).toBe(before);
});

test('a workflow that is off, deleted, or not for everybody is a broken connection', async () => {
  const flow = service.addFlow();
  flow.state = 'off';
  expect(await send(flow.url)).toMatchObject({ kind: 'broken', code: '404' });
  flow.state = 'tenant_only';
  expect(await send(flow.url)).toMatchObject({ kind: 'broken', code: '401' });
  flow.state = 'on';
  const outcome = await send(flow.url.replace(/sig=.*/, 'sig=wrong'));
  expect(outcome).toMatchObject({ kind: 'broken', code: '401' });
  expect(outcome.detail).not.toContain('wrong');
});

const answers: [string, Fault, Partial<Outcome>][] = [
  [
    '429 with Retry-After',
    { status: 429, headers: { 'retry-after': '3' } },
    { kind: 'throttled', retryAfterMs: 3_000 },
  ],
  ['429 without', { status: 429 }, { kind: 'throttled', retryAfterMs: null }],
  [
    '200 with a 429 inside',
    {
      status: 200,
      body: 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429',
    },
    { kind: 'throttled', code: '429' },
  ],
  ['200 with a 503 inside', { status: 200, body: 'returned HTTP error 503' }, { kind: 'retry', code: '503' }],
  [
    '200 with a 413 inside',
    { status: 200, body: 'returned HTTP error 413' },
    { kind: 'rejected', code: '413' },
  ],
  ['200 with what a Response step says', { status: 200, body: '{"done":true}' }, { kind: 'accepted' }],
  ['400', { status: 400 }, { kind: 'rejected', code: '400' }],
  ['413', { status: 413 }, { kind: 'rejected', code: '413' }],
  ['403', { status: 403 }, { kind: 'broken' }],
  ['410', { status: 410 }, { kind: 'broken' }],
  ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, { kind: 'broken' }],
  ['408', { status: 408 }, { kind: 'retry' }],
  ['500', { status: 500 }, { kind: 'retry' }],
  ['an HTML error page', { status: 503, body: '<html>' }, { kind: 'retry', code: '503' }],
  ['an HTML page with 200', 'html', { kind: 'ambiguous' }],
  ['a 2xx answer that is cut off', 'half', { kind: 'accepted' }],
  ['a hang-up after the card was taken', 'drop_after_accept', { kind: 'ambiguous' }],
];
test.each(answers)('%s', async (_name, fault, outcome) => {
  service.faults = [fault];
  expect(await send(service.addFlow().url)).toMatchObject(outcome);
});

test('a workflow that hangs leaves the outcome open; one that cannot be reached is tried again', async () => {
  service.faults = ['hang'];
  expect((await stopped((signal) => send(service.addFlow().url, card, signal))).kind).toBe('ambiguous');
  expect((await send('http://127.0.0.1:1/workflows/x')).kind).toBe('retry');
});

test('an address that may not be called is a broken connection', async () => {
  const guarded = createOutbound({ policy: 'none' });
  const carrier = createChattwoCarrier({
    outbound: guarded,
    clock: Date.now,
    name: 'x',
    rateLimitKey: 'x',
    url: service.addFlow().url,
  });
  const message = {
    channel: 'chattwo' as const,
    notificationId: '',
    environmentId: '',
    attempt: 1,
    to: { address: 'x', name: null },
    card,
  };
  expect(await carrier.send(message, AbortSignal.timeout(5_000))).toMatchObject({
    kind: 'broken',
    code: 'blocked',
  });
  await guarded.stop();
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

const urls: [string, string | null][] = [
  [
    'https://prod-12.westus.logic.azure.com:443/workflows/abc/triggers/manual/paths/invoke?sig=x',
    'WorkflowsVariantA',
  ],
  ['https://prod-12.westus.logic.azure.com/workflows/abc', 'WorkflowsVariantA'],
  [
    'https://abc.d.environment.api.powerplatform.com:443/powerautomate/automations/direct/workflows/abc/triggers/manual/paths/invoke?api-version=1&sig=x',
    'WorkflowsVariantB',
  ],
  ['https://outlook.office.com/webhook/guid@tenant/IncomingWebhook/id/guid', 'LegacyConnector'],
  ['https://outlook.office365.com/webhook/x', 'LegacyConnector'],
  ['https://acme.webhook.office.com/webhookb2/x', 'LegacyConnector'],
  ['http://prod-12.westus.logic.azure.com/workflows/abc', null],
  ['https://prod-12.westus.logic.azure.com:8443/workflows/abc', null],
  ['https://logic.azure.com/workflows/abc', null],
  ['https://logic.azure.com.example.com/workflows/abc', null],
  ['https://prod-12.westus.logic.azure.com/other/abc', null],
  ['https://evil.example/?x=.logic.azure.com/workflows/', null],
  ['https://user:pass@prod-12.westus.logic.azure.com/workflows/abc', null],
  ['https://a.api.powerplatform.com/', null],
  ['javascript:alert(1)', null],
  ['nonsense', null],
];
test.each(urls)('the flavour of %s is %s', (url, flavour) => {
  expect(flavourOf(url, [])).toBe(flavour);
});

test('the operator may accept further URLs, of either flavour', () => {
  const further = [
    { flavour: 'A' as const, pattern: /^(?:https:\/\/a\.example\/.*)$/ },
    { flavour: 'B' as const, pattern: /^(?:https:\/\/b\.example\/.*)$/ },
  ];
  expect(flavourOf('https://a.example/x', further)).toBe('WorkflowsVariantA');
  expect(flavourOf('https://b.example/x', further)).toBe('WorkflowsVariantB');
  expect(flavourOf('https://c.example/?https://b.example/x', further)).toBeNull();
});
