import { query, type Sql, statement } from '../../../db/sql.ts';
import type { Plan, Principal } from '../../../http/principal.ts';
import type { Role } from '../../../http/scopes.ts';
import { isUuid } from '../../../kernel/ids.ts';
import type { PageRequest } from '../../../kernel/page.ts';

export interface MemberRow {
  /** The id of the person. */
  id: string;
  email: string;
  name: string;
  role: Role;
  joined_at: Date;
  last_seen_at: Date | null;
}

const select = `
  select u.id, u.email, u.name, m.role, m.joined_at, m.last_seen_at
  from memberships m join users u on u.id = m.user_id`;

const find = statement<MemberRow>(
  'accounts_find_member',
  `${select} where m.organization_id = $1 and m.user_id = $2`,
);

export async function findMember(
  sql: Sql,
  organizationId: string,
  userId: string,
): Promise<MemberRow | null> {
  return (await find(sql, [organizationId, userId]))[0] ?? null;
}

const findByEmail = statement<MemberRow>(
  'accounts_find_member_by_email',
  `${select} where m.organization_id = $1 and u.email = $2`,
);

export async function findMemberByEmail(
  sql: Sql,
  organizationId: string,
  email: string,
): Promise<MemberRow | null> {
  return (await findByEmail(sql, [organizationId, email]))[0] ?? null;
}

const list = statement<MemberRow>(
  'accounts_list_members',
  `${select} where m.organization_id = $1 and ($2::uuid is null or m.user_id < $2)
   order by m.user_id desc
   limit $3`,
);

/** Returns up to `limit + 1`, newest people first. */
export function listMembers(sql: Sql, organizationId: string, page: PageRequest): Promise<MemberRow[]> {
  return list(sql, [organizationId, page.before, page.limit + 1]);
}

// The lock is not `for update`, so that inserts which refer to the organization need not wait.
const lock = statement(
  'accounts_lock_organization',
  'select from organizations where id = $1 for no key update',
);

/** Blocks other changes of the team until the transaction ends. */
export async function lockOrganization(sql: Sql, id: string): Promise<void> {
  await lock(sql, [id]);
}

const hasOthers = statement(
  'accounts_find_other_owner',
  `select from memberships where organization_id = $1 and user_id <> $2 and role = 'owner' limit 1`,
);

export async function hasOtherOwner(sql: Sql, organizationId: string, userId: string): Promise<boolean> {
  return (await hasOthers(sql, [organizationId, userId])).length > 0;
}

const setRole = statement(
  'accounts_update_role',
  'update memberships set role = $3 where organization_id = $1 and user_id = $2',
);

export async function updateRole(
  sql: Sql,
  organizationId: string,
  userId: string,
  role: Role,
): Promise<void> {
  await setRole(sql, [organizationId, userId, role]);
}

const remove = statement(
  'accounts_delete_membership',
  'delete from memberships where organization_id = $1 and user_id = $2',
);

export async function deleteMembership(sql: Sql, organizationId: string, userId: string): Promise<void> {
  await remove(sql, [organizationId, userId]);
}

const handOverPlan = statement(
  'accounts_update_plan_owner',
  `update organizations set plan_owner_id = (
     select user_id from memberships where organization_id = $1 and role = 'owner' order by joined_at, user_id limit 1)
   where id = $1 and plan_owner_id = $2`,
);

/** Moves the plan of an organization to a remaining owner when it belonged to a person who is no longer one. */
export async function updatePlanOwner(sql: Sql, organizationId: string, formerId: string): Promise<void> {
  await handOverPlan(sql, [organizationId, formerId]);
}

const rename = statement(
  'accounts_update_organization_name',
  `update organizations o set name = $2
   from (select id, name from organizations where id = $1) former
   where o.id = former.id
   returning former.name`,
);

/** Returns the former name. */
export async function updateOrganizationName(sql: Sql, id: string, name: string): Promise<string> {
  const [row] = await rename(sql, [id, name]);
  if (!row) throw new Error('the organization of a membership is gone');
  return row.name;
}

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

const findSenderOf = statement<Pick<Principal, 'environmentKind' | 'organizationId' | 'plan'>>(
  'accounts_find_sender',
  `select e.kind as "environmentKind", e.organization_id as "organizationId", o.plan
   from environments e join organizations o on o.id = e.organization_id where e.id = $1`,
);

/** The environment as jobs send for it: what a principal says of it, without a key or a person. */
export async function findSender(
  sql: Sql,
  environmentId: string,
): Promise<Pick<Principal, 'environmentId' | 'environmentKind' | 'organizationId' | 'plan'> | null> {
  const [row] = await findSenderOf(sql, [environmentId]);
  return row ? { environmentId, ...row } : null;
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

/** The lock lasts until the transaction ends. */
export async function lockUser(sql: Sql, id: string): Promise<void> {
  await lockPerson(sql, [id]);
}

const lockKey = 0x0ca7_1b00; // any constant: its holder creates the first organization, the others wait and find it

/** The lock lasts until the transaction ends. */
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
