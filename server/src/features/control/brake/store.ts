import { type Pool, query, type Sql, statement } from '../../../db/sql.ts';
import type { PageRequest } from '../../../kernel/page.ts';
import type { HoldDecision } from './hold.ts';
import type { BrakeRule, RuleMatch } from './rules.ts';

/** A stored rule. Its id orders the rules by age; everything else names a rule by its key. */
export interface RuleRow extends BrakeRule {
  id: string;
  environment_id: string;
}

export const ruleColumns = `id, environment_id, key, name, scope, match, per_template, period as "window", unit,
  max_amount::float8 as "limit", action, hold_expires_hours, includes_critical, is_enabled`;

const selectRules = statement<RuleRow>(
  'brake_list_rules',
  `select ${ruleColumns} from brake_rules where environment_id = $1 order by key`,
);

export function listRules(sql: Sql, environmentId: string): Promise<RuleRow[]> {
  return selectRules(sql, [environmentId]);
}

const upsert = statement<RuleRow>(
  'brake_upsert_rule',
  `insert into brake_rules (id, environment_id, key, name, scope, match, per_template, period, unit, max_amount, action,
     hold_expires_hours, includes_critical, is_enabled)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
   on conflict (environment_id, key) do update set name = excluded.name, scope = excluded.scope, match = excluded.match,
     per_template = excluded.per_template, period = excluded.period, unit = excluded.unit, max_amount = excluded.max_amount,
     action = excluded.action, hold_expires_hours = excluded.hold_expires_hours,
     includes_critical = excluded.includes_critical, is_enabled = excluded.is_enabled
   returning ${ruleColumns}`,
);

export async function upsertRule(sql: Sql, row: RuleRow): Promise<RuleRow> {
  const [written] = await upsert(sql, [
    ...[row.id, row.environment_id, row.key, row.name, row.scope, JSON.stringify(row.match)],
    ...[row.per_template, row.window, row.unit, row.limit, row.action, row.hold_expires_hours],
    ...[row.includes_critical, row.is_enabled],
  ]);
  if (!written) throw new Error('a rule of the brake was not written');
  return written;
}

const removeRule = statement(
  'brake_delete_rule',
  `with engagement as (delete from brake_engagements where environment_id = $1 and rule = $2)
   delete from brake_rules where environment_id = $1 and key = $2`,
);

/** A rule with the same key later starts without the engagements of this one. */
export async function deleteRule(sql: Sql, environmentId: string, key: string): Promise<void> {
  await removeRule(sql, [environmentId, key]);
}

/** The tables that a rule refers to by key. */
const keyTables = { category: 'categories', template_key: 'templates', workflow_key: 'workflows' } as const;
export type MatchKeyField = keyof typeof keyTables;

const findMatched = statement<Record<MatchKeyField | 'key_id', boolean>>(
  'brake_find_matched',
  `select ${Object.entries(keyTables)
    .map(
      ([field, table], index) =>
        `$${index + 3}::text is null or exists (select from ${table} where environment_id = $1 and key = $${index + 3}) as ${field}`,
    )
    .join(', ')},
     $2::uuid is null or exists (select from api_keys where environment_id = $1 and id = $2) as key_id`,
);

/** The fields of the match that name nothing in the environment. */
export async function listUnmatched(
  sql: Sql,
  environmentId: string,
  match: RuleMatch,
): Promise<(MatchKeyField | 'key_id')[]> {
  const { category = null, template_key = null, workflow_key = null, key_id = null } = match;
  const [found] = await findMatched(sql, [environmentId, key_id, category, template_key, workflow_key]);
  const fields = [...(Object.keys(keyTables) as MatchKeyField[]), 'key_id' as const];
  return fields.filter((field) => !found?.[field]);
}

const listedKeys = 1_000;

/** Keys that a rule could name, to suggest one of them. */
export async function listMatchKeys(
  sql: Sql,
  environmentId: string,
  field: MatchKeyField,
): Promise<string[]> {
  const rows = await query<{ key: string }>(
    sql,
    `select key from ${keyTables[field]} where environment_id = $1 order by key limit ${listedKeys}`,
    [environmentId],
  );
  return rows.map(({ key }) => key);
}

export interface FreezeRow {
  environment_id: string;
  /** A channel, or `all`. */
  channel: string;
  reason: string | null;
  hold_expires_hours: number;
  frozen_by: string | null;
  frozen_at: Date;
}

const freezeColumns = 'environment_id, channel, reason, hold_expires_hours, frozen_by, frozen_at';

const selectFreezes = statement<FreezeRow>(
  'brake_list_freezes',
  `select ${freezeColumns} from brake_freezes where environment_id = any ($1::uuid[]) order by channel`,
);

export function listFreezes(sql: Sql, environmentIds: string[]): Promise<FreezeRow[]> {
  return selectFreezes(sql, [environmentIds]);
}

const addFreeze = statement<FreezeRow>(
  'brake_insert_freeze',
  `insert into brake_freezes (${freezeColumns}) values ($1, $2, $3, $4, $5, now())
   on conflict (environment_id, channel) do nothing returning ${freezeColumns}`,
);

/** Returns null when the channel is frozen already. */
export async function insertFreeze(sql: Sql, row: Omit<FreezeRow, 'frozen_at'>): Promise<FreezeRow | null> {
  const { environment_id, channel, reason, hold_expires_hours, frozen_by } = row;
  return (await addFreeze(sql, [environment_id, channel, reason, hold_expires_hours, frozen_by]))[0] ?? null;
}

const removeFreeze = statement<FreezeRow>(
  'brake_delete_freeze',
  `delete from brake_freezes where environment_id = $1 and channel = $2 returning ${freezeColumns}`,
);

export async function deleteFreeze(
  sql: Sql,
  environmentId: string,
  channel: string,
): Promise<FreezeRow | null> {
  return (await removeFreeze(sql, [environmentId, channel]))[0] ?? null;
}

/** A decision about held notifications, and how far it is carried out. */
export interface ReleaseRow {
  id: string;
  environment_id: string;
  hold: string;
  action: HoldDecision;
  status: 'running' | 'done' | 'cancelled';
  total: number;
  done: number;
  held_before: Date;
  started_at: Date;
  completed_at: Date | null;
}

const releaseColumns = `id, environment_id, hold, action, status, total::float8 as total, done::float8 as done, held_before, started_at,
  completed_at`;

const insert = statement<ReleaseRow>(
  'brake_insert_release',
  `insert into brake_releases (id, environment_id, hold, action, status, total, held_before, started_at)
   values ($1, $2, $3, $4, 'running', $5, now(), now()) returning ${releaseColumns}`,
);

export async function insertRelease(
  sql: Sql,
  row: Pick<ReleaseRow, 'id' | 'environment_id' | 'hold' | 'action' | 'total'>,
): Promise<ReleaseRow> {
  const [written] = await insert(sql, [row.id, row.environment_id, row.hold, row.action, row.total]);
  if (!written) throw new Error('a release was not written');
  return written;
}

const findOne = statement<ReleaseRow>(
  'brake_find_release',
  `select ${releaseColumns} from brake_releases where id = $1 and environment_id = $2`,
);

export async function findRelease(sql: Sql, environmentId: string, id: string): Promise<ReleaseRow | null> {
  return (await findOne(sql, [id, environmentId]))[0] ?? null;
}

const lockOne = statement<ReleaseRow>(
  'brake_lock_release',
  `select ${releaseColumns} from brake_releases where id = $1 for no key update`,
);

export async function lockRelease(tx: Sql, id: string): Promise<ReleaseRow | null> {
  return (await lockOne(tx, [id]))[0] ?? null;
}

const update = statement(
  'brake_update_release',
  `update brake_releases set status = $2, total = $3, done = $4,
     completed_at = case when $2 = 'running' then null else coalesce(completed_at, now()) end
   where id = $1`,
);

export async function updateRelease(
  tx: Sql,
  { id, status, total, done }: Pick<ReleaseRow, 'id' | 'status' | 'total' | 'done'>,
): Promise<void> {
  await update(tx, [id, status, total, done]);
}

const listRunning = statement<ReleaseRow>(
  'brake_list_running_releases',
  `select ${releaseColumns} from brake_releases where environment_id = $1 and status = 'running'`,
);

export function listRunningReleases(sql: Sql, environmentId: string): Promise<ReleaseRow[]> {
  return listRunning(sql, [environmentId]);
}

/** Returns up to `limit + 1` releases, newest first. */
export function listReleases(sql: Sql, environmentId: string, page: PageRequest): Promise<ReleaseRow[]> {
  return query(
    sql,
    `select ${releaseColumns} from brake_releases where environment_id = $1 and ($2::uuid is null or id < $2)
     order by id desc limit $3`,
    [environmentId, page.before, page.limit + 1],
  );
}

const deleteOld = statement(
  'brake_delete_releases',
  `delete from brake_releases where status <> 'running' and completed_at < now() - interval '90 days'`,
);

export async function tidyReleases({ pool }: { pool: Pool }): Promise<void> {
  await deleteOld(pool);
}
