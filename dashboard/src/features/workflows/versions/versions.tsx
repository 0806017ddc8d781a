import type { Workflow, WorkflowVersionSummary } from '@carillon/sdk';
import { useState } from 'react';
import { useList, useWrite } from '../../../api/queries.ts';
import { DiffView } from '../../../editor/index.ts';
import { useFilters } from '../../../shell/filters.ts';
import { common } from '../../../strings/common.ts';
import { workflows } from '../../../strings/workflows.ts';
import {
  Badge,
  Button,
  Card,
  ConfirmDialog,
  EmptyState,
  Field,
  ListCard,
  Loaded,
  Row,
  Select,
  Time,
} from '../../../ui/index.ts';
import { useVersion } from '../queries.ts';
import styles from '../workbench.module.css';
import { tidy } from './promote-dialog.tsx';
import { useActivation } from './use-activation.ts';

const { versions } = workflows;

/** Every saved version, the difference of two, and ways to restore. */
export function Versions({ workflow, readOnly }: { workflow: Workflow; readOnly: boolean }) {
  const list = useList(['workflows', workflow.key, 'versions', 'list'], (api, cursor) =>
    api.workflows
      .listVersions(workflow.key, { limit: 50, ...(cursor === undefined ? {} : { cursor }) })
      .page(),
  );
  const { values, set } = useFilters('from', 'to');
  const [asked, setAsked] = useState<number | null>(null);
  const activation = useActivation(workflow.key);
  const restore = useWrite<number, { version: number }>(
    async (api, version) => {
      const { body_json } = await api.workflows.getVersion(workflow.key, version);
      return api.workflows.createVersion(workflow.key, { body_json });
    },
    { changes: [['workflows']], done: (made, version) => versions.restored(version, made.version) },
  );
  const latest = workflow.latest_version;
  const to = Number(values.to) || latest;
  const from = Number(values.from) || (to !== null && to > 1 ? to - 1 : null);

  return (
    <>
      <ListCard<WorkflowVersionSummary>
        title={versions.title}
        label={versions.title}
        query={list}
        rowKey={({ version }) => String(version)}
        empty={<EmptyState title={versions.empty}>{versions.emptyHint}</EmptyState>}
        columns={[
          {
            header: versions.version,
            cell: ({ version, is_active }) => (
              <Row>
                <strong>{versions.number(version)}</strong>
                {is_active && (
                  <Badge tone="green" shape="dot">
                    {versions.active}
                  </Badge>
                )}
                {version === latest && <Badge>{versions.latest}</Badge>}
              </Row>
            ),
          },
          { header: common.created, cell: ({ created_at }) => <Time at={created_at} /> },
          {
            header: versions.activated,
            cell: ({ activated_at }) => (activated_at ? <Time at={activated_at} /> : versions.never),
          },
          {
            header: versions.compare,
            hideHeader: true,
            end: true,
            cell: ({ version, is_active }) => (
              <div className={styles.endRow}>
                {version > 1 && (
                  <Button
                    size="small"
                    onClick={() => set({ from: String(version - 1), to: String(version) })}
                  >
                    {versions.compare}
                  </Button>
                )}
                {!readOnly && version !== latest && (
                  <Button
                    size="small"
                    title={versions.restoreHint(version)}
                    busy={restore.isPending && restore.variables === version}
                    onClick={() => restore.mutate(version)}
                  >
                    {versions.restore}
                  </Button>
                )}
                {!readOnly && !is_active && (
                  <Button size="small" onClick={() => setAsked(version)}>
                    {versions.activate}
                  </Button>
                )}
              </div>
            ),
          },
        ]}
      />
      {from !== null && to !== null && (
        <Comparison
          workflowKey={workflow.key}
          numbers={list.items.map(({ version }) => version)}
          from={from}
          to={to}
          onChange={set}
        />
      )}
      <ConfirmDialog
        open={asked !== null}
        onClose={() => setAsked(null)}
        title={versions.activateTitle(asked ?? 0)}
        confirm={versions.activate}
        danger={false}
        busy={activation.isPending}
        onConfirm={() => asked !== null && activation.mutate(asked, { onSettled: () => setAsked(null) })}
      >
        {versions.activateText}
      </ConfirmDialog>
    </>
  );
}

function Comparison(props: {
  workflowKey: string;
  numbers: number[];
  from: number;
  to: number;
  onChange(change: { from?: string; to?: string }): void;
}) {
  const { workflowKey, numbers, from, to, onChange } = props;
  const before = useVersion(workflowKey, from);
  const after = useVersion(workflowKey, to);
  return (
    <Card title={versions.compareTitle}>
      <Row>
        <VersionSelect
          label={versions.from}
          value={from}
          numbers={numbers}
          onChange={(value) => onChange({ from: value })}
        />
        <VersionSelect
          label={versions.to}
          value={to}
          numbers={numbers}
          onChange={(value) => onChange({ to: value })}
        />
      </Row>
      <Loaded query={before}>
        {(left) => (
          <Loaded query={after}>
            {(right) => (
              <DiffView
                language="json"
                label={versions.diff}
                before={tidy(left.body_json)}
                after={tidy(right.body_json)}
                names={{ before: versions.number(from), after: versions.number(to) }}
              />
            )}
          </Loaded>
        )}
      </Loaded>
    </Card>
  );
}

function VersionSelect(props: {
  label: string;
  value: number;
  numbers: number[];
  onChange(value: string): void;
}) {
  const { label, value, numbers, onChange } = props;
  return (
    <Field label={label}>
      <Select value={value} onChange={(event) => onChange(event.target.value)}>
        {[...new Set([value, ...numbers])]
          .sort((a, b) => b - a)
          .map((number) => (
            <option key={number} value={number}>
              {versions.number(number)}
            </option>
          ))}
      </Select>
    </Field>
  );
}
