import type { ListSandboxMessagesParams } from '@carillon/sdk';
import { useEffect } from 'react';
import { useList, useRead } from '../../api/queries.ts';
import { given, useFilters } from '../../shell/filters.ts';

const everyMs = 5000;
const pageSize = 30;

export function useOutboxFilters() {
  return useFilters('channel', 'to', 'message', 'tab');
}

/**
 * Lists the messages, newest first, and follows new ones. Messages can be large, so polling asks only for those newer
 * than the first, and reloads the list when there is one.
 */
export function useMessages(filters: { channel: string; to: string }) {
  const params = given(filters) as ListSandboxMessagesParams;
  const list = useList(
    ['sandbox', 'list', params],
    (api, cursor, signal) =>
      api.sandbox.listMessages({ ...params, limit: pageSize, cursor }, { signal }).page(),
    { keep: true },
  );
  const newest = list.items[0]?.created_at;
  const news = useRead(
    ['sandbox', 'news', params, newest],
    (api, signal) =>
      api.sandbox.listMessages({ ...params, limit: 1, created_after: newest }, { signal }).page(),
    { everyMs, enabled: list.data !== undefined && !list.isFetching },
  );
  const hasNews = (news.data?.data.length ?? 0) > 0;
  const { refetch } = list;
  useEffect(() => {
    if (hasNews) void refetch();
  }, [hasNews, refetch]);
  return list;
}
