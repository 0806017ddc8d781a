import { afterAll, beforeAll } from 'vitest';
import { startTestApp, type TestApp, type TestResponse, waitUntil } from '../../../../test/harness/app.ts';
import { type ApnsSimulator, startApnsSimulator } from '../../../../test/simulators/apns.ts';
import { type FcmSimulator, startFcmSimulator } from '../../../../test/simulators/fcm.ts';
import { startWebPushSimulator, type WebPushSimulator } from '../../../../test/simulators/web-push.ts';

type Json = TestResponse['body'];

/** A service with simulators of the three push services, for a whole test file. */
export function usePush(settings: Record<string, string> = {}) {
  let app: TestApp;
  let webPush: WebPushSimulator;
  let apns: ApnsSimulator;
  let fcm: FcmSimulator;
  let tokens = 0;

  beforeAll(async () => {
    [webPush, apns, fcm] = await Promise.all([
      startWebPushSimulator(),
      startApnsSimulator(),
      startFcmSimulator(),
    ]);
    app = await startTestApp({
      settings: {
        CARILLON_APNS_API_URL: apns.url,
        CARILLON_FCM_API_URL: fcm.url,
        CARILLON_WEB_PUSH_HOSTS: webPush.host,
        ...settings,
      },
    });
    for (const key of [app.liveKey, app.testKey]) await harness.save(harness.allServices(), key);
  }, 60_000);
  afterAll(async () => {
    await app?.stop();
    await Promise.all([webPush?.stop(), apns?.stop(), fcm?.stop()]);
  });

  const environmentOf = (key: string): string =>
    key === app.liveKey ? app.liveEnvironmentId : app.testEnvironmentId;

  const harness = {
    get app() {
      return app;
    },
    get webPush() {
      return webPush;
    },
    get apns() {
      return apns;
    },
    get fcm() {
      return fcm;
    },
    allServices: () => settingsOf(apns, fcm),
    settingsPath: (key = app.liveKey) => `/v1/environments/${environmentOf(key)}/push-settings`,
    save: (body: object, key = app.liveKey) => app.request('PUT', harness.settingsPath(key), { body, key }),
    live: (method: string, path: string, body?: unknown): Promise<TestResponse> =>
      app.request(method, path, { key: app.liveKey, ...(body === undefined ? {} : { body }) }),
    /** Calls as the user, with an end-user token. */
    async as(
      user: string,
      method: string,
      path: string,
      body?: unknown,
      key = app.liveKey,
    ): Promise<TestResponse> {
      const issued = await app.request('POST', '/v1/inbox/tokens', { key, body: { external_user_id: user } });
      return app.request(method, path, { key: issued.body.token, ...(body === undefined ? {} : { body }) });
    },
    newToken(length = 64): string {
      tokens += 1;
      return 'b'.repeat(length - 8) + tokens.toString(16).padStart(8, '0');
    },
    /** Registers a device of each kind for the user. */
    async addDevices(user: string, key = app.liveKey) {
      const subscription = webPush.subscribe();
      const apnsToken = harness.newToken();
      const fcmToken = harness.newToken(140);
      const bodies = [
        { kind: 'web_push', ...subscription },
        { kind: 'apns', token: apnsToken },
        { kind: 'fcm', token: fcmToken },
      ];
      const ids: string[] = [];
      for (const body of bodies)
        ids.push((await app.request('PUT', `/v1/users/${user}/devices`, { key, body })).body.id);
      return { endpoint: subscription.endpoint, apnsToken, fcmToken, ids };
    },
    /** Sends an in_app notification and returns its id. */
    async send(user: string, more: object = {}, key = app.liveKey): Promise<string> {
      const { body } = await app.request('POST', '/v1/notifications', {
        key,
        body: {
          channel: 'in_app',
          recipient: { external_user_id: user },
          subject: 'Order shipped',
          html_body: '<p>Your <b>order</b> is on its way.</p>',
          action_url: 'https://shop.example/orders/1815',
          ...more,
        },
      });
      return body.id;
    },
    /** The entries about push in the trace, once the condition is met. */
    trace: (id: string, condition: (entries: Json[]) => boolean, key = app.liveKey): Promise<Json[]> =>
      waitUntil(async () => {
        const { body } = await app.request('GET', `/v1/notifications/${id}/trace`, { key });
        const entries = body.entries.filter((entry: Json) => entry.name === 'push');
        return condition(entries) ? entries : new Error(`still ${JSON.stringify(entries)}`);
      }, 20_000),
    /** What the devices got about the items. */
    pushesOf: (id: string) => [
      ...webPush.received.filter(({ payload }) => payload.id === id).map(() => 'web_push'),
      ...apns.received.filter(({ payload }) => payload.carillon.id === id).map(() => 'apns'),
      ...fcm.received.filter(({ message }) => message.data.carillon_id === id).map(() => 'fcm'),
    ],
    withdrawalsOf: (id: string) => [
      ...webPush.received.filter(({ payload }) => payload.ids?.includes(id)).map(() => 'web_push'),
      ...apns.received.filter(({ payload }) => payload.carillon.ids?.includes(id)).map(() => 'apns'),
      ...fcm.received.filter(({ message }) => message.data.carillon_ids?.includes(id)).map(() => 'fcm'),
    ],
    /** Waits until every push work is done. */
    idle: () => waitUntil(() => noPushLeft(app), 20_000),
  };
  return harness;
}

function settingsOf(apns: ApnsSimulator, fcm: FcmSimulator) {
  const { teamId: team_id, keyId: key_id, bundleId: bundle_id, privateKey: private_key } = apns;
  return {
    web_push: { contact: 'ops@acme.example' },
    apns: { team_id, key_id, bundle_id, private_key },
    fcm: { service_account: fcm.serviceAccount },
  };
}

async function noPushLeft(app: TestApp): Promise<true | Error> {
  const { rows } = await app.pool.query(
    'select count(*)::int as left from (select from queue_ready where kind = 11 union all select from queue_leased where kind = 11 union all select from queue_later where kind = 11) w',
  );
  return rows[0].left === 0 || new Error(`${rows[0].left} pushes wait`);
}

export const kinds = ['web_push', 'apns', 'fcm'];
