import type { Notification } from '@carillon/sdk';

type Event = Notification['events'][number];

export interface ActivityEvent {
  notification: Notification;
  event: Event;
}

export interface Follower {
  /** What of these was not shown yet, the oldest first. */
  see(notifications: readonly Notification[]): ActivityEvent[];
  forget(id: string): void;
  /** New notifications are those created after this; by the service's clock, which may differ from ours. */
  since(): string;
  /** Older ones whose end is open, those first that were not looked at for longest. */
  unsettled(most: number): string[];
}

/** A notification may become visible a moment after one that is younger. */
const overlapMs = 5_000;
/** Only the latest notifications are remembered: older ones rarely change. */
const mostRemembered = 2_000;
const openStatuses: readonly string[] = ['queued', 'sending', 'sent'];

/** Remembers what was shown, so that each event is shown once. Nothing older than `first` counts as new. */
export function createFollower(first: { id: string; created_at: string }): Follower {
  const seen = new Map<string, { createdMs: number; events: number; live: boolean }>();
  let newestMs = Date.parse(first.created_at);
  return {
    see(notifications) {
      const fresh: ActivityEvent[] = [];
      for (const notification of notifications) {
        const { id, events, status, created_at } = notification;
        const known = seen.get(id);
        if (!known && id < first.id) continue; // ids are ordered by time
        for (const event of events.slice(known?.events ?? 0)) fresh.push({ notification, event });
        const createdMs = Date.parse(created_at);
        newestMs = Math.max(newestMs, createdMs);
        seen.delete(id); // so that the order is that of the last look
        seen.set(id, { createdMs, events: events.length, live: openStatuses.includes(status) });
      }
      for (const id of seen.keys()) {
        if (seen.size <= mostRemembered) break;
        seen.delete(id);
      }
      return fresh.sort((one, other) => (one.event.occurred_at < other.event.occurred_at ? -1 : 1));
    },
    forget: (id) => void seen.delete(id),
    since: () => new Date(newestMs - overlapMs).toISOString(),
    unsettled(most) {
      const old = [...seen].filter(([, { live, createdMs }]) => live && createdMs <= newestMs - overlapMs);
      return old.slice(0, most).map(([id]) => id);
    },
  };
}
