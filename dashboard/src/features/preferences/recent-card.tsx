import type { Notification } from '@carillon/sdk';
import { useEnvironment } from '../../api/environment.tsx';
import { useList } from '../../api/queries.ts';
import { user as text } from '../../strings/preferences.ts';
import {
  ChannelLabel,
  type Column,
  EmptyState,
  LinkButton,
  ListCard,
  StatusBadge,
  Time,
} from '../../ui/index.ts';

/** The latest notifications of a user, with a link to all. */
export function RecentCard({ id }: { id: string }) {
  const { kind, can } = useEnvironment();
  const query = useList(
    ['notifications', 'of-user', id],
    async (api, _cursor, signal) => {
      const { data } = await api.notifications.list({ external_user_id: id, limit: 5 }, { signal }).page();
      return { data, next_cursor: null };
    },
    { enabled: can('notifications:read') },
  );
  if (!can('notifications:read')) return null;
  return (
    <ListCard
      title={text.recent}
      actions={
        query.items.length > 0 && (
          <LinkButton size="small" to={`/${kind}/notifications`} search={{ external_user_id: id }}>
            {text.recentAll}
          </LinkButton>
        )
      }
      query={query}
      label={text.recentLabel}
      rowKey={(each) => each.id}
      rowTo={(each) => `/${kind}/notifications/${each.id}`}
      columns={columns}
      empty={<EmptyState title={text.recentNone} />}
    />
  );
}

const columns: Column<Notification>[] = [
  {
    header: text.recentColumns.subject,
    clip: true,
    cell: (each) => <bdi>{each.subject ?? each.template_key ?? text.untitled}</bdi>,
  },
  { header: text.recentColumns.channel, cell: (each) => <ChannelLabel channel={each.channel} /> },
  { header: text.recentColumns.status, cell: (each) => <StatusBadge status={each.status} /> },
  { header: text.recentColumns.at, cell: (each) => <Time at={each.created_at} /> },
];
