import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWebPushSimulator, type WebPushSimulator } from '../../server/test/simulators/web-push.ts';
import { chromiumPath, type Host, startHost } from './host-page.ts';

const panel = '<carillon-inbox variant="panel" push="/carillon-push.js" USER></carillon-inbox>';

/** Headless Chromium denies notifications to everyone, and cannot reach a push service. */
function browserStub(subscription: object): string {
  return `
    let permission = 'default';
    Object.defineProperty(Notification, 'permission', { get: () => permission });
    Notification.requestPermission = async () => (permission = 'granted');
    let subscription = null;
    PushManager.prototype.getSubscription = async () => subscription;
    PushManager.prototype.subscribe = async (options) => {
      if (!options?.userVisibleOnly) throw new Error('userVisibleOnly is required');
      subscription = { options, toJSON: () => (${JSON.stringify(subscription)}), unsubscribe: async () => true };
      return subscription;
    };`;
}

/** Runs the service worker file with the pushes in turn; returns the notifications that are shown after each. */
async function runWorker({ source, pushes }: { source: string; pushes: object[] }): Promise<string[][]> {
  const listeners = new Map<string, (event: object) => void>();
  let open: { text: string; tag: string; close(): void }[] = [];
  const scope = {
    location: new URL('http://site.example'),
    registration: {
      async showNotification(title: string, { body, tag }: { body: string; tag: string }) {
        const text = `${title}: ${body} ${tag}`;
        open.push({
          text,
          tag,
          close() {
            open = open.filter((each) => each.tag !== tag);
          },
        });
      },
      getNotifications: async () => open,
    },
    addEventListener: (type: string, listener: (event: object) => void) => listeners.set(type, listener),
  };
  new Function('self', source)(scope);
  const shown: string[][] = [];
  for (const push of pushes) {
    const work: Promise<unknown>[] = [];
    listeners.get('push')?.({
      data: { json: () => push },
      waitUntil: (promise: Promise<unknown>) => work.push(promise),
    });
    await Promise.all(work);
    shown.push(open.map(({ text }) => text));
  }
  return shown;
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
    const source = await (await fetch(`${host.app.url}/widgets/push-worker.js`)).text();
    const shown = await page.evaluate(runWorker, {
      source,
      pushes: [push, { type: 'withdraw', ids: [push.id] }],
    });
    expect(shown).toEqual([
      [`Carillon: This is a test: push works on this device. ${push.id}`],
      [], // after the withdrawal
    ]);

    await page.getByRole('button', { name: 'Stop notifying me on this device' }).click();
    await enable.waitFor();
    expect(await devices()).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
