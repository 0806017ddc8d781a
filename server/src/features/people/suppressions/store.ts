import { likePrefix, query, type Sql, statement } from '../../../db/sql.ts';
import type { PageRequest } from '../../../kernel/page.ts';
import type { SuppressionReason, SuppressionSource } from './schema.ts';

/** `address` is in its normal form everywhere in this file (channels/address-key.ts). */
export interface SuppressionRow {
  id: string;
  environment_id: string;
  address: string;
  reason: SuppressionReason;
  source: SuppressionSource;
  diagnostic_detail: string | null;
  triggering_notification_id: string | null;
}

const columns = 'id, environment_id, address, reason, source, diagnostic_detail, triggering_notification_id';

const insertRows = statement<SuppressionRow>(
  'suppressions_insert',
  `insert into suppressions (${columns})
   select distinct on (environment_id, address) ${columns}
   from json_to_recordset($1::json) as (id uuid, environment_id uuid, address text, reason text, source text,
     diagnostic_detail text, triggering_notification_id uuid)
   order by environment_id, address, id -- everyone locks in this order: no deadlocks
   on conflict (environment_id, address) do nothing
   returning ${columns}`,
);

/** Returns the new entries: an existing entry keeps its first reason. */
export async function insertSuppressions(sql: Sql, rows: SuppressionRow[]): Promise<SuppressionRow[]> {
  return rows.length === 0 ? [] : insertRows(sql, [JSON.stringify(rows)]);
}

const findOne = statement<SuppressionRow>(
  'suppressions_find',
  `select ${columns} from suppressions where environment_id = $1 and address = $2`,
);

export async function findSuppression(
  sql: Sql,
  environmentId: string,
  address: string,
): Promise<SuppressionRow | null> {
  return (await findOne(sql, [environmentId, address]))[0] ?? null;
}

const findMany = statement<SuppressionRow>(
  'suppressions_find_many',
  `select ${columns} from suppressions
   join unnest($1::uuid[], $2::text[]) as wanted (environment_id, address) using (environment_id, address)`,
);

/** Returns the given addresses that are on the list, with one query. */
export function listSuppressed(
  sql: Sql,
  addresses: { environmentId: string; address: string }[],
): Promise<SuppressionRow[]> {
  return findMany(sql, [
    addresses.map(({ environmentId }) => environmentId),
    addresses.map(({ address }) => address),
  ]);
}

const remove = statement<SuppressionRow>(
  'suppressions_delete',
  `delete from suppressions where environment_id = $1 and address = $2 returning ${columns}`,
);

export async function deleteSuppression(
  sql: Sql,
  environmentId: string,
  address: string,
): Promise<SuppressionRow | null> {
  return (await remove(sql, [environmentId, address]))[0] ?? null;
}

/** Returns up to `limit + 1` entries, newest first. */
export function listSuppressions(
  sql: Sql,
  environmentId: string,
  filter: {
    address?: string | undefined;
    /** The beginning of addresses, in lower case. */
    prefix?: string | undefined;
    reason?: SuppressionReason | undefined;
  },
  page: PageRequest,
): Promise<SuppressionRow[]> {
  const values: unknown[] = [environmentId, page.limit + 1];
  const conditions = ['environment_id = $1'];
  const require = (condition: string, value: string | null | undefined) => {
    if (value === undefined || value === null) return;
    values.push(value);
    conditions.push(`${condition} $${values.length}`);
  };
  require('id <', page.before);
  require('address =', filter.address);
  require('address like', filter.prefix && likePrefix(filter.prefix));
  require('reason =', filter.reason);
  return query(
    sql,
    `select ${columns} from suppressions where ${conditions.join(' and ')} order by id desc limit $2`,
    values,
  );
}

const removeUnsubscribed = statement(
  'suppressions_delete_unsubscribed',
  `delete from suppressions s using unnest($1::uuid[], $2::text[]) as back (environment_id, address)
   where s.environment_id = back.environment_id and s.address = back.address and s.reason = 'unsubscribed'`,
);

/** A START revokes only the person's own STOP: an address that bounced or complained stays on the list. */
export async function deleteUnsubscribed(
  sql: Sql,
  addresses: { environmentId: string; address: string }[],
): Promise<void> {
  if (addresses.length === 0) return;
  await removeUnsubscribed(sql, [
    addresses.map(({ environmentId }) => environmentId),
    addresses.map(({ address }) => address),
  ]);
}
