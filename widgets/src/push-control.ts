import type { Client } from './client.ts';

/** unavailable: the browser or the environment has no web push, or the person has blocked it. */
export type PushState = 'unavailable' | 'off' | 'on';

export interface PushHost {
  changed(): void;
  failed(error: unknown): void;
}

/** A page that is visible says so in time: the service forgets it after 60 seconds. */
const presenceMs = 30_000;

/** Push in this browser: subscribes when a person asks for it, and reports whether the page is visible. */
export class PushControl {
  state: PushState = 'unavailable';
  readonly #client: Client;
  /** The URL of the service worker; empty when only the presence is reported. */
  readonly #worker: string;
  /** No page is within it: the worker of a site, and its subscription, are never taken for ours. */
  readonly #scope: string;
  readonly #host: PushHost;
  readonly #page = crypto.randomUUID();
  #publicKey = '';
  #deviceId: string | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isStopped = false;

  constructor(client: Client, worker: string, host: PushHost) {
    this.#client = client;
    this.#worker = worker;
    this.#scope = new URL('./carillon-push/', new URL(worker, location.href)).href;
    this.#host = host;
  }

  start(): void {
    document.addEventListener('visibilitychange', this.#report);
    this.#timer = setInterval(() => document.hidden || this.#report(), presenceMs);
    this.#report();
    if (this.#worker !== '' && isSupported()) void this.#resume().catch(() => {});
  }

  stop(): void {
    this.#isStopped = true;
    document.removeEventListener('visibilitychange', this.#report);
    clearInterval(this.#timer);
    this.#reportAs(false);
  }

  #report = (): void => this.#reportAs(!document.hidden);

  /** The last report leaves while the page is closed. */
  #reportAs(visible: boolean): void {
    const { inbox } = this.#client;
    void inbox.setInboxPresence({ page: this.#page, visible }, { keepalive: true }).catch(() => {});
  }

  /** Never asks the person. A subscription that exists is registered again: the user or the key may be another one. */
  async #resume(): Promise<void> {
    const { web_push: offer } = await this.#client.inbox.getPushOffer();
    if (!offer || Notification.permission === 'denied') return;
    this.#publicKey = offer.public_key;
    const registration = await this.#registration();
    const subscription = await registration?.pushManager.getSubscription();
    if (registration && subscription && Notification.permission === 'granted')
      await this.#subscribe(registration);
    this.#change(this.#deviceId === null ? 'off' : 'on');
  }

  /** Call it for a click: browsers ask for the permission only then. */
  async enable(): Promise<void> {
    try {
      if ((await Notification.requestPermission()) !== 'granted') return this.#change('off');
      const registration = await navigator.serviceWorker.register(this.#worker, { scope: this.#scope });
      await activated(registration);
      await this.#subscribe(registration);
      this.#change('on');
    } catch (error) {
      this.#host.failed(error);
    }
  }

  async disable(): Promise<void> {
    try {
      const subscription = await (await this.#registration())?.pushManager.getSubscription();
      if (this.#deviceId !== null) await this.#client.inbox.deleteOwnDevice(this.#deviceId);
      await subscription?.unsubscribe();
      this.#deviceId = null;
      this.#change('off');
    } catch (error) {
      this.#host.failed(error);
    }
  }

  /** Closes notifications of this browser whose items were read in the page; without ids, all of them. */
  async close(ids?: readonly string[]): Promise<void> {
    if (this.state !== 'on') return;
    for (const notification of (await (await this.#registration())?.getNotifications()) ?? []) {
      const data = notification.data as { carillon?: unknown } | null;
      if (data?.carillon && (!ids || ids.includes(notification.tag))) notification.close();
    }
  }

  async #subscribe(registration: ServiceWorkerRegistration): Promise<void> {
    const key = bytesOf(this.#publicKey);
    const known = await registration.pushManager.getSubscription();
    if (known && !isSameKey(known.options.applicationServerKey, key)) await known.unsubscribe();
    const subscription = await registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: key,
    });
    const { endpoint = '', keys = {} } = subscription.toJSON();
    const { p256dh = '', auth = '' } = keys;
    // Meanwhile the page may have switched to another user, whose device this now is.
    if (this.#isStopped) throw new Error('The inbox was closed.');
    const device = await this.#client.inbox.registerOwnDevice({
      kind: 'web_push',
      endpoint,
      keys: { p256dh, auth },
    });
    this.#deviceId = device.id;
  }

  /** The browser answers with the nearest scope around ours when ours has none. */
  async #registration(): Promise<ServiceWorkerRegistration | undefined> {
    const nearest = await navigator.serviceWorker.getRegistration(this.#scope);
    return nearest?.scope === this.#scope ? nearest : undefined;
  }

  #change(state: PushState): void {
    this.state = state;
    this.#host.changed();
  }
}

function isSupported(): boolean {
  return (
    isSecureContext && 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window
  );
}

function activated(registration: ServiceWorkerRegistration): Promise<void> {
  const worker = registration.installing ?? registration.waiting;
  if (registration.active || !worker) return Promise.resolve();
  return new Promise((resolve) => {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated') resolve();
    });
  });
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function isSameKey(known: ArrayBuffer | null, key: Uint8Array): boolean {
  const bytes = new Uint8Array(known ?? new ArrayBuffer(0));
  return bytes.length === key.length && bytes.every((byte, index) => byte === key[index]);
}
