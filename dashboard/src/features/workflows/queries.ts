import type { Client, WorkflowRunSummary } from '@carillon/sdk';
import { useCan } from '../../api/environment.tsx';
import { useRead } from '../../api/queries.ts';
import type { Names } from './build/complete.ts';

export function useWorkflow(key: string) {
  return useRead(['workflows', key], (api) => api.workflows.get(key));
}

/** A version never changes, except for being active. */
export function useVersion(key: string, version: number | null, keep = false) {
  return useRead(
    ['workflows', key, 'versions', version],
    (api) => api.workflows.getVersion(key, version ?? 0),
    { enabled: version !== null, keep },
  );
}

/** Checks whether a version could be activated: the service looks up everything it names. */
export function useCheck(key: string, version: number | null) {
  const canWrite = useCan('workflows:write');
  return useRead(
    ['workflows', key, 'check', version],
    (api) => api.workflows.activateVersion(key, version ?? 0, { dry_run: true }),
    { enabled: canWrite && version !== null, keep: true },
  );
}

/** The names for completion; without the scopes they are empty. */
export function useNames(): Names {
  const templates = useRead(['templates', 'names'], (api) => api.templates.list({ limit: 100 }).page(), {
    enabled: useCan('templates:read'),
  });
  const categories = useRead(['categories', 'names'], (api) => api.categories.list().page(), {
    enabled: useCan('preferences:read'),
  });
  return {
    templates: templates.data?.data.map(({ key }) => key) ?? [],
    categories: categories.data?.data.map(({ key }) => key) ?? [],
  };
}

export function useBodySchema() {
  return useRead(['workflow-schema'], (api) => api.workflows.getSchema());
}

/** The list of runs has the older paging parameters. */
export async function readRuns(
  api: Client,
  key: string,
  filters: { status?: string; external_user_id?: string },
  token: string | undefined,
): Promise<{ data: WorkflowRunSummary[]; next_cursor: string | null }> {
  const status = filters.status as WorkflowRunSummary['status'] | undefined;
  const page = await api.runs
    .list(key, {
      limit: 50,
      ...(status ? { status } : {}),
      ...(filters.external_user_id ? { external_user_id: filters.external_user_id } : {}),
      ...(token === undefined ? {} : { page_token: token }),
    })
    .page();
  return { data: page.items, next_cursor: page.next_page_token };
}

const endedStatuses = new Set(['completed', 'failed', 'cancelled']);
export const hasEnded = (status: string): boolean => endedStatuses.has(status);
