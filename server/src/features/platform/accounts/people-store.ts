import { type Pool, query, type Sql, statement } from '../../../db/sql.ts';
import type { Plan } from '../../../http/principal.ts';
import type { OrganizationMove } from '../../../http/problem.ts';
import type { Role } from '../../../http/scopes.ts';
import type { PageRequest } from '../../../kernel/page.ts';

export interface AccountRow {
  id: string;
  name: string;
  password_hash: string;
}

const findUser = statement<AccountRow>(
  'accounts_find_user',
  'select id, name, password_hash from users where email = $1',
);

export async function findUserByEmail(sql: Sql, email: string): Promise<AccountRow | undefined> {
  const [row] = await findUser(sql, [email]);
  return row;
}

const insert = statement<{ id: string }>(
  'accounts_insert_user',
  `insert into users (id, email, name, password_hash) values ($1, $2, $3, $4)
   on conflict (email) do nothing
   returning id`,
);

/** Resolves to false when the email already has an account. */
export async function insertUser(sql: Sql, row: AccountRow & { email: string }): Promise<boolean> {
  return (await insert(sql, [row.id, row.email, row.name, row.password_hash])).length > 0;
}

const rename = statement('accounts_update_user_name', 'update users set name = $2 where id = $1');

export async function updateUserName(sql: Sql, id: string, name: string): Promise<void> {
  await rename(sql, [id, name]);
}

const setPassword = statement<{ id: string }>(
  'accounts_update_password',
  'update users set password_hash = $3 where id = $1 and password_hash = $2 returning id',
);

/** Resolves to false when the password was changed since it was read. */
export async function updatePassword(
  sql: Sql,
  id: string,
  hash: { before: string; after: string },
): Promise<boolean> {
  return (await setPassword(sql, [id, hash.before, hash.after])).length > 0;
}

const overwritePassword = statement(
  'accounts_replace_password',
  'update users set password_hash = $2 where id = $1',
);

/** Replaces the password unconditionally. */
export async function replacePassword(sql: Sql, id: string, hash: string): Promise<void> {
  await overwritePassword(sql, [id, hash]);
}

interface PersonRow {
  email: string;
  name: string;
  /** Each entry reads like `owner of Acme`. */
  memberships: string[];
}

/** Lists all people, oldest first. */
export function listPeople(sql: Sql): Promise<PersonRow[]> {
  return query<PersonRow>(
    sql,
    `select u.email, u.name,
            array_remove(array_agg(m.role || ' of ' || o.name order by o.id), null) as memberships
     from users u
     left join memberships m on m.user_id = u.id
     left join organizations o on o.id = m.organization_id
     group by u.id
     order by u.id`,
  );
}

const insertRow = statement<{ id: string }>(
  'accounts_insert_session',
  `with person as (select id from users where id = $3 and password_hash = $4 for share)
   insert into sessions (id, token_hash, user_id, expires_at)
   select $1, $2, person.id, $5 from person
   returning id`,
);

interface NewSession {
  id: string;
  tokenHash: Buffer;
  userId: string;
  /** The hash that the password was checked against. */
  passwordHash: string;
  expiresAt: Date;
}

/**
 * Resolves to false when the password was changed in the meantime. The lock makes a change wait for this insert, and then end
 * this session too.
 */
export async function insertSession(sql: Sql, session: NewSession): Promise<boolean> {
  const { id, tokenHash, userId, passwordHash, expiresAt } = session;
  return (await insertRow(sql, [id, tokenHash, userId, passwordHash, expiresAt])).length > 0;
}

const remove = statement<{ id: string }>(
  'accounts_delete_session',
  'delete from sessions where user_id = $1 and id = $2 returning id',
);

/** Resolves to false when the person has no such session. */
export async function deleteSession(sql: Sql, userId: string, id: string): Promise<boolean> {
  return (await remove(sql, [userId, id])).length > 0;
}

const removeOthers = statement(
  'accounts_delete_other_sessions',
  'delete from sessions where user_id = $1 and id is distinct from $2',
);

/** Deletes all sessions when `keptId` is null. */
export async function deleteOtherSessions(sql: Sql, userId: string, keptId: string | null): Promise<void> {
  await removeOthers(sql, [userId, keptId]);
}

export interface OwnSessionRow {
  id: string;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
}

/** A session ends at its expiry, or when it has not been used for too long. */
export function sessionEnd(
  { expires_at, last_seen_at }: Pick<OwnSessionRow, 'expires_at' | 'last_seen_at'>,
  idleMs: number,
): Date {
  return new Date(Math.min(expires_at.getTime(), last_seen_at.getTime() + idleMs));
}

const listOwn = statement<OwnSessionRow>(
  'accounts_list_sessions',
  `select id, created_at, last_seen_at, expires_at from sessions
   where user_id = $1 and expires_at > $2 and last_seen_at > $3 and ($4::uuid is null or id < $4)
   order by id desc
   limit $5`,
);

/** Returns up to `limit + 1` that have not ended, newest first. */
export function listSessions(
  sql: Sql,
  userId: string,
  { now, idleMs }: { now: number; idleMs: number },
  page: PageRequest,
): Promise<OwnSessionRow[]> {
  return listOwn(sql, [userId, new Date(now), new Date(now - idleMs), page.before, page.limit + 1]);
}

const see = statement(
  'accounts_mark_session_seen',
  `with seen as (
     update sessions set last_seen_at = greatest(last_seen_at, now()) where token_hash = $1 returning user_id)
   update memberships set last_seen_at = now()
   from seen where memberships.user_id = seen.user_id and memberships.organization_id = $2`,
);

/** Marks the use of the session, and of the membership in the organization that was viewed, if any. */
export async function markSessionSeen(
  sql: Sql,
  tokenHash: Buffer,
  organizationId: string | null,
): Promise<void> {
  await see(sql, [tokenHash, organizationId]);
}

export interface SessionRow {
  id: string;
  user_id: string;
  email: string;
  name: string;
  expires_at: Date;
  last_seen_at: Date;
}

const findByToken = statement<SessionRow>(
  'accounts_find_session',
  `select s.id, s.user_id, u.email, u.name, s.expires_at, s.last_seen_at
   from sessions s join users u on u.id = s.user_id
   where s.token_hash = $1`,
);

export async function findSession(sql: Sql, tokenHash: Buffer): Promise<SessionRow | undefined> {
  const [row] = await findByToken(sql, [tokenHash]);
  return row;
}

interface SessionOnly {
  user_id: string;
  expires_at: Date;
  last_seen_at: Date;
}

export type SessionIdentity = SessionOnly &
  (
    | { environment_id: null }
    | {
        environment_id: string;
        environment_kind: 'test' | 'live';
        organization_id: string;
        plan: Plan;
        role: Role;
        move: OrganizationMove['state'] | null;
        moved_to: string | null;
      }
  );

// The default without a wanted environment is the Test environment of the person's first organization, one that is not moving if there is one.
const findIdentity = statement<SessionIdentity>(
  'accounts_find_session_identity',
  `select s.user_id, s.expires_at, s.last_seen_at, e.id as environment_id, e.kind as environment_kind, e.organization_id,
     o.plan, m.role, move.state as move, move.moved_to
   from sessions s
   left join (
     memberships m
     join environments e on e.organization_id = m.organization_id
     join organizations o on o.id = m.organization_id
     left join organization_moves move on move.organization_id = m.organization_id
   ) on m.user_id = s.user_id and ($2::uuid is null or e.id = $2)
   where s.token_hash = $1
   order by move.state is not null, e.organization_id, e.kind = 'test' desc, e.id
   limit 1`,
);

/** The session's person in the wanted environment; `environment_id` is null when the person has no access to it. */
export async function findSessionIdentity(
  sql: Sql,
  tokenHash: Buffer,
  environmentId: string | null,
): Promise<SessionIdentity | undefined> {
  const [row] = await findIdentity(sql, [tokenHash, environmentId]);
  return row;
}

const deleteOldSessions = statement(
  'accounts_delete_old_sessions',
  'delete from sessions where expires_at < now()',
);
const deleteOldFailures = statement(
  'accounts_delete_old_login_failures',
  'delete from login_failures where window_ends_at < now()',
);

const deleteOldInvitations = statement(
  'accounts_delete_old_invitations',
  'delete from invitations where expires_at < now()',
);

/** Deletes expired sessions, invitations, and failure counts whose window has ended. */
export async function tidySessions({ pool }: { pool: Pool }): Promise<void> {
  await deleteOldSessions(pool);
  await deleteOldFailures(pool);
  await deleteOldInvitations(pool);
}
