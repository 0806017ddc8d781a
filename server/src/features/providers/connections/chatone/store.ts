import { query, type Sql, statement } from '../../../../db/sql.ts';
import type { PageRequest } from '../../../../kernel/page.ts';
import type { ConnectionHealthRow } from '../../provider-health/index.ts';

export interface InstallationRow extends ConnectionHealthRow {
  id: string;
  environment_id: string;
  team_id: string;
  team_name: string;
  bot_user_id: string;
  app_id: string | null;
  scopes: string[];
  auto_join_public_channels: boolean;
  is_sandbox: boolean;
  token_sealed: string;
  token_hash: Buffer;
  token_expires_at: Date | null;
  refresh_sealed: string | null;
  installed_at: Date;
  installed_by_user_id: string;
  revision: number;
}

const columns = `id, environment_id, team_id, team_name, bot_user_id, app_id, scopes, auto_join_public_channels, is_sandbox,
  token_sealed, token_hash, token_expires_at, refresh_sealed, installed_at, installed_by_user_id, revision, status,
  last_success_at, last_failure_at, last_failure_reason`;

const insert = statement(
  'connections_insert_installation',
  `insert into chatone_installations (id, environment_id, team_id, team_name, bot_user_id, app_id, scopes, is_sandbox,
     token_sealed, token_hash, token_expires_at, refresh_sealed, installed_at, installed_by_user_id)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
);

export async function insertInstallation(sql: Sql, row: InstallationRow): Promise<void> {
  await insert(sql, [row.id, row.environment_id, row.team_id, ...grantedValues(row)]);
}

/** What each installation of a team brings. */
function grantedValues(row: InstallationRow): unknown[] {
  const { team_name, bot_user_id, app_id, scopes, is_sandbox, installed_at, installed_by_user_id } = row;
  const { token_sealed, token_hash, token_expires_at, refresh_sealed } = row;
  return [
    ...[team_name, bot_user_id, app_id, scopes, is_sandbox],
    ...[token_sealed, token_hash, token_expires_at, refresh_sealed, installed_at, installed_by_user_id],
  ];
}

const renew = statement(
  'connections_update_installation',
  `update chatone_installations set team_name = $2, bot_user_id = $3, app_id = $4, scopes = $5, is_sandbox = $6,
     token_sealed = $7, token_hash = $8, token_expires_at = $9, refresh_sealed = $10, refreshing_until = null,
     installed_at = $11, installed_by_user_id = $12, revision = $13, status = $14
   where id = $1`,
);

/** Stores everything that a new installation of the same team brings. */
export async function updateInstallation(sql: Sql, row: InstallationRow): Promise<void> {
  await renew(sql, [row.id, ...grantedValues(row), row.revision, row.status]);
}

const changeAutoJoin = statement(
  'connections_update_auto_join',
  'update chatone_installations set auto_join_public_channels = $2 where id = $1',
);

export async function updateAutoJoin(sql: Sql, id: string, autoJoin: boolean): Promise<void> {
  await changeAutoJoin(sql, [id, autoJoin]);
}

const lockTeam = statement<InstallationRow>(
  'connections_lock_team',
  `select ${columns} from chatone_installations where environment_id = $1 and team_id = $2 for update`,
);
const lockEnvironment = statement(
  'connections_lock_installing',
  `select pg_advisory_xact_lock(hashtextextended('chatone_installations:' || $1::text, 0))`,
);

/** Installations into one environment are serialized: a second one of a team replaces the first. */
export async function lockInstallationOfTeam(
  tx: Sql,
  environmentId: string,
  teamId: string,
): Promise<InstallationRow | null> {
  await lockEnvironment(tx, [environmentId]);
  return (await lockTeam(tx, [environmentId, teamId]))[0] ?? null;
}

const selectOne = statement<InstallationRow>(
  'connections_find_installation',
  `select ${columns} from chatone_installations where id = $1 and environment_id = $2`,
);

export async function findInstallation(
  sql: Sql,
  environmentId: string,
  id: string,
): Promise<InstallationRow | null> {
  return (await selectOne(sql, [id, environmentId]))[0] ?? null;
}

const selectForUpdate = statement<InstallationRow>(
  'connections_lock_installation',
  `select ${columns} from chatone_installations where id = $1 and environment_id = $2 for update`,
);

export async function lockInstallation(
  sql: Sql,
  environmentId: string,
  id: string,
): Promise<InstallationRow | null> {
  return (await selectForUpdate(sql, [id, environmentId]))[0] ?? null;
}

export function listInstallations(
  sql: Sql,
  environmentId: string,
  page: PageRequest,
): Promise<InstallationRow[]> {
  return query<InstallationRow>(
    sql,
    `select ${columns} from chatone_installations where environment_id = $1 ${page.before ? 'and id < $3' : ''}
     order by id desc limit $2`,
    [environmentId, page.limit + 1, ...(page.before ? [page.before] : [])],
  );
}

const selectMany = statement<InstallationRow>(
  'connections_list_installations_by_id',
  `select ${columns} from chatone_installations where id = any ($1::uuid[])`,
);

/** For the worker, across environments. */
export function listInstallationsById(sql: Sql, ids: string[]): Promise<InstallationRow[]> {
  return selectMany(sql, [ids]);
}

/** An installation as a send names it; null means the newest. */
export interface NamedInstallation {
  environment_id: string;
  name: string | null;
}

const selectNamed = statement<{ position: number; id: string }>(
  'connections_list_named_installations',
  `select w.position, i.id
   from json_to_recordset($1::json) as w (position int, environment_id uuid, name text)
   cross join lateral (
     select id from chatone_installations c
     where c.environment_id = w.environment_id and (w.name is null or c.team_id = w.name or c.id::text = lower(w.name))
     order by c.installed_at desc, c.id desc limit 1) i`,
);

/** Returns one id, or null, for each. */
export async function listNamedInstallations(
  sql: Sql,
  wanted: NamedInstallation[],
): Promise<(string | null)[]> {
  const rows = await selectNamed(sql, [
    JSON.stringify(wanted.map((entry, position) => ({ ...entry, position }))),
  ]);
  const found = new Map(rows.map(({ position, id }) => [position, id]));
  return wanted.map((_entry, position) => found.get(position) ?? null);
}

const remove = statement(
  'connections_delete_installation',
  'delete from chatone_installations where id = $1',
);

export async function deleteInstallation(sql: Sql, id: string): Promise<void> {
  await remove(sql, [id]);
}

const countSharing = statement<{ count: number }>(
  'connections_count_token',
  'select count(*)::int as count from chatone_installations where token_hash = $1 and id <> $2',
);

/** Whether another installation, in any environment, uses the same token. */
export async function isTokenShared(sql: Sql, { token_hash, id }: InstallationRow): Promise<boolean> {
  return ((await countSharing(sql, [token_hash, id]))[0]?.count ?? 0) > 0;
}

const claimRefresh = statement<InstallationRow>(
  'connections_claim_refresh',
  `update chatone_installations set refreshing_until = now() + interval '30 seconds'
   where id = $1 and revision = $2 and refresh_sealed is not null and (refreshing_until is null or refreshing_until < now())
   returning ${columns}`,
);

/**
 * Claims the right to renew the token: a refresh token works once. Resolves to null when another process is renewing it, or has
 * renewed it.
 */
export async function claimTokenRefresh(
  sql: Sql,
  { id, revision }: Pick<InstallationRow, 'id' | 'revision'>,
): Promise<InstallationRow | null> {
  return (await claimRefresh(sql, [id, revision]))[0] ?? null;
}

const storeRefreshed = statement(
  'connections_mark_refreshed',
  `update chatone_installations set token_sealed = $3, token_hash = $4, token_expires_at = $5, refresh_sealed = $6,
     refreshing_until = null, revision = revision + 1
   where id = $1 and revision = $2`,
);

export async function markTokenRefreshed(sql: Sql, row: InstallationRow): Promise<void> {
  const { id, revision, token_sealed, token_hash, token_expires_at, refresh_sealed } = row;
  await storeRefreshed(sql, [id, revision, token_sealed, token_hash, token_expires_at, refresh_sealed]);
}

/** The installations that an event of the service invalidates. */
export interface LostTeam {
  teamId: string;
  appId: string;
  /** Null means all bot users. */
  botUserIds: string[] | null;
  /** Installations made after this time are not affected. */
  happenedAt: Date;
  reason: string;
}

const markGone = statement<{ id: string; environment_id: string; organization_id: string }>(
  'connections_mark_team_gone',
  `update chatone_installations i set status = 'gone', last_failure_at = now(), last_failure_reason = $5
   from environments e
   where e.id = i.environment_id and i.team_id = $1 and i.app_id = $2 and i.status <> 'gone'
     and ($3::text[] is null or i.bot_user_id = any ($3::text[])) and i.installed_at <= $4
   returning i.id, i.environment_id, e.organization_id`,
);

export function markTeamGone(sql: Sql, lost: LostTeam) {
  return markGone(sql, [lost.teamId, lost.appId, lost.botUserIds, lost.happenedAt, lost.reason]);
}

const insertState = statement(
  'connections_insert_oauth_state',
  `with old as (delete from chatone_oauth_states where expires_at < now())
   insert into chatone_oauth_states (id, expires_at) values ($1, $2)`,
);

export async function insertOAuthState(sql: Sql, id: string, expiresAt: Date): Promise<void> {
  await insertState(sql, [id, expiresAt]);
}

const takeState = statement<{ id: string }>(
  'connections_take_oauth_state',
  'delete from chatone_oauth_states where id = $1 and expires_at > now() returning id',
);

/** Resolves to true once, before the state expires. */
export async function takeOAuthState(sql: Sql, id: string): Promise<boolean> {
  return (await takeState(sql, [id])).length === 1;
}
