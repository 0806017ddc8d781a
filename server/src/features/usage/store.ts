import type { Channel } from '../../channels/contract.ts';
import { type Sql, statement } from '../../db/sql.ts';

/** Batches that commit at the same time rarely meet on one of so many rows. */
const shards = 16;

export interface Count {
  organizationId: string;
  /** First day of the calendar month (UTC), as YYYY-MM-DD. */
  month: string;
  channel: Channel;
  sends: number;
}

const add = statement(
  'usage_add',
  `insert into usage_counters as counter (organization_id, month, channel, shard, sends)
   select organization_id, month, channel, $2, sends
   from json_to_recordset($1::json) as (organization_id uuid, month date, channel text, sends bigint)
   order by organization_id, month, channel -- everyone locks in this order: no deadlocks
   on conflict (organization_id, month, channel, shard) do update set sends = counter.sends + excluded.sends`,
);

export async function addCounts(sql: Sql, counts: Count[]): Promise<void> {
  if (counts.length === 0) return;
  const rows = counts.map(({ organizationId, ...count }) => ({ organization_id: organizationId, ...count }));
  await add(sql, [JSON.stringify(rows), Math.floor(Math.random() * shards)]);
}

const lock = statement(
  'usage_lock_organizations',
  'select from organizations where id = any ($1::uuid[]) order by id for no key update',
);

/** Until the transaction ends nobody else decides whether a send of these organizations fits into their plan. */
export async function lockOrganizations(tx: Sql, ids: string[]): Promise<void> {
  await lock(tx, [ids]);
}

const sums = statement<{ organization_id: string; month: string; channel: Channel; sends: number }>(
  'usage_sums',
  `select organization_id, month::text, channel, sum(sends)::float8 as sends
   from usage_counters where organization_id = any ($1::uuid[]) and month = any ($2::date[])
   group by 1, 2, 3`,
);

export async function listCounts(sql: Sql, organizationIds: string[], months: string[]): Promise<Count[]> {
  const rows = await sums(sql, [organizationIds, months]);
  return rows.map(({ organization_id, ...count }) => ({ organizationId: organization_id, ...count }));
}
