import { type Sql, statement } from '../../../db/sql.ts';
import type { Role } from '../../../http/scopes.ts';
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
