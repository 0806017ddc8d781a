import { type Sql, statement } from '../../../db/sql.ts';
import { bucketMs, type Sums, windowMs } from './health.ts';

/** A provider of an environment, by its stored id; the operator's relay has the id `managed`. */
export interface ProviderKey {
  environment_id: string;
  provider: string;
}

export interface HealthCount extends ProviderKey {
  name: string;
  messages: number;
  failed: number;
}

const shards = 4;

const addCounts = statement(
  'providers_add_counts',
  `insert into provider_health_counts as c (environment_id, provider, bucket, shard, name, messages, failed)
   select environment_id, provider, to_timestamp(floor(extract(epoch from now()) * 1000 / ${bucketMs}) * ${bucketMs} / 1000), $2,
     max(name), sum(messages), sum(failed)
   from json_to_recordset($1::json) as (environment_id uuid, provider text, name text, messages int, failed int)
   group by 1, 2
   order by 1, 2 -- everyone locks in this order: no deadlocks
   on conflict (environment_id, provider, bucket, shard) do update
     set name = excluded.name, messages = c.messages + excluded.messages, failed = c.failed + excluded.failed`,
);

/** Writers rarely conflict on the same row. */
export async function insertCounts(sql: Sql, counts: HealthCount[]): Promise<void> {
  const changed = counts.filter(({ messages, failed }) => messages !== 0 || failed !== 0);
  if (changed.length > 0) await addCounts(sql, [JSON.stringify(changed), Math.floor(Math.random() * shards)]);
}

export interface HealthRow extends ProviderKey, Sums {
  /** Null when the provider has no calls in the window. */
  name: string | null;
  outage_id: string | null;
  firing_since: Date | null;
  demoted_since: Date | null;
}

const inWindow = `bucket > now() - interval '${windowMs} milliseconds'`;
const summed = `environment_id, provider, max(c.name) as name, h.outage_id, h.firing_since, h.demoted_since,
  greatest(coalesce(sum(c.messages), 0), 0)::int as messages,
  greatest(coalesce(sum(c.failed), 0), 0)::int as failed,
  greatest(coalesce(sum(c.messages) filter (where c.bucket > h.restored_at or h.restored_at is null), 0), 0)::int as messages_since,
  greatest(coalesce(sum(c.failed) filter (where c.bucket > h.restored_at or h.restored_at is null), 0), 0)::int as failed_since`;
const grouped = 'group by environment_id, provider, h.outage_id, h.firing_since, h.demoted_since';

const selectTouched = statement<HealthRow>(
  'providers_list_health_touched',
  `select ${summed}
   from (select c.* from json_to_recordset($1::json) as i (environment_id uuid, provider text)
         join provider_health_counts c using (environment_id, provider) where ${inWindow}) c
   left join provider_health h using (environment_id, provider) ${grouped}`,
);
const selectAll = statement<HealthRow>(
  'providers_list_health',
  `select ${summed} from (select * from provider_health_counts where ${inWindow}) c
   left join provider_health h using (environment_id, provider) ${grouped}`,
);

/** Reads the health of the given providers, or of all providers with calls in the window. */
export function listHealth(sql: Sql, touched: ProviderKey[] | 'all'): Promise<HealthRow[]> {
  return touched === 'all' ? selectAll(sql) : selectTouched(sql, [JSON.stringify(touched)]);
}

/** The statement as text, for queries that select more than the health. */
export const healthOfSql = `select ${summed}
   from (select * from provider_health_counts where environment_id = $1 and ${inWindow}) c
   full join (select * from provider_health where environment_id = $1) h using (environment_id, provider) ${grouped}`;
const selectOfEnvironment = statement<HealthRow>('providers_list_health_of', healthOfSql);

export function listHealthOf(sql: Sql, environmentId: string): Promise<HealthRow[]> {
  return selectOfEnvironment(sql, [environmentId]);
}

const insertState = statement(
  'providers_insert_health',
  'insert into provider_health (environment_id, provider) values ($1, $2) on conflict do nothing',
);
const lockState = statement(
  'providers_lock_health',
  'select from provider_health where environment_id = $1 and provider = $2 for update',
);

/** The lock lasts until the transaction ends, so only one process judges the provider at a time. */
export async function lockHealth(tx: Sql, key: ProviderKey): Promise<HealthRow | null> {
  const values = [key.environment_id, key.provider];
  await insertState(tx, values);
  await lockState(tx, values);
  return (await selectTouched(tx, [JSON.stringify([key])]))[0] ?? null;
}

const updateState = statement<{ firing_since: Date | null }>(
  'providers_update_health',
  `update provider_health set
     outage_id = case when $4 then null else coalesce($3, outage_id) end,
     firing_since = case when $4 then null when $3::uuid is not null then now() else firing_since end,
     demoted_since = case when $5 then now() else demoted_since end,
     probe_at = case when $5 then now() + make_interval(secs => $6::float8 / 1000) else probe_at end
   where environment_id = $1 and provider = $2
   returning firing_since`,
);

/** Returns when the current outage began, or null when there is none. */
export async function updateHealth(
  tx: Sql,
  { environment_id, provider }: ProviderKey,
  change: { outageId: string | null; recover: boolean; demote: boolean; probeMs: number },
): Promise<Date | null> {
  const { outageId, recover, demote, probeMs } = change;
  const [row] = await updateState(tx, [environment_id, provider, outageId, recover, demote, probeMs]);
  return row?.firing_since ?? null;
}

const demote = statement(
  'providers_demote',
  // A call that began before the provider last succeeded is outdated and does not demote it.
  `insert into provider_health as h (environment_id, provider, demoted_since, probe_at)
   values ($1, $2, now(), now() + make_interval(secs => $4::float8 / 1000))
   on conflict (environment_id, provider) do update set demoted_since = excluded.demoted_since, probe_at = excluded.probe_at
   where h.demoted_since is null and h.restored_at < now() - make_interval(secs => $3::float8 / 1000)`,
);

export async function markDemoted(
  sql: Sql,
  { environment_id, provider }: ProviderKey,
  callMs: number,
  probeMs: number,
): Promise<void> {
  await demote(sql, [environment_id, provider, callMs, probeMs]);
}

const restore = statement(
  'providers_restore',
  `update provider_health set demoted_since = null, restored_at = now()
   where environment_id = $1 and provider = $2 and demoted_since < now() - make_interval(secs => $3::float8 / 1000)`,
);

/** Only a call that began during the demotion restores the provider; an earlier one proves nothing. */
export async function markRestored(
  sql: Sql,
  { environment_id, provider }: ProviderKey,
  callMs: number,
): Promise<void> {
  await restore(sql, [environment_id, provider, callMs]);
}

interface DemotedRow extends ProviderKey {
  probe_in_ms: number;
}

const selectDemoted = statement<DemotedRow>(
  'providers_list_demoted',
  `select environment_id, provider, (extract(epoch from probe_at - now()) * 1000)::float8 as probe_in_ms
   from provider_health where environment_id = any ($1::uuid[]) and demoted_since is not null`,
);

export function listDemoted(sql: Sql, environmentIds: string[]): Promise<DemotedRow[]> {
  return selectDemoted(sql, [environmentIds]);
}

const takeProbe = statement<{ provider: string }>(
  'providers_claim_probe',
  `update provider_health set probe_at = now() + make_interval(secs => $3::float8 / 1000)
   where environment_id = $1 and provider = $2 and demoted_since is not null and probe_at <= now()
   returning provider`,
);

/** Returns true for one caller at a time in the whole cluster. */
export async function claimProbe(
  sql: Sql,
  { environment_id, provider }: ProviderKey,
  everyMs: number,
): Promise<boolean> {
  return (await takeProbe(sql, [environment_id, provider, everyMs])).length > 0;
}

const removeHealth = statement(
  'providers_delete_health',
  'delete from provider_health where environment_id = $1 and provider = any ($2::text[])',
);
const removeCounts = statement(
  'providers_delete_counts_of',
  'delete from provider_health_counts where environment_id = $1 and provider = any ($2::text[])',
);
const restoreDemoted = statement(
  'providers_restore_all',
  `update provider_health set demoted_since = null, restored_at = now()
   where environment_id = $1 and provider = any ($2::text[]) and demoted_since is not null`,
);

/** Runs when a chain of providers is saved: deletes the health of removed providers and restores the demoted ones. */
export async function forgetHealth(
  tx: Sql,
  environmentId: string,
  before: string[],
  after: string[],
): Promise<void> {
  const removed = [environmentId, before.filter((id) => !after.includes(id))];
  await removeHealth(tx, removed);
  await removeCounts(tx, removed); // stale counts would start the outage again
  await restoreDemoted(tx, [environmentId, after]);
}

const removeOldCounts = statement(
  'providers_delete_counts',
  `delete from provider_health_counts where bucket < now() - interval '${2 * windowMs} milliseconds'`,
);

export async function deleteOldCounts(sql: Sql): Promise<void> {
  await removeOldCounts(sql);
}

const countOutages = statement<{ count: number }>(
  'providers_count_outages',
  'select count(*)::int as count from provider_health where outage_id is not null',
);

export async function countFiring(sql: Sql): Promise<number> {
  return (await countOutages(sql))[0]?.count ?? 0;
}
