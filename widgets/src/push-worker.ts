/**
 * The service worker of push: shows the notification of an inbox item, opens its link, and closes it when the item was read
 * elsewhere. It imports nothing, so that it can be served as it is or with `importScripts`.
 */

/** The part of a worker that is used here; the types of workers and of pages exclude each other. */
interface WorkerScope {
  location: Location;
  registration: ServiceWorkerRegistration;
  clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<WorkerClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  addEventListener(type: string, listener: (event: WorkerEvent) => void): void;
}
interface WorkerClient {
  url: string;
  focus(): Promise<unknown>;
}
interface WorkerEvent {
  data?: { json(): unknown } | null;
  notification: Notification;
  waitUntil(work: Promise<unknown>): void;
}

type PushPayload =
  | { type: 'ring'; id: string; title: string; body: string; url: string | null }
  | { type: 'withdraw'; ids: string[] };

const worker = self as unknown as WorkerScope;

worker.addEventListener('push', (event) => {
  const payload = payloadOf(event);
  if (payload?.type === 'ring') event.waitUntil(show(payload));
  if (payload?.type === 'withdraw') event.waitUntil(close(payload.ids));
});

/** Returns null for a push of somebody else: a site may have others. */
function payloadOf({ data }: WorkerEvent): PushPayload | null {
  try {
    return data?.json() as PushPayload;
  } catch {
    return null;
  }
}

function show({ id, title, body, url }: Extract<PushPayload, { type: 'ring' }>): Promise<void> {
  return worker.registration.showNotification(title, { body, tag: id, data: { carillon: { id, url } } });
}

async function close(ids: string[]): Promise<void> {
  for (const notification of await worker.registration.getNotifications())
    if (ids.includes(notification.tag)) notification.close();
}

worker.addEventListener('notificationclick', (event) => {
  const link = (event.notification.data as { carillon?: { url: string | null } } | null)?.carillon;
  if (!link) return;
  event.notification.close();
  event.waitUntil(open(new URL(link.url ?? '/', worker.location.origin).href));
});

/** A tab that shows the page already is brought to the front. */
async function open(url: string): Promise<void> {
  const tabs = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const tab = tabs.find((each) => each.url === url);
  await (tab ? tab.focus() : worker.clients.openWindow(url));
}
