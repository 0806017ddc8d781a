import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWebPushSimulator, type WebPushSimulator } from '../../server/test/simulators/web-push.ts';
import { chromiumPath, type Host, startHost } from './host-page.ts';

const panel = '<carillon-inbox variant="panel" push="/carillon-push.js" USER></carillon-inbox>';

/**
 * Headless Chromium denies notifications to everyone, and cannot reach a push service. Service worker and push event are real. The
 * site itself has a subscription of another vendor.
 */
function browserStub(subscription: object, permission = 'default'): string {
  return `
    let permission = '${permission}';
    Object.defineProperty(Notification, 'permission', { get: () => permission });
    Notification.requestPermission = async () => (permission = 'granted');
    const newSubscription = (scope, options) => ({
      options,
      toJSON: () => (${JSON.stringify(subscription)}),
      unsubscribe: async () => delete subscriptions[scope],
    });
    const siteScope = location.origin + '/';
    globalThis.subscriptions = { [siteScope]: newSubscription(siteScope, { applicationServerKey: new ArrayBuffer(65) }) };
    Object.defineProperty(ServiceWorkerRegistration.prototype, 'pushManager', {
      get() {
        const { scope } = this;
        return {
          getSubscription: async () => subscriptions[scope] ?? null,
          subscribe: async (options) => {
            if (!options?.userVisibleOnly) throw new Error('userVisibleOnly is required');
            return (subscriptions[scope] = newSubscription(scope, options));
          },
        };
      },
    });`;
}

/** An expression for a page: what its service worker shows. */
const shownByWorker = `(async () => {
  const { active } = await navigator.serviceWorker.getRegistration('/carillon-push/');
  const { port1, port2 } = new MessageChannel();
  const told = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
  active.postMessage('what is shown?', [port2]);
  return told;
})()`;

/** Returns a function that has Chromium deliver a push to the service worker of the page. */
async function pushEvents(page: Page): Promise<(payload: object) => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => {
      if (first) resolve(first.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const registrationId = await registered;
  const origin = new URL(page.url()).origin;
  return async (payload) => {
    const data = JSON.stringify(payload);
    await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
  };
}

describe.skipIf(!chromiumPath)('push in the inbox', { timeout: 60_000 }, () => {
  let host: Host;
  let service: WebPushSimulator;
  beforeAll(async () => {
    service = await startWebPushSimulator();
    host = await startHost({ CARILLON_WEB_PUSH_HOSTS: service.host });
    await host.app.request('PUT', `/v1/environments/${host.app.testEnvironmentId}/push-settings`, {
      body: { web_push: { contact: 'ops@acme.example' } },
    });
  }, 60_000);
  afterAll(() => Promise.all([host?.stop(), service?.stop()]));

  test('is turned on by a click, and the service worker shows what the push service got, until it is withdrawn', async () => {
    const user = 'push-user';
    const context = await host.newContext();
    // A browser without the internet has no push service: the simulator takes its place, and its keys those of the browser.
    await context.addInitScript({ content: browserStub(service.subscribe()) });
    const { page, complaints } = await host.open(context, panel, { user });
    const devices = async () =>
      (await host.app.request('GET', `/v1/users/${user}/devices`)).body.data as { kind: string }[];
    const enable = page.getByRole('button', { name: 'Notify me on this device' });
    await enable.waitFor();
    expect(await devices()).toEqual([]);

    await enable.click();
    await page.getByRole('button', { name: 'Stop notifying me on this device' }).waitFor();
    expect(await devices()).toMatchObject([{ kind: 'web_push' }]);

    // In Test, the push of the test button leaves the service; the simulator decrypts it like a browser.
    await host.app.request('POST', `/v1/environments/${host.app.testEnvironmentId}/push-settings/test`, {
      body: { external_user_id: user },
    });
    const push = service.received.at(-1)?.payload;
    expect(push).toMatchObject({ type: 'ring', title: 'Carillon' });
    const deliver = await pushEvents(page);
    await deliver(push);
    await expect
      .poll(() => page.evaluate(shownByWorker))
      .toEqual([`Carillon: This is a test: push works on this device. ${push.id}`]);
    await deliver({ type: 'withdraw', ids: [push.id] });
    await expect.poll(() => page.evaluate(shownByWorker)).toEqual([]);

    await page.getByRole('button', { name: 'Stop notifying me on this device' }).click();
    await enable.waitFor();
    expect(await devices()).toEqual([]);

    await enable.click();
    await page.getByRole('button', { name: 'Stop notifying me on this device' }).waitFor();
    await page.evaluate(`document.querySelector('carillon-inbox').disablePush()`);
    await enable.waitFor();
    expect(await devices()).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('leaves the worker of the site and its subscription alone', async () => {
    const user = 'pwa-user';
    const context = await host.newContext();
    await context.addInitScript({ content: browserStub(service.subscribe(), 'granted') });
    const { page: site } = await host.open(context, '', { scripts: false });
    const siteWorker = '/carillon-push.js?site';
    await site.evaluate(
      `navigator.serviceWorker.register('${siteWorker}').then(() => navigator.serviceWorker.ready)`,
    );
    const { page } = await host.open(context, panel, { user });
    const devices = async () =>
      (await host.app.request('GET', `/v1/users/${user}/devices`)).body.data as { kind: string }[];
    const workersAndSubscriptions = () =>
      page.evaluate(`(async () => [
        (await navigator.serviceWorker.getRegistrations()).map(({ scope, active }) =>
          new URL(scope).pathname + ' ' + active.scriptURL.slice(location.origin.length)).sort(),
        Object.keys(subscriptions).map((scope) => new URL(scope).pathname).sort(),
      ])()`);
    const enable = page.getByRole('button', { name: 'Notify me on this device' });
    const disable = page.getByRole('button', { name: 'Stop notifying me on this device' });
    await enable.waitFor();
    expect(await devices()).toEqual([]);
    expect(await workersAndSubscriptions()).toEqual([[`/ ${siteWorker}`], ['/']]);

    await enable.click();
    await disable.waitFor();
    expect(await devices()).toHaveLength(1);
    const workers = [`/ ${siteWorker}`, '/carillon-push/ /carillon-push.js'];
    expect(await workersAndSubscriptions()).toEqual([workers, ['/', '/carillon-push/']]);

    await disable.click();
    await enable.waitFor();
    expect(await workersAndSubscriptions()).toEqual([workers, ['/']]);
    await context.close();
  });

  test('says that it is visible, and no longer, with requests that outlive the page', async () => {
    const context = await host.newContext();
    await context.addInitScript({
      content: `
        const presences = [];
        const callFetch = fetch;
        globalThis.fetch = (input, init) => {
          if (String(input).endsWith('/presence')) presences.push([JSON.parse(init.body).visible, init.keepalive]);
          return callFetch(input, init);
        };
        globalThis.presences = presences;`,
    });
    const { page } = await host.open(context, panel, { user: 'watcher' });
    await expect.poll(() => page.evaluate('presences')).toEqual([[true, true]]);
    await page.evaluate(`document.querySelector('carillon-inbox').remove()`);
    await expect
      .poll(() => page.evaluate('presences'))
      .toEqual([
        [true, true],
        [false, true],
      ]);
    await context.close();
  });
});
