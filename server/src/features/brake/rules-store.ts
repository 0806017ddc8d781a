import { type Sql, statement } from '../../db/sql.ts';
import type { BrakeRule } from './rules.ts';

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
