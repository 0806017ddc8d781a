import type { Workflow, WorkflowRunSummary } from '@carillon/sdk';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useEnvironment } from '../../../api/environment.tsx';
import { useList } from '../../../api/queries.ts';
import { given, useFilters } from '../../../shell/filters.ts';
import { SearchFilter } from '../../../shell/search-filter.tsx';
import { common } from '../../../strings/common.ts';
import { workflows } from '../../../strings/workflows.ts';
import {
  ClearFilters,
  CodeBlock,
  duration,
  EmptyState,
  ListCard,
  Row,
  SelectFilter,
  StatusBadge,
  Time,
} from '../../../ui/index.ts';
import { WorkflowLayout, WorkflowWaiting } from '../layout.tsx';
import styles from '../list-page.module.css';
import { hasEnded, readRuns, useVersion, useWorkflow } from '../queries.ts';
import { sampleOfText, triggerCurl } from './trigger-dialog.tsx';

const { runs } = workflows;
const statuses = ['pending', 'running', 'waiting', 'completed', 'failed', 'cancelling', 'cancelled'];
const watchMs = 5000;

export default function WorkflowRunsPage() {
  const { key = '' } = useParams({ strict: false });
  const workflow = useWorkflow(key);
  if (!workflow.data) return <WorkflowWaiting name={key} query={workflow} />;
  return <Runs key={workflow.data.id} workflow={workflow.data} />;
}

function Runs({ workflow }: { workflow: Workflow }) {
  const { kind } = useEnvironment();
  const filters = useFilters('status', 'external_user_id');
  const [isMoving, setMoving] = useState(true);
  const query = useList(
    ['runs', workflow.key, filters.values],
    (api, token) => readRuns(api, workflow.key, given(filters.values), token),
    { keep: true, everyMs: isMoving && watchMs },
  );
  // An empty list is polled too: its reader waits for the first run.
  const moves = query.items.length === 0 || query.items.some(({ status }) => !hasEnded(status));
  if (query.data !== undefined && moves !== isMoving) setMoving(moves);
  return (
    <WorkflowLayout workflow={workflow} tab="runs">
      <Row>
        <SelectFilter
          label={workflows.list.status}
          any={runs.anyStatus}
          options={statuses}
          nameOf={common.status}
          {...filters.bind('status')}
        />
        <SearchFilter label={runs.userFilter} {...filters.bind('external_user_id')} />
        <ClearFilters filters={filters} />
      </Row>
      <ListCard<WorkflowRunSummary>
        label={runs.label}
        query={query}
        rowKey={({ id }) => id}
        rowTo={({ id }) => `/${kind}/runs/${id}`}
        filters={filters}
        noMatch={{ title: runs.nothing, action: null }}
        empty={<NoRuns workflow={workflow} />}
        columns={[
          { header: runs.run, clip: true, cell: ({ id }) => <code>{id}</code> },
          { header: workflows.list.status, cell: ({ status }) => <StatusBadge status={status} /> },
          {
            header: runs.user,
            cell: ({ external_user_id }) => (
              <span className={styles.user} title={external_user_id ?? undefined}>
                <bdi>{external_user_id ?? runs.noUser}</bdi>
              </span>
            ),
          },
          {
            header: runs.step,
            clip: true,
            cell: ({ current_step_id, status }) =>
              current_step_id !== null && !hasEnded(status) ? <code>{current_step_id}</code> : common.none,
          },
          { header: runs.version, end: true, cell: ({ version }) => version },
          { header: runs.started, cell: ({ created_at }) => <Time at={created_at} /> },
          {
            header: runs.took,
            end: true,
            cell: ({ created_at, completed_at }) =>
              completed_at === null ? '–' : duration(Date.parse(completed_at) - Date.parse(created_at)),
          },
        ]}
      />
    </WorkflowLayout>
  );
}

function NoRuns({ workflow }: { workflow: Workflow }) {
  const version = useVersion(workflow.key, workflow.active_version);
  const sample = sampleOfText(version.data?.body_json ?? '');
  return (
    <>
      <EmptyState title={runs.emptyTitle} icon="play">
        {workflow.active_version === null ? workflows.actions.needsActive : runs.emptyText}
      </EmptyState>
      {version.data && (
        <div className={styles.curl}>
          <CodeBlock label={runs.curl} code={triggerCurl(workflow.key, sample)} />
        </div>
      )}
    </>
  );
}
