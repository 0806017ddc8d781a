import { type Sql, statement } from '../../../db/sql.ts';
import type { Price } from '../spend/index.ts';
import type { FreezeRow } from './freezes-store.ts';
import type { ActiveRule } from './rules.ts';
import { ruleColumns } from './rules-store.ts';

/** The rules and freezes of an environment. Disabled rules are included: they replace default ones. */
export interface StateRow {
  environment_id: string;
  rules: ActiveRule[];
  freezes: (Omit<FreezeRow, 'frozen_at'> & { frozen_at: string })[];
  is_spiking: boolean;
  prices: Price[];
}

const list = statement<StateRow>(
  'brake_list_states',
  `select given.id as environment_id,
     array(select to_json(rule) from (
       select ${ruleColumns}, (
         select w.id from workflows w where w.environment_id = r.environment_id and w.key = r.match ->> 'workflow_key'
       ) as "workflowId"
       from brake_rules r where r.environment_id = given.id) rule) as rules,
     array(select to_json(f) from brake_freezes f where f.environment_id = given.id order by f.channel) as freezes,
     exists (select from brake_engagements g where g.environment_id = given.id and g.rule = 'spike'
       and g.last_at > now() - interval '150 seconds') as is_spiking, -- noted once a minute
     array(select to_json(p) from prices p where p.environment_id = given.id) as prices
   from unnest($1::uuid[]) as given (id)`,
);

export function listStates(sql: Sql, environmentIds: string[]): Promise<StateRow[]> {
  return list(sql, [environmentIds]);
}
