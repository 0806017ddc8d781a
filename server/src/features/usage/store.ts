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

/** Adds the sends of `source` (organization_id, month, channel) to the counters. */
export function countSendsSql(source: string): string {
  return `
   insert into usage_counters as counter (organization_id, month, channel, shard, sends)
   select organization_id, month, channel, (random() * ${shards - 1})::smallint, count(*) from ${source}
   group by organization_id, month, channel
   order by organization_id, month, channel -- everyone locks in this order: no deadlocks
   on conflict (organization_id, month, channel, shard) do update set sends = counter.sends + excluded.sends`;
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
