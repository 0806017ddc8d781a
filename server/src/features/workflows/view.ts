import { idTime } from '../../kernel/ids.ts';
import type { Version, Workflow } from './schema.ts';
import type { VersionRow, WorkflowRow } from './store.ts';

const timeOf = (id: string): string => new Date(idTime(id)).toISOString();

/** What runs of an environment say about where they ran. */
export function sourceOf(kind: 'test' | 'live'): 'Production' | 'Test' {
  return kind === 'live' ? 'Production' : 'Test';
}

export function workflowView(row: WorkflowRow): Workflow {
  return {
    id: row.id,
    key: row.key,
    name: row.name,
    description: row.description,
    status: row.status,
    active_version: row.status === 'active' ? row.active_version : null,
    latest_version: row.latest_version || null,
    created_at: timeOf(row.id),
    updated_at: row.updated_at.toISOString(),
  };
}

export function versionSummary(
  workflow: WorkflowRow,
  row: Pick<VersionRow, 'version' | 'id' | 'activated_at'>,
): Omit<Version, 'workflow_key' | 'body_json'> {
  return {
    version: row.version,
    is_active: workflow.status === 'active' && workflow.active_version === row.version,
    activated_at: row.activated_at?.toISOString() ?? null,
    created_at: timeOf(row.id),
  };
}

export function versionView(workflow: WorkflowRow, row: VersionRow): Version {
  return { workflow_key: workflow.key, ...versionSummary(workflow, row), body_json: row.body };
}

export function auditViewOf(row: WorkflowRow): object {
  const { key, name, description, status, active_version } = row;
  return { key, name, description, status, active_version };
}
