import type { Workflow } from '@carillon/sdk';
import { useState } from 'react';
import { useCan, useEnvironment } from '../../api/environment.tsx';
import { useList } from '../../api/queries.ts';
import { given, useFilters } from '../../shell/filters.ts';
import { SearchFilter } from '../../shell/search-filter.tsx';
import { common } from '../../strings/common.ts';
import { workflows } from '../../strings/workflows.ts';
import {
  Button,
  ClearFilters,
  EmptyState,
  ListCard,
  Notice,
  Page,
  Row,
  SelectFilter,
  StatusBadge,
  Time,
} from '../../ui/index.ts';
import { CreateDialog } from './create-dialog.tsx';
import styles from './list-page.module.css';

const { list } = workflows;
const statuses = ['draft', 'active', 'disabled'] as const;

export default function WorkflowsListPage() {
  const { kind } = useEnvironment();
  const canWrite = useCan('workflows:write');
  const [isCreating, setCreating] = useState(false);
  const filters = useFilters('search', 'status');
  const query = useList(
    ['workflows', 'list', filters.values],
    (api, cursor) =>
      api.workflows
        .list({
          limit: 50,
          ...(given(filters.values) as { status?: Workflow['status'] }),
          ...(cursor ? { cursor } : {}),
        })
        .page(),
    { keep: true },
  );
  const create = canWrite && (
    <Button variant="primary" icon="plus" onClick={() => setCreating(true)}>
      {list.create}
    </Button>
  );
  return (
    <Page title={list.title} description={list.description} actions={create}>
      {!canWrite && <Notice>{common.viewerOnly}</Notice>}
      <Row>
        <SearchFilter label={list.search} {...filters.bind('search')} />
        <SelectFilter
          label={list.status}
          any={list.anyStatus}
          options={statuses}
          nameOf={common.status}
          {...filters.bind('status')}
        />
        <ClearFilters filters={filters} />
      </Row>
      <ListCard<Workflow>
        label={list.title}
        query={query}
        rowKey={({ id }) => id}
        rowTo={({ key }) => `/${kind}/workflows/${encodeURIComponent(key)}`}
        filters={filters}
        noMatch={{ title: list.nothing, action: null }}
        empty={
          <EmptyState title={list.emptyTitle} icon="workflows" action={create || undefined}>
            {list.emptyText}
          </EmptyState>
        }
        columns={[
          {
            header: common.name,
            cell: ({ name, key }) => (
              <>
                <bdi>{name}</bdi>
                <code className={styles.key}>{key}</code>
              </>
            ),
          },
          { header: list.status, cell: ({ status }) => <StatusBadge status={status} /> },
          {
            header: list.activeVersion,
            cell: ({ active_version, latest_version }) => (
              <span>
                {active_version ?? list.noVersion}{' '}
                {latest_version !== null && latest_version !== active_version && (
                  <span className={styles.muted}>{list.drafts(latest_version)}</span>
                )}
              </span>
            ),
          },
          { header: list.updated, cell: ({ updated_at }) => <Time at={updated_at} /> },
        ]}
      />
      {isCreating && <CreateDialog onOpenChange={setCreating} />}
    </Page>
  );
}
