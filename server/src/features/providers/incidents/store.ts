import { type Pool, type Sql, statement } from '../../../db/sql.ts';

interface IncidentUpdate {
  id: string;
  message: string;
}

export interface IncidentRow {
  id: string;
  title: string;
  /** The failing provider: `managed` or a kind of provider; null when the operator opened the incident. */
  provider: string | null;
  resolved_at: Date | null;
  /** Newest first. */
  updates: IncidentUpdate[];
}

/** Limits of the status page: incidents in each list, and updates of each incident. */
export const shown = { active: 20, recent: 20, recentDays: 14, updates: 20 } as const;
const keptDays = 90;

const columns = `i.id, i.title, i.provider, i.resolved_at, coalesce((
  select json_agg(u order by u.id desc) from (
    select id, message from incident_updates where incident_id = i.id order by id desc limit ${shown.updates}
  ) u), '[]') as updates`;

const selectShown = statement<IncidentRow>(
  'incidents_list_shown',
  `(select ${columns} from incidents i where resolved_at is null order by id desc limit ${shown.active})
   union all
   (select ${columns} from incidents i where resolved_at > now() - interval '${shown.recentDays} days'
    order by resolved_at desc, id desc limit ${shown.recent})`,
);

/** Active incidents, newest first, then recently resolved ones, the last resolved first. */
export function listShown(sql: Sql): Promise<IncidentRow[]> {
  return selectShown(sql);
}

const selectActive = statement<IncidentRow>(
  'incidents_list_active',
  `select ${columns} from incidents i where resolved_at is null order by id desc`,
);

export function listActive(sql: Sql): Promise<IncidentRow[]> {
  return selectActive(sql);
}

const insertRow = statement<{ id: string }>(
  'incidents_insert',
  `with made as (
     insert into incidents (id, title, provider) values ($1, $2, $3) on conflict do nothing returning id
   ), noted as (
     insert into incident_updates (id, incident_id, message) select $4, id, $5 from made
   )
   select id from made`,
);

/** Resolves to false when this provider already has an active incident. */
export async function insertIncident(
  sql: Sql,
  incident: { id: string; title: string; provider: string | null; update: IncidentUpdate },
): Promise<boolean> {
  const { id, title, provider, update } = incident;
  return (await insertRow(sql, [id, title, provider, update.id, update.message])).length > 0;
}

const insertUpdateRow = statement<{ title: string }>(
  'incidents_insert_update',
  `with found as (
     update incidents set resolved_at = case when $4 then now() end
     where id = $1 and resolved_at is null returning id, title
   ), noted as (
     insert into incident_updates (id, incident_id, message) select $2, id, $3 from found
   )
   select title from found`,
);

/** Adds an update to an active incident, and ends it if `resolve` is true. Returns its title; null when none is active. */
export async function updateIncident(
  sql: Sql,
  id: string,
  update: IncidentUpdate,
  resolve: boolean,
): Promise<string | null> {
  return (await insertUpdateRow(sql, [id, update.id, update.message, resolve]))[0]?.title ?? null;
}

const selectProviders = statement<{ provider: string; active_id: string | null; resolved_at: Date | null }>(
  'incidents_list_providers',
  // The newest incident of each provider shows whether one is active, or when the last one ended.
  `select distinct on (provider) provider, case when resolved_at is null then id end as active_id, resolved_at
   from incidents where provider is not null order by provider, id desc`,
);

/** The last incident of every provider that had one. */
export function listByProvider(
  sql: Sql,
): Promise<{ provider: string; active_id: string | null; resolved_at: Date | null }[]> {
  return selectProviders(sql);
}

/** Until the transaction ends, no other one can open or resolve an incident; the status page stays readable. */
export async function lockIncidents(tx: Sql): Promise<void> {
  await lockTable(tx);
}

const lockTable = statement('incidents_lock', 'lock table incidents in share row exclusive mode');

const removeOld = statement(
  'incidents_delete_old',
  `delete from incidents where resolved_at < now() - interval '${keptDays} days'`,
);

export async function tidyIncidents({ pool }: { pool: Pool }): Promise<void> {
  await removeOld(pool);
}
