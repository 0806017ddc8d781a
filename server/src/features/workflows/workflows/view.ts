import { idTime } from '../../../kernel/ids.ts';
import type { Version, Workflow, WorkflowDetail } from './schema.ts';
import { shownBody } from './sealed-body.ts';
import type { VersionSummaryRow, WorkflowRow, WorkflowVersionRow } from './store.ts';

const timeOf = (id: string): string => new Date(idTime(id)).toISOString();

/** The name of the environment as its runs report it. */
export function sourceOf(kind: 'test' | 'live'): 'Production' | 'Test' {
  return kind === 'live' ? 'Production' : 'Test';
}

/** A workflow as lists show it. */
export interface CountedWorkflow {
  workflow: WorkflowRow;
  triggerCount: number;
}

/** A workflow with its details; `active` is null when no version is active. */
export interface DetailedWorkflow extends CountedWorkflow {
  active: WorkflowVersionRow | null;
}

export function workflowView({ workflow: row, triggerCount }: CountedWorkflow): Workflow {
  return {
    id: row.id,
    key: row.key,
    name: row.name,
    description: row.description,
    status: row.status,
    active_version: row.status === 'active' ? row.active_version : null,
    latest_version: row.latest_version || null,
    trigger_count_7d: triggerCount,
    created_at: timeOf(row.id),
    updated_at: row.updated_at.toISOString(),
  };
}

export function workflowDetail(detailed: DetailedWorkflow): WorkflowDetail {
  const { active } = detailed;
  return { ...workflowView(detailed), active_body_json: active && shownBody(active) };
}

export function versionSummary(
  workflow: WorkflowRow,
  row: VersionSummaryRow,
): Omit<Version, 'workflow_key' | 'body_json'> {
  const isActive = workflow.status === 'active' && workflow.active_version === row.version;
  return {
    id: row.id,
    version: row.version,
    is_active: isActive,
    activated_at: row.activated_at?.toISOString() ?? null,
    // A process of the release before this column may have activated the version again.
    deactivated_at: isActive ? null : (row.deactivated_at?.toISOString() ?? null),
    created_at: timeOf(row.id),
  };
}

export function versionView(workflow: WorkflowRow, row: WorkflowVersionRow): Version {
  return { workflow_key: workflow.key, ...versionSummary(workflow, row), body_json: shownBody(row) };
}

export function auditViewOf(row: WorkflowRow): object {
  const { key, name, description, status, active_version } = row;
  return { key, name, description, status, active_version };
}
