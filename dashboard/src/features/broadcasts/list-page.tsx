import type { Broadcast } from '@carillon/sdk';
import { useNavigate } from '@tanstack/react-router';
import { useCan, useEnvironment } from '../../api/environment.tsx';
import { useList } from '../../api/queries.ts';
import { useFilters } from '../../shell/filters.ts';
import { broadcasts as text } from '../../strings/broadcasts.ts';
import { common } from '../../strings/common.ts';
import {
  Button,
  ClearFilters,
  type Column,
  EmptyState,
  ListCard,
  Notice,
  Page,
  SelectFilter,
  StatusBadge,
  Time,
} from '../../ui/index.ts';
import { BroadcastDialog } from './broadcast-dialog.tsx';
import { BroadcastProgress, watchMs } from './progress.tsx';

const statuses = ['scheduled', 'preparing', 'running', 'paused', 'done', 'cancelled'] as const;

const columns: Column<Broadcast>[] = [
  { header: text.columns.name, cell: ({ name }) => <bdi>{name}</bdi> },
  { header: text.columns.status, cell: ({ status }) => <StatusBadge status={status} /> },
  { header: text.columns.progress, cell: (broadcast) => <BroadcastProgress broadcast={broadcast} /> },
  { header: text.columns.created, end: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

export default function BroadcastsPage() {
  const { kind } = useEnvironment();
  const navigate = useNavigate();
  const mayWrite = useCan('broadcasts:write');
  const filters = useFilters('status');
  // The dialog is in the URL, so that a topic can link to it: its value is the key of the topic, or `-`.
  const { values: asked, set: ask } = useFilters('new');
  const status = statuses.find((each) => each === filters.values.status);
  const query = useList(
    ['broadcasts', 'list', status ?? ''],
    (api, cursor, signal) =>
      api.broadcasts.list({ limit: 50, cursor, ...(status ? { status } : {}) }, { signal }).page(),
    { keep: true, everyMs: watchMs },
  );
  const close = () => ask({ new: '' });
  return (
    <Page
      title={text.title}
      description={text.description}
      actions={
        mayWrite && (
          <Button variant="primary" icon="plus" onClick={() => ask({ new: '-' })}>
            {text.create}
          </Button>
        )
      }
    >
      {!mayWrite && <Notice>{common.viewerOnly}</Notice>}
      <ListCard
        bar={
          <>
            <SelectFilter
              label={text.status}
              any={text.anyStatus}
              options={statuses}
              nameOf={common.status}
              {...filters.bind('status')}
            />
            <ClearFilters filters={filters} />
          </>
        }
        query={query}
        label={text.table}
        rowKey={({ id }) => id}
        rowTo={({ id }) => `/${kind}/broadcasts/${id}`}
        columns={columns}
        filters={filters}
        noMatch={{ title: text.noMatch, icon: 'filter' }}
        empty={
          <EmptyState title={text.empty} icon="send">
            {text.emptyText}
          </EmptyState>
        }
      />
      {mayWrite && asked.new !== '' && (
        <BroadcastDialog
          topic={asked.new === '-' ? '' : asked.new}
          onClose={close}
          onStarted={({ id }) => navigate({ to: `/${kind}/broadcasts/${id}` })}
        />
      )}
    </Page>
  );
}
