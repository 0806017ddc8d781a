import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOutbound, type Outbound } from '../../src/channels/http.ts';
import { createHttp2Client, type Http2Client } from '../../src/channels/http2.ts';
import { createApnsSender } from '../../src/channels/in-app/push/apns.ts';
import type { DeviceAddress, PushSender, RingMessage } from '../../src/channels/in-app/push/contract.ts';
import { createFcmSender } from '../../src/channels/in-app/push/fcm.ts';
import { newVapidKeys } from '../../src/channels/in-app/push/vapid.ts';
import { createWebPushSender } from '../../src/channels/in-app/push/web-push.ts';
import { type ApnsSimulator, startApnsSimulator } from '../simulators/apns.ts';
import { type FcmSimulator, fcmError, startFcmSimulator } from '../simulators/fcm.ts';
import type { Answer } from '../simulators/http-simulator.ts';
import { startWebPushSimulator, type WebPushSimulator } from '../simulators/web-push.ts';

/** What the exam needs to know about a push service. */
interface PushBench {
  sender: PushSender;
  newDevice(): DeviceAddress;
  simulator: { fault: unknown; faults: unknown[]; stop(): Promise<void> };
  remove(device: DeviceAddress): void;
  /** What the devices got: the id of the item that replaces an earlier one, the title, and the number of bytes. */
  received(): { collapse: string | undefined; title: string; url: string | null; bytes: number }[];
  withdrawn(): string[][];
  lastHeaders(): { ttl: number; urgency: string | undefined };
}

const ring: RingMessage = {
  type: 'ring',
  id: '0198aaaa-0000-7000-8000-000000000001',
  title: 'Order shipped',
  body: 'Your order is on its way.',
  url: 'https://shop.example/orders/1815',
  urgency: 'high',
  ttlSeconds: 3_600,
};
const notAborted = (): AbortSignal => new AbortController().signal;
const apnsReason = (status: number, reason: string): Answer => ({ status, body: { reason } });

let outbound: Outbound;
let http2: Http2Client;
let now = Date.now();
const clock = () => now;
let webPush: WebPushSimulator;
let apns: ApnsSimulator;
let fcm: FcmSimulator;
let benches: Record<string, PushBench>;
let devices = 0;
const newToken = (length: number): string => {
  devices += 1;
  return 'a'.repeat(length - 8) + devices.toString(16).padStart(8, '0');
};

beforeAll(async () => {
  outbound = createOutbound({ policy: 'loopback' });
  http2 = createHttp2Client({ policy: 'loopback' });
  [webPush, apns, fcm] = await Promise.all([
    startWebPushSimulator(),
    startApnsSimulator({ clock }),
    startFcmSimulator(),
  ]);
});
afterAll(async () => {
  await Promise.all([webPush.stop(), apns.stop(), fcm.stop(), outbound.stop(), http2.stop()]);
});

beforeEach(() => {
  now = Date.now();
  for (const simulator of [webPush, apns, fcm]) {
    simulator.fault = null;
    simulator.faults.length = 0;
    simulator.received.length = 0;
  }
  apns.issuedAfter = 0;
  benches = { web_push: webPushBench(), apns: apnsBench(), fcm: fcmBench() };
});

function webPushBench(): PushBench {
  const settings = { ...newVapidKeys(), subject: 'mailto:ops@acme.example' };
  return {
    sender: createWebPushSender(settings, { outbound, clock }),
    simulator: webPush,
    newDevice() {
      const { endpoint, keys } = webPush.subscribe();
      return { kind: 'web_push', endpoint, ...keys };
    },
    remove: (device) => webPush.unsubscribe(device.kind === 'web_push' ? device.endpoint : ''),
    received: () =>
      webPush.received.map(({ headers, bytes, payload }) => ({ ...payload, collapse: headers.topic, bytes })),
    withdrawn: () =>
      webPush.received.flatMap(({ payload }) => (payload.type === 'withdraw' ? [payload.ids] : [])),
    lastHeaders() {
      const { ttl, urgency } = webPush.received.at(-1)?.headers ?? {};
      return { ttl: Number(ttl), urgency };
    },
  };
}

function apnsBench(): PushBench {
  const { teamId, keyId, privateKey, bundleId, url: origin } = apns;
  return {
    sender: createApnsSender({ teamId, keyId, privateKey, bundleId, origin, account: 'a' }, { http2, clock }),
    simulator: apns,
    newDevice: () => ({ kind: 'apns', token: newToken(64) }),
    remove: (device) => void apns.gone.add(device.kind === 'apns' ? device.token : ''),
    received: () =>
      apns.received.map(({ headers, payload }) => ({
        collapse: headers['apns-collapse-id']?.replaceAll('-', ''),
        title: payload.aps.alert?.title,
        url: payload.carillon.url,
        bytes: Buffer.byteLength(JSON.stringify(payload)),
      })),
    withdrawn: () =>
      apns.received.flatMap(({ payload }) =>
        payload.carillon.type === 'withdraw' ? [payload.carillon.ids] : [],
      ),
    lastHeaders() {
      const headers = apns.received.at(-1)?.headers ?? {};
      return {
        ttl: Number(headers['apns-expiration']) - Math.floor(now / 1000),
        urgency: headers['apns-priority'],
      };
    },
  };
}

function fcmBench(): PushBench {
  const {
    project_id: projectId = '',
    client_email: clientEmail = '',
    private_key: privateKey = '',
    token_uri: tokenUri = '',
  } = fcm.serviceAccount;
  return {
    sender: createFcmSender(
      { serviceAccount: { projectId, clientEmail, privateKey, tokenUri }, origin: fcm.url, account: 'a' },
      { outbound, http2, clock },
    ),
    simulator: fcm,
    newDevice: () => ({ kind: 'fcm', token: newToken(140) }),
    remove: (device) => void fcm.gone.add(device.kind === 'fcm' ? device.token : ''),
    received: () =>
      fcm.received.map(({ message: { notification, data, android, apns, webpush } }) => ({
        collapse: android.notification.tag?.replaceAll('-', ''),
        title: notification?.title,
        url: data.carillon_url ?? null,
        bytes: Buffer.byteLength(
          JSON.stringify({ notification, data, ...apns.payload, ...webpush.notification }),
        ),
      })),
    withdrawn: () =>
      fcm.received.flatMap(({ message: { data } }) =>
        data.carillon_type === 'withdraw' ? [data.carillon_ids.split(',')] : [],
      ),
    lastHeaders() {
      const { android } = fcm.received.at(-1)?.message ?? {};
      return { ttl: Number.parseInt(android?.ttl, 10), urgency: android?.priority };
    },
  };
}

const bench = (kind: string): PushBench => {
  const found = benches[kind];
  if (!found) throw new Error(`no bench for ${kind}`);
  return found;
};
const kinds = ['web_push', 'apns', 'fcm'];

describe.each(kinds)('the exam of a push service: %s', (kind) => {
  it('gets the texts, the link, the time to live, the urgency, and the id that replaces an earlier push', async () => {
    const { sender, newDevice, received, lastHeaders } = bench(kind);
    expect(await sender.send(newDevice(), ring, notAborted())).toMatchObject({ kind: 'accepted' });
    expect(received()).toMatchObject([
      { title: ring.title, url: ring.url, collapse: ring.id.replaceAll('-', '') },
    ]);
    expect(lastHeaders()).toEqual({
      ttl: 3_600,
      urgency: { web_push: 'high', apns: '10', fcm: 'HIGH' }[kind],
    });
    await sender.send(newDevice(), { ...ring, urgency: 'low' }, notAborted());
    expect(lastHeaders().urgency).toBe({ web_push: 'low', apns: '5', fcm: 'NORMAL' }[kind]);
  });

  it('gets at most 4,096 bytes of a long message, with its title and its link', async () => {
    const { sender, newDevice, received } = bench(kind);
    const long = { ...ring, body: 'Ünïcödé "words" 👩‍🚀 '.repeat(1_000) };
    expect(await sender.send(newDevice(), long, notAborted())).toMatchObject({ kind: 'accepted' });
    const [push] = received();
    expect(push).toMatchObject({ title: ring.title, url: ring.url });
    expect(push?.bytes).toBeLessThanOrEqual(4_096);
    expect(push?.bytes).toBeGreaterThan(3_500);
  });

  it('gets the ids of notifications to remove', async () => {
    const { sender, newDevice, withdrawn } = bench(kind);
    expect(await sender.send(newDevice(), { type: 'withdraw', ids: [ring.id] }, notAborted())).toMatchObject({
      kind: 'accepted',
    });
    expect(withdrawn()).toEqual([[ring.id]]);
  });

  it('says that a device is gone', async () => {
    const { sender, newDevice, remove } = bench(kind);
    const device = newDevice();
    remove(device);
    expect(await sender.send(device, ring, notAborted())).toMatchObject({ kind: 'gone' });
  });

  it('is asked again after a failure that passes, and not before the time that it names', async () => {
    const { sender, newDevice, simulator } = bench(kind);
    for (const status of [500, 502, 503]) {
      simulator.fault = { status, headers: { 'retry-after': '17' } };
      const outcome = await sender.send(newDevice(), ring, notAborted());
      expect(outcome).toMatchObject({ kind: 'retry', retryAfterMs: 17_000 });
    }
    simulator.fault = 'drop';
    expect(await sender.send(newDevice(), ring, notAborted())).toMatchObject({ kind: 'retry' });
  });

  it('never makes us show an address or a credential that it repeats', async () => {
    const { sender, newDevice, simulator } = bench(kind);
    const device = newDevice();
    const secret = device.kind === 'web_push' ? (device.endpoint.split('/').at(-1) ?? '') : device.token;
    const body = { error: { message: `no ${secret}`, status: 'INVALID_ARGUMENT' }, reason: `Bad ${secret}` };
    simulator.fault = { status: 400, body };
    expect(JSON.stringify(await sender.send(device, ring, notAborted()))).not.toContain(secret);
  });

  it('confirms right settings without a device', async () => {
    expect(await bench(kind).sender.verify()).toMatchObject({ ok: true });
    expect(bench(kind).received()).toEqual([]);
  });
});

const rows: [kind: string, answer: Answer, outcome: string][] = [
  ['web_push', { status: 201 }, 'accepted'],
  ['web_push', { status: 404 }, 'gone'],
  ['web_push', { status: 410 }, 'gone'],
  ['web_push', { status: 400 }, 'broken'],
  ['web_push', { status: 401 }, 'broken'],
  ['web_push', { status: 403 }, 'broken'],
  ['web_push', { status: 413 }, 'rejected'],
  ['web_push', { status: 429 }, 'retry'],
  ['apns', apnsReason(400, 'BadDeviceToken'), 'rejected'],
  ['apns', apnsReason(400, 'DeviceTokenNotForTopic'), 'rejected'],
  ['apns', apnsReason(400, 'TopicDisallowed'), 'broken'],
  ['apns', apnsReason(403, 'InvalidProviderToken'), 'broken'],
  ['apns', apnsReason(403, 'ExpiredProviderToken'), 'broken'],
  ['apns', apnsReason(410, 'Unregistered'), 'gone'],
  ['apns', apnsReason(410, 'ExpiredToken'), 'gone'],
  ['apns', apnsReason(413, 'PayloadTooLarge'), 'rejected'],
  ['apns', apnsReason(429, 'TooManyRequests'), 'retry'],
  ['apns', apnsReason(429, 'TooManyProviderTokenUpdates'), 'throttled'],
  ['apns', apnsReason(503, 'Shutdown'), 'retry'],
  ['fcm', fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT'), 'rejected'],
  ['fcm', fcmError(401, 'UNAUTHENTICATED', 'THIRD_PARTY_AUTH_ERROR'), 'broken'],
  ['fcm', fcmError(401, 'UNAUTHENTICATED'), 'broken'],
  ['fcm', fcmError(403, 'PERMISSION_DENIED', 'SENDER_ID_MISMATCH'), 'broken'],
  ['fcm', fcmError(404, 'NOT_FOUND', 'UNREGISTERED'), 'gone'],
  ['fcm', fcmError(404, 'NOT_FOUND'), 'broken'],
  ['fcm', fcmError(429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED'), 'throttled'],
  ['fcm', fcmError(503, 'UNAVAILABLE', 'UNAVAILABLE'), 'retry'],
];

it('every documented answer of a push service has its outcome', async () => {
  for (const [kind, answer, outcome] of rows) {
    const { sender, newDevice, simulator } = bench(kind);
    simulator.fault = answer;
    const { kind: found } = await sender.send(newDevice(), ring, notAborted());
    expect([kind, answer, found]).toEqual([kind, answer, outcome]);
    benches = { web_push: webPushBench(), apns: apnsBench(), fcm: fcmBench() }; // a throttle would last
  }
});

const burst = (kind: string, count: number) => {
  const { sender, newDevice } = bench(kind);
  return Promise.all(Array.from({ length: count }, () => sender.send(newDevice(), ring, notAborted())));
};

describe('in the middle of a burst', () => {
  it.each(['apns', 'fcm'])('a GOAWAY of %s loses no push and doubles none', async (kind) => {
    const { simulator, received } = bench(kind);
    simulator.faults.push('goaway', { status: 200 }, 'goaway', { status: 200 }, 'goaway');
    const outcomes = await burst(kind, 100);
    expect(new Set(outcomes.map((outcome) => outcome.kind))).toEqual(new Set(['accepted']));
    expect(received().length).toBe(98); // two were answered by the script
  });

  it('a provider token of APNs that expires is renewed once, for all pushes', async () => {
    await burst('apns', 10);
    const before = apns.providerTokens.size;
    now += 1_000;
    apns.issuedAfter = Math.floor(now / 1000);
    const outcomes = await burst('apns', 50);
    expect(new Set(outcomes.map((outcome) => outcome.kind))).toEqual(new Set(['accepted']));
    expect(apns.providerTokens.size - before).toBe(1);
  });

  it('a provider token of APNs is renewed before the hour, and no sooner than after 20 minutes', async () => {
    const used: number[] = [];
    for (let minute = 0; minute < 180; minute += 1) {
      await burst('apns', 1);
      used.push(apns.providerTokens.size);
      now += 60_000;
    }
    expect(apns.received.length).toBe(180);
    const renewals = used.flatMap((count, minute) =>
      minute > 0 && count > (used[minute - 1] ?? 0) ? [minute] : [],
    );
    expect(renewals.length).toBeGreaterThanOrEqual(5);
    for (const [index, minute] of renewals.entries())
      if (index > 0) expect(minute - (renewals[index - 1] ?? 0)).toBeGreaterThan(20);
  });

  it('an access token of FCM that expires is renewed once, for all pushes', async () => {
    await burst('fcm', 10);
    const before = fcm.issued();
    fcm.expireTokens();
    const outcomes = await burst('fcm', 50);
    expect(new Set(outcomes.map((outcome) => outcome.kind))).toEqual(new Set(['accepted']));
    expect(fcm.issued() - before).toBe(1);
  });

  it('FCM is left alone for as long as it asks, once the quota is used up', async () => {
    const { sender, newDevice } = bench('fcm');
    const refusal = fcmError(429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED');
    fcm.faults.push({ ...refusal, headers: { 'retry-after': '30' } });
    expect(await sender.send(newDevice(), ring, notAborted())).toMatchObject({
      kind: 'throttled',
      retryAfterMs: 30_000,
    });
    const calls = fcm.calls();
    now += 10_000;
    expect(await sender.send(newDevice(), ring, notAborted())).toMatchObject({
      kind: 'throttled',
      retryAfterMs: 20_000,
    });
    expect(fcm.calls()).toBe(calls);
    now += 20_001;
    expect(await sender.send(newDevice(), ring, notAborted())).toMatchObject({ kind: 'accepted' });
  });
});

describe('a token of FCM', () => {
  const last = () => fcm.received.at(-1)?.message;
  const until = (seconds: number) => String(Math.floor(now / 1000) + seconds);

  it('of an iPhone or a browser gets the same expiry, urgency and replacement as a device of its own service', async () => {
    const { sender, newDevice } = bench('fcm');
    await sender.send(newDevice(), ring, notAborted());
    expect(last()).toMatchObject({
      apns: {
        headers: { 'apns-collapse-id': ring.id, 'apns-expiration': until(3_600), 'apns-priority': '10' },
        payload: { aps: { sound: 'default' } },
      },
      webpush: {
        headers: { TTL: '3600', Urgency: 'high', Topic: ring.id.replaceAll('-', '') },
        notification: { tag: ring.id },
      },
    });
    await sender.send(newDevice(), { ...ring, urgency: 'low' }, notAborted());
    expect(last().apns.payload).toBeUndefined();
    expect(last().webpush.headers.Urgency).toBe('low');
  });

  it('gets withdrawals that expire everywhere', async () => {
    const { sender, newDevice } = bench('fcm');
    await sender.send(newDevice(), { type: 'withdraw', ids: [ring.id] }, notAborted());
    expect(last()).toMatchObject({
      android: { ttl: '3600s' },
      apns: { headers: { 'apns-expiration': until(3_600), 'apns-push-type': 'background' } },
      webpush: { headers: { TTL: '3600', Urgency: 'low', Topic: ring.id.replaceAll('-', '') } },
    });
  });
});

describe('the quota of one device of FCM', () => {
  const quotaFailure = (subject: string, description: string) => ({
    '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
    violations: [{ subject, description }],
  });
  const refusal = (message: string, ...details: object[]): Answer => ({
    status: 429,
    body: { error: { code: 429, message, status: 'RESOURCE_EXHAUSTED', details } },
  });

  it.each([
    ['in the message', () => refusal('Device message rate exceeded.')],
    [
      'in a violation',
      () => refusal('Too many.', quotaFailure('', 'The message rate of the device is exceeded.')),
    ],
    ['by its token', (token: string) => refusal('Too many.', quotaFailure(`token:${token}`, 'Too many.'))],
  ])('%s: it is asked again after a minute, and the others at once', async (_where, answer) => {
    const { sender, newDevice } = bench('fcm');
    const device = newDevice() as Extract<DeviceAddress, { kind: 'fcm' }>;
    fcm.faults.push(answer(device.token), { ...answer(device.token), headers: { 'retry-after': '90' } });
    for (const retryAfterMs of [60_000, 90_000])
      expect(await sender.send(device, ring, notAborted())).toMatchObject({ kind: 'retry', retryAfterMs });
    expect(await sender.send(newDevice(), ring, notAborted())).toMatchObject({ kind: 'accepted' });
  });

  it('is not that of the project, which pauses all', async () => {
    const { sender, newDevice } = bench('fcm');
    const message =
      "Quota exceeded for quota metric 'Send requests' and limit 'Send requests per minute' of service 'fcm.googleapis.com' for consumer 'project_number:1815'.";
    fcm.faults.push(refusal(message, quotaFailure('project:1815', 'Sends per minute.')));
    for (let times = 0; times < 2; times += 1)
      expect(await sender.send(newDevice(), ring, notAborted())).toMatchObject({ kind: 'throttled' });
  });
});

describe('wrong credentials', () => {
  it('of APNs are found by the check', async () => {
    const { teamId, keyId, privateKey, bundleId, url: origin } = apns;
    const settings = { teamId, keyId, privateKey, bundleId, origin, account: 'b' };
    const check = (changes: object) =>
      createApnsSender({ ...settings, ...changes }, { http2, clock }).verify();
    expect(await check({ keyId: 'OTHER' })).toEqual({
      ok: false,
      detail: 'APNs answered 403 InvalidProviderToken.',
    });
    expect(await check({ privateKey: 'no key' })).toEqual({
      ok: false,
      detail: 'The private key cannot sign.',
    });
  });

  it('of FCM are found by the check', async () => {
    const {
      project_id: projectId = '',
      private_key: privateKey = '',
      token_uri: tokenUri = '',
    } = fcm.serviceAccount;
    const serviceAccount = { projectId, clientEmail: 'other@example.com', privateKey, tokenUri };
    const sender = createFcmSender(
      { serviceAccount, origin: fcm.url, account: 'b' },
      { outbound, http2, clock },
    );
    expect(await sender.verify()).toEqual({
      ok: false,
      detail: 'Google issues no access token: 400 Invalid JWT Signature.',
    });
  });
});

it('Safari is sent no withdrawal, because it ends the permission of sites whose pushes show nothing', async () => {
  const { sender, newDevice } = bench('web_push');
  const device = { ...newDevice(), endpoint: 'https://web.push.apple.com/abc' } as DeviceAddress;
  expect(await sender.send(device, { type: 'withdraw', ids: [ring.id] }, notAborted())).toMatchObject({
    kind: 'skipped',
  });
});
