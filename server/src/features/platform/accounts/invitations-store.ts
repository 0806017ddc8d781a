import { type Sql, statement } from '../../../db/sql.ts';
import type { Role } from '../../../http/scopes.ts';
import type { PageRequest } from '../../../kernel/page.ts';

export interface InvitationRow {
  id: string;
  organization_id: string;
  email: string;
  role: Role;
  invited_by_user_id: string;
  expires_at: Date;
}

const columns = 'id, organization_id, email, role, invited_by_user_id, expires_at';

const list = statement<InvitationRow>(
  'accounts_list_invitations',
  `select ${columns} from invitations
   where organization_id = $1 and expires_at > $2 and ($3::uuid is null or id < $3)
   order by id desc
   limit $4`,
);

/** Returns up to `limit + 1` that have not expired, newest first. */
export function listInvitations(
  sql: Sql,
  organizationId: string,
  now: Date,
  page: PageRequest,
): Promise<InvitationRow[]> {
  return list(sql, [organizationId, now, page.before, page.limit + 1]);
}

const count = statement<{ open: number }>(
  'accounts_count_invitations',
  'select count(*)::int as open from invitations where organization_id = $1 and expires_at > $2',
);

export async function countInvitations(sql: Sql, organizationId: string, now: Date): Promise<number> {
  return (await count(sql, [organizationId, now]))[0]?.open ?? 0;
}

const insert = statement(
  'accounts_insert_invitation',
  `insert into invitations (${columns}, token_hash) values ($1, $2, $3, $4, $5, $6, $7)`,
);

export async function insertInvitation(sql: Sql, row: InvitationRow, tokenHash: Buffer): Promise<void> {
  const { id, organization_id, email, role, invited_by_user_id, expires_at } = row;
  await insert(sql, [id, organization_id, email, role, invited_by_user_id, expires_at, tokenHash]);
}

const find = statement<InvitationRow>(
  'accounts_find_invitation',
  `select ${columns} from invitations where organization_id = $1 and id = $2`,
);

export async function findInvitation(
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<InvitationRow | null> {
  return (await find(sql, [organizationId, id]))[0] ?? null;
}

const findForEmail = statement<InvitationRow>(
  'accounts_find_invitation_for_email',
  `select ${columns} from invitations where organization_id = $1 and email = $2`,
);

export async function findInvitationFor(
  sql: Sql,
  organizationId: string,
  email: string,
): Promise<InvitationRow | null> {
  return (await findForEmail(sql, [organizationId, email]))[0] ?? null;
}

const findByHash = statement<InvitationRow & { organization_name: string }>(
  'accounts_find_invitation_by_token',
  `select i.*, o.name as organization_name
   from (select ${columns} from invitations where token_hash = $1) i join organizations o on o.id = i.organization_id`,
);

export async function findInvitationByToken(
  sql: Sql,
  tokenHash: Buffer,
): Promise<(InvitationRow & { organization_name: string }) | null> {
  return (await findByHash(sql, [tokenHash]))[0] ?? null;
}

const remove = statement<{ id: string }>(
  'accounts_delete_invitation',
  'delete from invitations where id = $1 returning id',
);

/** Resolves to false when the invitation is already gone. The row lock lets one of several concurrent deletes succeed. */
export async function deleteInvitation(sql: Sql, id: string): Promise<boolean> {
  return (await remove(sql, [id])).length > 0;
}

const removeBy = statement<InvitationRow>(
  'accounts_delete_invitations_by',
  `delete from invitations
   where organization_id = $1 and invited_by_user_id = $2 and not role = any ($3::text[])
   returning ${columns}`,
);

/** Deletes the invitations of an inviter who may no longer grant their roles. */
export function deleteInvitationsBy(
  sql: Sql,
  organizationId: string,
  userId: string,
  stillGrantable: readonly Role[],
): Promise<InvitationRow[]> {
  return removeBy(sql, [organizationId, userId, stillGrantable]);
}
