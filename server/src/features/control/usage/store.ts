import type { Channel } from '../../../channels/contract.ts';
import { type Sql, statement } from '../../../db/sql.ts';

/** Batches that commit at the same time rarely conflict on one of so many rows. */
const shards = 16;

interface PlanCount {
  organizationId: string;
  /** First day of the calendar month (UTC), as YYYY-MM-DD. */
  month: string;
  channel: Channel;
  sends: number;
}

/** Adds the sends of `source` (organization_id, month, channel) to the counters. */
export function countSendsSql(source: string): string {
  return `
   insert into usage_counters as counter (organization_id, month, channel, shard, sends)
   select organization_id, month, channel, (random() * ${shards - 1})::smallint, count(*) from ${source}
   group by organization_id, month, channel
   order by organization_id, month, channel -- everyone locks in this order: no deadlocks
   on conflict (organization_id, month, channel, shard) do update set sends = counter.sends + excluded.sends`;
}

/** Organizations with the same plan owner share one account. */
const accountOf = (organization: string): string =>
  `coalesce(${organization}.plan_owner_id, ${organization}.id)`;

const lock = statement(
  'usage_lock_plan_accounts',
  `select from organizations sharing
   where ${accountOf('sharing')} in (select ${accountOf('o')} from organizations o where o.id = any ($1::uuid[]))
   order by id for no key update`,
);

/** Until the transaction ends, no other transaction decides whether a send fits the plan that these organizations share. */
export async function lockPlanAccounts(tx: Sql, organizationIds: string[]): Promise<void> {
  await lock(tx, [organizationIds]);
}

interface PlanUse {
  organizationId: string;
  /** The same for all organizations that share the plan. */
  accountId: string;
  /** Null when nothing was sent in any of the months. */
  month: string | null;
  sends: number;
}

const planUse = statement<{
  organization_id: string;
  account_id: string;
  month: string | null;
  sends: number;
}>(
  'usage_plan_use',
  `select mine.id as organization_id, ${accountOf('mine')} as account_id, counter.month::text,
     coalesce(sum(counter.sends), 0)::float8 as sends
   from organizations mine
   join organizations sharing on ${accountOf('sharing')} = ${accountOf('mine')} and sharing.plan = mine.plan
   left join usage_counters counter on counter.organization_id = sharing.id and counter.month = any ($2::date[])
   where mine.id = any ($1::uuid[])
   group by 1, 2, 3`,
);

/** Returns, for each organization, the sends by month of all organizations that share its plan. */
export async function listPlanUse(sql: Sql, organizationIds: string[], months: string[]): Promise<PlanUse[]> {
  const rows = await planUse(sql, [organizationIds, months]);
  return rows.map(({ organization_id, account_id, ...use }) => ({
    organizationId: organization_id,
    accountId: account_id,
    ...use,
  }));
}

const sums = statement<{ organization_id: string; month: string; channel: Channel; sends: number }>(
  'usage_sums',
  `select organization_id, month::text, channel, sum(sends)::float8 as sends
   from usage_counters where organization_id = any ($1::uuid[]) and month = any ($2::date[])
   group by 1, 2, 3`,
);

export async function listCounts(
  sql: Sql,
  organizationIds: string[],
  months: string[],
): Promise<PlanCount[]> {
  const rows = await sums(sql, [organizationIds, months]);
  return rows.map(({ organization_id, ...count }) => ({ organizationId: organization_id, ...count }));
}
