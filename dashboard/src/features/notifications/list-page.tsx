import type { Notification } from '@carillon/sdk';
import { type ReactNode, useEffect } from 'react';
import { curlPost } from '../../api/curl.ts';
import { useEnvironment } from '../../api/environment.tsx';
import { useList } from '../../api/queries.ts';
import { useFilters } from '../../shell/filters.ts';
import { notifications } from '../../strings/notifications.ts';
import {
  Button,
  ChannelLabel,
  CodeBlock,
  type Column,
  classes,
  EmptyState,
  ListCard,
  Page,
  StatusBadge,
  Time,
} from '../../ui/index.ts';
import { BulkBar } from './bulk-bar.tsx';
import { ListFilters } from './list-filters.tsx';
import styles from './list-page.module.css';
import { useNewNotifications } from './new-notifications.ts';
import { useNotificationFilters } from './query.ts';
import { SendTest } from './send-test.tsx';

const pageSize = 50;
const names = notifications.columns;

const columns: Column<Notification>[] = [
  {
    header: names.recipient,
    cell: ({ recipient }) => (
      <bdi className={styles.clip}>{recipient.address ?? notifications.erasedRecipient}</bdi>
    ),
  },
  { header: names.message, cell: (row) => <bdi className={styles.clip}>{messageOf(row)}</bdi> },
  { header: names.channel, cell: ({ channel }) => <ChannelLabel channel={channel} /> },
  { header: names.status, cell: ({ status }) => <StatusBadge status={status} /> },
  {
    header: names.category,
    cell: ({ category }) => (
      <bdi className={classes(styles.clip, styles.narrow)}>{category ?? notifications.nothing}</bdi>
    ),
  },
  { header: names.created, end: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

function messageOf({ subject, template_key: template, text_body: text }: Notification): ReactNode {
  if (subject) return subject;
  if (template) return <code>{template}</code>;
  return text ? <span className={styles.quiet}>{text.slice(0, 120)}</span> : notifications.nothing;
}

export default function NotificationsListPage() {
  const { kind, can } = useEnvironment();
  const filters = useNotificationFilters();
  const { params } = filters;
  // The dialog is in the URL, so that other pages can link to it.
  const { values: asked, set: ask } = useFilters('send');
  const setSending = (isOpen: boolean) => ask({ send: isOpen ? '1' : '' });
  const list = useList(['notifications', 'list', params], (api, cursor, signal) =>
    api.notifications.list({ ...params, limit: pageSize, cursor }, { signal }).page(),
  );
  const arrivals = useNewNotifications(params, list);
  const isEmpty = list.data !== undefined && list.items.length === 0;
  const { refetch } = list;
  useEffect(() => {
    if (isEmpty && arrivals.count > 0) void refetch();
  }, [isEmpty, arrivals.count, refetch]);

  const canTest = kind === 'test' && can('notifications:send');
  const sendButton = canTest && (
    <Button icon="send" variant="primary" onClick={() => setSending(true)}>
      {notifications.send.open}
    </Button>
  );
  return (
    <Page title={notifications.title} description={notifications.description} actions={sendButton}>
      <ListFilters filters={filters} />
      <BulkBar params={params} />
      <ListCard
        label={notifications.title}
        query={{ ...list, items: arrivals.items }}
        columns={columns}
        rowKey={({ id }) => id}
        rowTo={({ id }) => `/${kind}/notifications/${id}`}
        filters={filters}
        noMatch={{ title: notifications.noMatch, icon: 'filter', children: notifications.noMatchHint }}
        empty={<Empty action={sendButton} />}
      >
        {arrivals.count > 0 && !isEmpty && (
          <div className={styles.news} role="status">
            <Button size="small" icon="up" onClick={() => refetch()} busy={list.isRefetching}>
              {notifications.newOnes(arrivals.label)}
            </Button>
          </div>
        )}
      </ListCard>
      {canTest && <SendTest open={asked.send !== ''} onOpenChange={setSending} />}
    </Page>
  );
}

function Empty({ action }: { action: ReactNode }) {
  const { kind } = useEnvironment();
  const { empty, send } = notifications;
  const request = {
    channel: 'email',
    recipient: { address: kind === 'test' ? 'delivered@sandbox.test' : 'you@example.com' },
    subject: send.sampleSubject,
    text_body: send.sampleText,
  };
  return (
    <EmptyState title={empty.title} icon="notifications" action={action}>
      <p>{empty[kind]}</p>
      <div className={styles.curl}>
        <CodeBlock label={empty.curl} code={curlPost('/v1/notifications', request)} />
      </div>
    </EmptyState>
  );
}
