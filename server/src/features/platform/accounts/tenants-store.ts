import { query, type Sql, statement } from '../../../db/sql.ts';
import type { Plan } from '../../../http/principal.ts';
import type { Role } from '../../../http/scopes.ts';
import { isUuid } from '../../../kernel/ids.ts';

export interface EnvironmentRow {
  id: string;
  name: string;
  kind: 'test' | 'live';
  created_at: Date;
}

const environments = statement<EnvironmentRow>(
  'accounts_list_environments',
  'select id, name, kind, created_at from environments where organization_id = $1 order by id desc',
);

export function listEnvironments(sql: Sql, organizationId: string): Promise<EnvironmentRow[]> {
  return environments(sql, [organizationId]);
}

const organizationOf = statement<{ organization_id: string }>(
  'accounts_find_organization',
  'select organization_id from environments where id = $1',
);

/** Returns null for anything that is not the id of an environment. */
export async function findOrganizationId(sql: Sql, environmentId: string): Promise<string | null> {
  if (!isUuid(environmentId)) return null;
  return (await organizationOf(sql, [environmentId]))[0]?.organization_id ?? null;
}

interface MembershipRow extends EnvironmentRow {
  organization_id: string;
  organization_name: string;
  role: Role;
}

const memberships = statement<MembershipRow>(
  'accounts_list_memberships',
  `select o.id as organization_id, o.name as organization_name, m.role, e.id, e.name, e.kind, e.created_at
   from memberships m
   join organizations o on o.id = m.organization_id
   join environments e on e.organization_id = o.id
   where m.user_id = $1
     and not exists (select from organization_moves v where v.organization_id = o.id and v.state <> 'leaving')
   order by o.id, e.id`,
);

/** Returns one row for each environment that the person can work in here, by organization. */
export function listMemberships(sql: Sql, userId: string): Promise<MembershipRow[]> {
  return memberships(sql, [userId]);
}

const organizationIds = statement<{ organization_id: string }>(
  'accounts_list_organization_ids',
  `select organization_id from memberships m where user_id = $1
     and not exists (select from organization_moves v where v.organization_id = m.organization_id)`,
);

/** Without organizations that are moving: nothing can be written there. */
export async function listOrganizationIds(sql: Sql, userId: string): Promise<string[]> {
  return (await organizationIds(sql, [userId])).map((row) => row.organization_id);
}

const lockPerson = statement('accounts_lock_user', 'select from users where id = $1 for no key update');

/** Held until the transaction ends. */
export async function lockUser(sql: Sql, id: string): Promise<void> {
  await lockPerson(sql, [id]);
}

const lockKey = 0x0ca7_1b00; // any constant: its holder creates the first organization, the others wait and find it

/** Held until the transaction ends. */
export async function lockFirstStart(sql: Sql): Promise<void> {
  await query(sql, 'select pg_advisory_xact_lock($1)', [lockKey]);
}

export async function hasOrganization(sql: Sql): Promise<boolean> {
  const rows = await query(sql, 'select 1 from organizations limit 1');
  return rows.length > 0;
}

export async function listEveryOrganizationId(sql: Sql): Promise<string[]> {
  const rows = await query<{ id: string }>(sql, 'select id from organizations order by id');
  return rows.map(({ id }) => id);
}

export async function insertOrganization(
  sql: Sql,
  row: { id: string; name: string; plan: Plan; planOwnerId: string },
): Promise<void> {
  await query(sql, 'insert into organizations (id, name, plan, plan_owner_id) values ($1, $2, $3, $4)', [
    row.id,
    row.name,
    row.plan,
    row.planOwnerId,
  ]);
}

export async function insertEnvironment(
  sql: Sql,
  row: { id: string; organizationId: string; kind: 'test' | 'live'; name: string },
): Promise<void> {
  await query(sql, 'insert into environments (id, organization_id, kind, name) values ($1, $2, $3, $4)', [
    row.id,
    row.organizationId,
    row.kind,
    row.name,
  ]);
}

export async function insertMembership(
  sql: Sql,
  row: { organizationId: string; userId: string; role: Role },
): Promise<void> {
  await query(sql, 'insert into memberships (organization_id, user_id, role) values ($1, $2, $3)', [
    row.organizationId,
    row.userId,
    row.role,
  ]);
}
