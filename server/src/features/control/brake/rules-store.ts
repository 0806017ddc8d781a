import { query, type Sql, statement } from '../../../db/sql.ts';
import type { BrakeRule, RuleMatch } from './rules.ts';

/** A stored rule. Its id orders the rules by age; everything else names a rule by its key. */
export interface RuleRow extends BrakeRule {
  id: string;
  environment_id: string;
}

export const ruleColumns = `id, environment_id, key, name, scope, match, per_template, period as "window", unit,
  max_amount::float8 as "limit", action, hold_expires_hours, includes_critical, is_enabled`;

const list = statement<RuleRow>(
  'brake_list_rules',
  `select ${ruleColumns} from brake_rules where environment_id = $1 order by key`,
);

export function listRules(sql: Sql, environmentId: string): Promise<RuleRow[]> {
  return list(sql, [environmentId]);
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

const remove = statement(
  'brake_delete_rule',
  `with engagement as (delete from brake_engagements where environment_id = $1 and rule = $2)
   delete from brake_rules where environment_id = $1 and key = $2`,
);

/** A rule with the same key later starts without the engagements of this one. */
export async function deleteRule(sql: Sql, environmentId: string, key: string): Promise<void> {
  await remove(sql, [environmentId, key]);
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
