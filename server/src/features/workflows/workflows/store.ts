import { query, type Sql, statement } from '../../../db/sql.ts';
import type { EventPattern } from '../../../engine/index.ts';
import { sha256 } from '../../../kernel/crypto.ts';
import type { PageRequest } from '../../../kernel/page.ts';
import type { WorkflowStatus } from './schema.ts';

export interface WorkflowRow {
  id: string;
  environment_id: string;
  key: string;
  name: string;
  description: string | null;
  status: WorkflowStatus;
  active_version: number | null;
  latest_version: number;
  updated_at: Date;
}

export interface WorkflowVersionRow {
  workflow_id: string;
  version: number;
  id: string;
  body: string;
  secrets_sealed: Record<string, string> | null;
  template_keys: string[];
  activated_at: Date | null;
  deactivated_at: Date | null;
}

export type VersionSummaryRow = Omit<WorkflowVersionRow, 'body' | 'secrets_sealed' | 'template_keys'>;

const columns =
  'id, environment_id, key, name, description, status, active_version, latest_version, updated_at';

const findByKey = statement<WorkflowRow>(
  'workflows_find',
  `select ${columns} from workflows where environment_id = $1 and key = $2`,
);

export async function findWorkflow(
  sql: Sql,
  environmentId: string,
  key: string,
): Promise<WorkflowRow | null> {
  return (await findByKey(sql, [environmentId, key]))[0] ?? null;
}

const lockByKey = statement<WorkflowRow>(
  'workflows_lock',
  `select ${columns} from workflows where environment_id = $1 and key = $2 for update`,
);

/** Locks the workflow against other changes until the transaction ends. */
export async function lockWorkflow(
  sql: Sql,
  environmentId: string,
  key: string,
): Promise<WorkflowRow | null> {
  return (await lockByKey(sql, [environmentId, key]))[0] ?? null;
}

export function listWorkflows(
  sql: Sql,
  environmentId: string,
  filter: { status?: WorkflowStatus | undefined; search?: string | undefined },
  page: PageRequest,
): Promise<WorkflowRow[]> {
  const values: unknown[] = [environmentId, page.limit + 1];
  const conditions = ['environment_id = $1'];
  const place = (value: unknown): string => `$${values.push(value)}`;
  if (filter.status) conditions.push(`status = ${place(filter.status)}`);
  if (filter.search) {
    const text = `lower(${place(filter.search)})`;
    conditions.push(`(strpos(lower(key), ${text}) > 0 or strpos(lower(name), ${text}) > 0)`);
  }
  if (page.before) conditions.push(`id < ${place(page.before)}`);
  return query(
    sql,
    `select ${columns} from workflows where ${conditions.join(' and ')} order by id desc limit $2`,
    values,
  );
}

const insertRow = statement<WorkflowRow>(
  'workflows_insert',
  // The count sees only committed rows: two concurrent inserts may exceed the limit by one, which is harmless.
  `insert into workflows (id, environment_id, key, name, description)
   select $1, $2, $3, $4, $5 where (select count(*) from workflows where environment_id = $2) < $6
   on conflict (environment_id, key) do nothing
   returning ${columns}`,
);

/** Returns null when the key is taken or the environment has reached its limit of workflows. */
export async function insertWorkflow(
  sql: Sql,
  workflow: Pick<WorkflowRow, 'id' | 'environment_id' | 'key' | 'name' | 'description'>,
  limit: number,
): Promise<WorkflowRow | null> {
  const { id, environment_id, key, name, description } = workflow;
  return (await insertRow(sql, [id, environment_id, key, name, description, limit]))[0] ?? null;
}

const updateRow = statement<WorkflowRow>(
  'workflows_update',
  `update workflows
   set name = $2, description = $3, status = $4, active_version = $5, latest_version = $6, updated_at = now()
   where id = $1
   returning ${columns}`,
);

export async function updateWorkflow(sql: Sql, workflow: WorkflowRow): Promise<WorkflowRow> {
  const { id, name, description, status, active_version, latest_version } = workflow;
  const [row] = await updateRow(sql, [id, name, description, status, active_version, latest_version]);
  if (!row) throw new Error('a workflow disappeared while it was locked');
  return row;
}

const insertVersionRow = statement(
  'workflows_insert_version',
  `insert into workflow_versions (workflow_id, version, id, body, secrets_sealed, template_keys)
   values ($1, $2, $3, $4, $5, $6)`,
);

export async function insertVersion(
  sql: Sql,
  version: Omit<WorkflowVersionRow, 'activated_at' | 'deactivated_at'>,
): Promise<void> {
  const { workflow_id, version: number, id, body, secrets_sealed, template_keys } = version;
  await insertVersionRow(sql, [workflow_id, number, id, body, JSON.stringify(secrets_sealed), template_keys]);
}

const findVersionRow = statement<WorkflowVersionRow>(
  'workflows_find_version',
  `select workflow_id, version, id, body, secrets_sealed, template_keys, activated_at, deactivated_at
   from workflow_versions where workflow_id = $1 and version = $2`,
);

export async function findVersion(
  sql: Sql,
  workflowId: string,
  version: number,
): Promise<WorkflowVersionRow | null> {
  return (await findVersionRow(sql, [workflowId, version]))[0] ?? null;
}

const listVersionRows = statement<VersionSummaryRow>(
  'workflows_list_versions',
  `select workflow_id, version, id, activated_at, deactivated_at from workflow_versions
   where workflow_id = $1 and ($2::uuid is null or id < $2)
   order by version desc limit $3`,
);

export function listVersions(sql: Sql, workflowId: string, page: PageRequest): Promise<VersionSummaryRow[]> {
  return listVersionRows(sql, [workflowId, page.before, page.limit + 1]);
}

const countTriggerRows = statement<{ workflow_id: string; count: number }>(
  'workflows_count_triggers',
  `select workflow_id, sum(triggered)::float8 as count from workflow_activity
   where workflow_id = any ($1::uuid[]) and slot > $2 group by workflow_id`,
);

/** Counts triggers since the given time from hourly rows: one for each hour in which a workflow was triggered. */
export async function countTriggers(
  sql: Sql,
  workflowIds: string[],
  since: Date,
): Promise<Map<string, number>> {
  const rows = await countTriggerRows(sql, [workflowIds, since]);
  return new Map(rows.map(({ workflow_id, count }) => [workflow_id, count]));
}

export type BodyRow = Pick<
  WorkflowVersionRow,
  'workflow_id' | 'version' | 'id' | 'body' | 'secrets_sealed'
> & {
  key: string;
};

const listBodyRows = statement<BodyRow>(
  'workflows_list_bodies',
  `select v.workflow_id, v.version, v.id, w.key, v.body, v.secrets_sealed
   from unnest($1::uuid[], $2::int[]) as wanted (workflow_id, version)
   join workflow_versions v using (workflow_id, version)
   join workflows w on w.id = v.workflow_id`,
);

/** Reads the versions that runs are pinned to. */
export function listBodies(sql: Sql, wanted: { workflowId: string; version: number }[]): Promise<BodyRow[]> {
  return listBodyRows(sql, [
    wanted.map(({ workflowId }) => workflowId),
    wanted.map(({ version }) => version),
  ]);
}

const listWithSecretsRows = statement<Pick<WorkflowVersionRow, 'id' | 'body' | 'secrets_sealed'>>(
  'workflows_list_with_secrets',
  `select id, body, secrets_sealed from workflow_versions
   where workflow_id = $1 and (secrets_sealed is null or secrets_sealed <> '{}')
   order by version desc limit $2`,
);

/** Returns the newest versions that have credentials. */
export function listWithSecrets(
  sql: Sql,
  workflowId: string,
  limit: number,
): Promise<Pick<WorkflowVersionRow, 'id' | 'body' | 'secrets_sealed'>[]> {
  return listWithSecretsRows(sql, [workflowId, limit]);
}

const listUnsealedRows = statement<{ id: string; body: string }>(
  'workflows_list_unsealed',
  'select id, body from workflow_versions where secrets_sealed is null limit $1',
);

/** Returns versions that were saved before sealing was introduced. */
export function listUnsealed(sql: Sql, limit: number): Promise<{ id: string; body: string }[]> {
  return listUnsealedRows(sql, [limit]);
}

const sealRow = statement(
  'workflows_seal_version',
  `update workflow_versions set body = $2, secrets_sealed = $3
   where id = $1 and secrets_sealed is null`,
);

export async function sealVersion(
  sql: Sql,
  id: string,
  { body, secrets_sealed }: { body: string; secrets_sealed: Record<string, string> },
): Promise<void> {
  await sealRow(sql, [id, body, JSON.stringify(secrets_sealed)]);
}

const activateRow = statement(
  'workflows_activate_version',
  'update workflow_versions set activated_at = now(), deactivated_at = null where workflow_id = $1 and version = $2',
);

const deactivateRows = statement(
  'workflows_deactivate_versions',
  `update workflow_versions set deactivated_at = now()
   where workflow_id = $1 and activated_at is not null and deactivated_at is null`,
);

/** After this no version is active. */
export async function markDeactivated(sql: Sql, workflowId: string): Promise<void> {
  await deactivateRows(sql, [workflowId]);
}

const insertPatternRows = statement(
  'workflows_insert_patterns',
  `insert into workflow_patterns (workflow_id, hash, event_name, paths, lookback)
   select $1, decode(hash, 'hex'), event_name, array(select json_array_elements_text(paths)), lookback
   from json_to_recordset($2::json) as (hash text, event_name text, paths json, lookback boolean)
   on conflict do nothing`,
);

/** After this, events are also matched against the waits of this version. */
export async function markActivated(
  sql: Sql,
  workflowId: string,
  version: number,
  patterns: EventPattern[],
): Promise<void> {
  await deactivateRows(sql, [workflowId]);
  await activateRow(sql, [workflowId, version]);
  if (patterns.length === 0) return;
  const rows = patterns.map(({ eventName, paths, lookback }) => ({
    hash: sha256(JSON.stringify([eventName, paths, lookback])).toString('hex'),
    event_name: eventName,
    paths,
    lookback,
  }));
  await insertPatternRows(sql, [workflowId, JSON.stringify(rows)]);
}

const listPatternRows = statement<{ paths: string[]; lookback: boolean }>(
  'workflows_list_patterns',
  `select paths, bool_or(lookback) as lookback from workflow_patterns
   where workflow_id = $1 and event_name = $2 group by paths`,
);

/** Returns the patterns that runs of this workflow may wait for under this name, in any version. */
export function listPatterns(
  sql: Sql,
  workflowId: string,
  eventName: string,
): Promise<{ paths: string[]; lookback: boolean }[]> {
  return listPatternRows(sql, [workflowId, eventName]);
}

const listUsers = statement<{ key: string }>(
  'workflows_list_template_users',
  `select w.key from workflows w
   join workflow_versions v on v.workflow_id = w.id and v.version = w.active_version
   where w.environment_id = $1 and w.status = 'active' and $2 = any (v.template_keys)
   order by w.key limit 20`,
);

/** Returns the active workflows that name this template. */
export async function listWorkflowsWithTemplate(
  sql: Sql,
  environmentId: string,
  templateKey: string,
): Promise<string[]> {
  return (await listUsers(sql, [environmentId, templateKey])).map(({ key }) => key);
}

const findLive = statement<{ id: string }>(
  'workflows_find_live',
  `select id from environments where organization_id = $1 and kind = 'live' order by id limit 1`,
);

export async function findLiveEnvironment(sql: Sql, organizationId: string): Promise<string | null> {
  return (await findLive(sql, [organizationId]))[0]?.id ?? null;
}
