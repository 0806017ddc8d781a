import { type Sql, statement } from '../../db/sql.ts';
import type { Plan } from '../../http/principal.ts';
import type { Role } from '../../http/scopes.ts';

interface UserRow {
  id: string;
  password_hash: string;
}

const findUser = statement<UserRow>(
  'accounts_find_user',
  'select id, password_hash from users where email = $1',
);

export async function findUserByEmail(sql: Sql, email: string): Promise<UserRow | undefined> {
  const [row] = await findUser(sql, [email]);
  return row;
}

const insert = statement(
  'accounts_insert_session',
  'insert into sessions (token_hash, user_id, expires_at) values ($1, $2, $3)',
);

export async function insertSession(
  sql: Sql,
  tokenHash: Buffer,
  userId: string,
  expiresAt: Date,
): Promise<void> {
  await insert(sql, [tokenHash, userId, expiresAt]);
}

const remove = statement('accounts_delete_session', 'delete from sessions where token_hash = $1');

export async function deleteSession(sql: Sql, tokenHash: Buffer): Promise<void> {
  await remove(sql, [tokenHash]);
}

interface SessionRow {
  user_id: string;
  email: string;
  name: string;
  expires_at: Date;
}

const find = statement<SessionRow>(
  'accounts_find_session',
  `select s.user_id, u.email, u.name, s.expires_at
   from sessions s join users u on u.id = s.user_id
   where s.token_hash = $1`,
);

export async function findSession(sql: Sql, tokenHash: Buffer): Promise<SessionRow | undefined> {
  const [row] = await find(sql, [tokenHash]);
  return row;
}

interface SessionOnly {
  user_id: string;
  expires_at: Date;
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
      }
  );

// Without a wanted environment: the Test environment of the person's first organization.
const findIdentity = statement<SessionIdentity>(
  'accounts_find_session_identity',
  `select s.user_id, s.expires_at, e.id as environment_id, e.kind as environment_kind, e.organization_id, o.plan, m.role
   from sessions s
   left join (
     memberships m
     join environments e on e.organization_id = m.organization_id
     join organizations o on o.id = m.organization_id
   ) on m.user_id = s.user_id and ($2::uuid is null or e.id = $2)
   where s.token_hash = $1
   order by e.organization_id, e.kind = 'test' desc, e.id
   limit 1`,
);

/** The session's person in the wanted environment; `environment_id` is null when it is none of theirs. */
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

/** Also counts of failures whose window has ended. */
export async function deleteExpiredSessions(sql: Sql): Promise<void> {
  await deleteOldSessions(sql);
  await deleteOldFailures(sql);
}

const count = statement<{ failures: number; seconds_left: number }>(
  'accounts_count_login_failure',
  `insert into login_failures as known (subject, failures, window_ends_at)
   values ($1, 1, now() + make_interval(secs => $2))
   on conflict (subject) do update set
     failures = case when known.window_ends_at <= now() then 1 else least(known.failures + 1, 1000000) end,
     window_ends_at = case when known.window_ends_at <= now() then excluded.window_ends_at else known.window_ends_at end
   returning failures, ceil(extract(epoch from window_ends_at - now()))::int as seconds_left`,
);

export async function countLoginFailure(
  sql: Sql,
  subject: Buffer,
  windowSeconds: number,
): Promise<{ failures: number; secondsLeft: number }> {
  const [row] = await count(sql, [subject, windowSeconds]);
  if (!row) throw new Error('the count of failures was not returned');
  return { failures: row.failures, secondsLeft: row.seconds_left };
}

const clear = statement('accounts_delete_login_failures', 'delete from login_failures where subject = $1');

export async function deleteLoginFailures(sql: Sql, subject: Buffer): Promise<void> {
  await clear(sql, [subject]);
}

const takeBack = statement(
  'accounts_take_back_login_failure',
  'update login_failures set failures = greatest(failures - 1, 0) where subject = $1',
);

export async function takeBackLoginFailure(sql: Sql, subject: Buffer): Promise<void> {
  await takeBack(sql, [subject]);
}
