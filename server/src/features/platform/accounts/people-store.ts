import { query, type Sql, statement } from '../../../db/sql.ts';

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
