import type { GetInboxFeedResult, InboxActionTaken, InboxItem } from '../generated/types.ts';

/** What happens in an inbox. More types are added over time: ignore those you do not know. */
export type InboxEvent = Happening & {
  /** Where to go on from (`last_event_id`); not there when it was found out by looking. */
  id?: string | undefined;
};

type Happening =
  | { type: 'notification.arrived'; data: InboxItem }
  | { type: 'notification.read'; data: { id: string; read_at: string } }
  | { type: 'notification.unread'; data: { id: string } }
  | { type: 'notification.archived'; data: { id: string } }
  | { type: 'notification.deleted'; data: { id: string } }
  | { type: 'notification.snoozed'; data: { id: string } }
  /** The snooze of an item has ended: it is at the top of the feed again, unread. */
  | { type: 'notification.returned'; data: InboxItem }
  /** The recipient chose an action of the item, which is read now. */
  | { type: 'notification.acted'; data: { id: string; action_taken: InboxActionTaken; read_at: string } }
  | { type: 'unread_count.changed'; data: { unread_count: number } }
  /** More changed than can be told: read the feed anew. */
  | { type: 'reset'; data: { unread_count: number } };

/** What must have happened between two looks at the first page of the feed. */
export function eventsBetween(before: GetInboxFeedResult | null, now: GetInboxFeedResult): InboxEvent[] {
  const { unread_count } = now;
  const reset: InboxEvent[] = [{ type: 'reset', data: { unread_count } }];
  if (before === null) return reset;
  const known = new Map(before.data.map((item) => [item.id, item]));
  const arrived = now.data.findIndex(({ id }) => known.has(id));
  const fresh = arrived === -1 ? now.data : now.data.slice(0, arrived);
  const common = now.data.slice(fresh.length);
  // What came before must follow in the same order, with nothing missing; an archived item leaves a gap.
  const same = common.every(({ id }, index) => before.data[index]?.id === id);
  const overlaps = common.length > 0 || before.data.length === 0;
  const complete = now.next_cursor !== null || common.length === before.data.length;
  if (!same || !overlaps || !complete || (before.data.length === 0 && now.next_cursor !== null)) return reset;

  const events: InboxEvent[] = [];
  for (const item of fresh.toReversed()) events.push({ type: 'notification.arrived', data: item });
  for (const { id, is_read, read_at, action_taken } of common) {
    if (action_taken && !known.get(id)?.action_taken) {
      events.push({ type: 'notification.acted', data: { id, action_taken, read_at: read_at ?? '' } });
      continue;
    }
    if (is_read === known.get(id)?.is_read) continue;
    events.push(
      is_read
        ? { type: 'notification.read', data: { id, read_at: read_at ?? '' } }
        : { type: 'notification.unread', data: { id } },
    );
  }
  if (unread_count !== before.unread_count) {
    events.push({ type: 'unread_count.changed', data: { unread_count } });
  }
  return events;
}
