import type { InboxItem, InboxTab } from './public.ts';

export type FeedStatus = 'all' | 'unread' | 'snoozed';

/** An item and the state of its row. */
export interface Entry {
  item: InboxItem;
  /** In pixels, once measured. */
  height: number;
  expanded: boolean;
  /** True when the body is longer than the collapsed row. */
  overflows: boolean;
}

export function entryOf(item: InboxItem): Entry {
  return { item, height: 0, expanded: false, overflows: false };
}

/** The items that are shown. */
export interface ShownList {
  entries: Entry[];
  status: FeedStatus;
  /** Null shows the items of all tabs. */
  tab: InboxTab | null;
}

export interface MergedPage {
  entries: Entry[];
  /** The page ends the list: nothing that was shown before follows it. */
  isComplete: boolean;
  /** The page does not overlap the shown items, and replaces them. */
  isGap: boolean;
  /** Unread items that were not shown before, the oldest first. */
  arrived: InboxItem[];
}

/** The newest page replaces the items it covers, or all items when it does not overlap them. */
export function mergePage(
  shown: readonly Entry[],
  page: readonly InboxItem[],
  nextCursor: string | null,
): MergedPage {
  const known = new Map(shown.map((entry) => [entry.item.id, entry]));
  const head = page.map((item) => {
    const entry = known.get(item.id);
    if (!entry) return entryOf(item);
    entry.item = item;
    return entry;
  });
  const lastKnown = head.findLast((entry) => known.has(entry.item.id));
  const tail = lastKnown ? shown.slice(shown.indexOf(lastKnown) + 1) : [];
  const inHead = new Set(head);
  const rest = nextCursor === null ? [] : tail.filter((entry) => !inHead.has(entry));
  const isGap = shown.length > 0 && !lastKnown;
  const firstKnown = head.findIndex((entry) => known.has(entry.item.id));
  const fresh = firstKnown < 0 ? head : head.slice(0, firstKnown);
  return {
    entries: [...head, ...rest],
    isComplete: rest.length === 0,
    isGap,
    arrived: isGap
      ? []
      : fresh
          .toReversed()
          .map(({ item }) => item)
          .filter((item) => !item.is_read),
  };
}
