import type { ListNotificationsParams } from '@carillon/sdk';
import { useMemo } from 'react';
import { given, useFilters } from '../../shell/filters.ts';

export const statuses = [
  'queued',
  'sending',
  'sent',
  'delivered',
  'failed',
  'bounced',
  'complained',
  'suppressed',
] as const;

/** The preset periods; `window` in the URL. */
const windows = new Map([
  ['1h', 3_600_000],
  ['24h', 86_400_000],
  ['7d', 604_800_000],
]);

export type NotificationFilters = ReturnType<typeof useNotificationFilters>;

/** The filters of the URL, and as parameters of the API. */
export function useNotificationFilters() {
  const filters = useFilters(
    'status',
    'channel',
    'recipient',
    'category',
    'template_key',
    'external_user_id',
    'broadcast_id',
    'created_after',
    'created_before',
    'window',
  );
  const { window, ...rest } = filters.values;
  const text = JSON.stringify(given(rest));
  const params = useMemo(() => {
    const length = windows.get(window);
    // Rounded to the minute: every page of the list needs the same start.
    const since = length === undefined ? {} : { created_after: new Date(minute() - length).toISOString() };
    return { ...JSON.parse(text), ...since } as ListNotificationsParams;
  }, [window, text]);
  return { ...filters, params };
}

function minute(): number {
  return Math.floor(Date.now() / 60_000) * 60_000;
}
