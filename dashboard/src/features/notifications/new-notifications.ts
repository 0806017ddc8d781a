import type { ListNotificationsParams, Notification } from '@carillon/sdk';
import { useMemo } from 'react';
import { useRead } from '../../api/queries.ts';

const everyMs = 7000;
const pageSize = 25;

interface Shown {
  items: Notification[];
  data: unknown;
}

/**
 * Updates the rows of a list in place and counts the notifications that arrived since, without moving the rows. An
 * empty list can reload at once: it has no rows that would move.
 */
export function useNewNotifications(params: ListNotificationsParams, list: Shown) {
  const newest = useRead(
    ['notifications', 'newest', params],
    (api, signal) => api.notifications.list({ ...params, limit: pageSize }, { signal }).page(),
    { everyMs, enabled: list.data !== undefined },
  );
  const fresh = newest.data?.data;
  return useMemo(() => {
    const byId = new Map(fresh?.map((each) => [each.id, each]));
    const first = list.items[0]?.id ?? '';
    // Ids are ordered by time.
    const count = fresh?.filter((each) => each.id > first).length ?? 0;
    return {
      items: list.items.map((item) => byId.get(item.id) ?? item),
      count,
      label: count === pageSize ? `${count}+` : String(count),
    };
  }, [fresh, list.items]);
}
