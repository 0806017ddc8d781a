import type { Topic } from '@carillon/sdk';
import { useState } from 'react';
import { useCan, useEnvironment } from '../../api/environment.tsx';
import { useList, useWrite } from '../../api/queries.ts';
import { given, useFilters } from '../../shell/filters.ts';
import { SearchFilter } from '../../shell/search-filter.tsx';
import { audiences as text } from '../../strings/audiences.ts';
import { common } from '../../strings/common.ts';
import {
  Button,
  type Column,
  ConfirmDialog,
  EmptyState,
  formatCount,
  ListCard,
  menuColumn,
  Notice,
  Page,
  Row,
  Stack,
  Time,
} from '../../ui/index.ts';
import { TopicDialog } from './topic-dialog.tsx';

export default function AudiencesPage() {
  const { kind } = useEnvironment();
  const mayWrite = useCan('audiences:write');
  const [edited, setEdited] = useState<Topic | 'new' | null>(null);
  const [leaving, setLeaving] = useState<Topic | null>(null);
  const filters = useFilters('search');
  const query = useList(
    ['topics', 'list', filters.values.search],
    (api, cursor, signal) =>
      api.topics.list({ ...given(filters.values), limit: 100, cursor }, { signal }).page(),
    { keep: true },
  );
  const remove = useWrite((api, { key }: Topic) => api.topics.delete(key), {
    changes: [['topics']],
    done: text.deleted,
    onDone: () => setLeaving(null),
  });
  const create = mayWrite && (
    <Button variant="primary" icon="plus" onClick={() => setEdited('new')}>
      {text.create}
    </Button>
  );
  return (
    <Page title={text.title} description={text.description} actions={create}>
      {!mayWrite && <Notice>{common.viewerOnly}</Notice>}
      <Row>
        <SearchFilter label={text.search} maxLength={100} {...filters.bind('search')} />
      </Row>
      <ListCard
        query={query}
        filters={filters}
        noMatch={{ title: text.noMatch, icon: 'search' }}
        label={text.table}
        rowKey={({ id }) => id}
        rowTo={({ key }) => `/${kind}/audiences/${encodeURIComponent(key)}`}
        columns={columnsFor(mayWrite ? { onEdit: setEdited, onDelete: setLeaving } : null)}
        empty={
          <EmptyState title={text.empty} icon="team">
            {text.emptyText}
          </EmptyState>
        }
      />
      {edited && <TopicDialog topic={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
      <ConfirmDialog
        open={leaving !== null}
        onClose={() => setLeaving(null)}
        title={text.deleteTitle(leaving?.name ?? '')}
        confirm={text.deleteConfirm}
        onConfirm={() => leaving && remove.mutate(leaving)}
        busy={remove.isPending}
        {...(kind === 'live' && leaving ? { word: leaving.key } : {})}
      >
        <p>{text.deleteText(leaving?.subscriber_count ?? 0)}</p>
      </ConfirmDialog>
    </Page>
  );
}

function columnsFor(
  write: { onEdit(topic: Topic): void; onDelete(topic: Topic): void } | null,
): Column<Topic>[] {
  const columns: Column<Topic>[] = [
    {
      header: text.columns.name,
      cell: ({ name, key }) => (
        <Stack>
          <span>
            <bdi>{name}</bdi> <code>{key}</code>
          </span>
        </Stack>
      ),
    },
    {
      header: text.columns.subscribers,
      end: true,
      cell: ({ subscriber_count }) => formatCount(subscriber_count),
    },
    { header: text.columns.created, end: true, cell: ({ created_at }) => <Time at={created_at} /> },
  ];
  if (!write) return columns;
  return [
    ...columns,
    menuColumn(
      ({ name }) => text.actions(name),
      (topic) => [
        { label: text.edit, icon: 'edit', onSelect: () => write.onEdit(topic) },
        { label: text.delete, icon: 'trash', danger: true, onSelect: () => write.onDelete(topic) },
      ],
    ),
  ];
}
