import type { Channel } from '../../../channels/contract.ts';
import { likePrefix, query, type Sql, statement } from '../../../db/sql.ts';
import type { Attributes } from './schema.ts';

/** The stored data about a person that an application sends to. */
export interface UserFields {
  email: string | null;
  phone: string | null;
  name: string | null;
  locale: string | null;
  timezone: string | null;
  chatone_user_id: string | null;
  attributes: Attributes;
}

export interface UserRow extends UserFields {
  environment_id: string;
  external_user_id: string;
  created_at: Date;
  updated_at: Date;
}

const fields = 'email, phone, name, locale, timezone, chatone_user_id, attributes';
const columns = `environment_id, external_user_id, ${fields}, created_at, updated_at`;

const findMany = statement<UserRow>(
  'users_find_many',
  `select ${columns} from end_users
   join unnest($1::uuid[], $2::text[]) as wanted (environment_id, external_user_id)
     using (environment_id, external_user_id)`,
);

export function listUsers(
  sql: Sql,
  wanted: { environmentId: string; externalUserId: string }[],
): Promise<UserRow[]> {
  return findMany(sql, [
    wanted.map(({ environmentId }) => environmentId),
    wanted.map(({ externalUserId }) => externalUserId),
  ]);
}

/** The end of a page: when its last user was first stored, in microseconds, and the id of that user. */
export interface UserCursor {
  createdAtMicros: string;
  externalUserId: string;
}

export interface ListedUserRow extends UserRow {
  created_at_micros: string;
}

/**
 * Returns up to `limit + 1` users, newest first. The statement is not named: only with the text at hand can the planner
 * distinguish a rare prefix, which it finds by the indexes of the prefixes, from a common one, for which it scans the users in
 * their order. Either takes less than a millisecond with 200,000 users.
 */
export function listNewestUsers(
  sql: Sql,
  environmentId: string,
  search: string | undefined,
  page: { before: UserCursor | null; limit: number },
): Promise<ListedUserRow[]> {
  const values: unknown[] = [environmentId, page.limit + 1];
  const conditions = ['environment_id = $1'];
  const cursor = (value: unknown): string => `$${values.push(value)}`;
  if (search !== undefined) {
    const pattern = `lower(${cursor(likePrefix(search))})`;
    conditions.push(`(lower(external_user_id) like ${pattern} or lower(email) like ${pattern})`);
  }
  if (page.before) {
    const { createdAtMicros, externalUserId } = page.before;
    const createdAt = `timestamptz 'epoch' + ${cursor(createdAtMicros)}::bigint * interval '1 microsecond'`;
    conditions.push(`(created_at, external_user_id) < (${createdAt}, ${cursor(externalUserId)})`);
  }
  return query(
    sql,
    `select ${columns}, (extract(epoch from created_at) * 1000000)::bigint::text as created_at_micros
     from end_users
     where ${conditions.join(' and ')}
     order by created_at desc, external_user_id desc
     limit $2`,
    values,
  );
}

const replace = statement<UserRow>(
  'users_replace',
  `insert into end_users (environment_id, external_user_id, ${fields}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   on conflict (environment_id, external_user_id) do update
     set email = excluded.email, phone = excluded.phone, name = excluded.name, locale = excluded.locale,
       timezone = excluded.timezone, chatone_user_id = excluded.chatone_user_id, attributes = excluded.attributes,
       updated_at = now()
   returning ${columns}`,
);

export async function replaceUser(
  sql: Sql,
  environmentId: string,
  externalUserId: string,
  user: UserFields,
): Promise<UserRow> {
  const [row] = await replace(sql, [
    environmentId,
    externalUserId,
    user.email,
    user.phone,
    user.name,
    user.locale,
    user.timezone,
    user.chatone_user_id,
    JSON.stringify(user.attributes),
  ]);
  if (!row) throw new Error('a user was written and not returned');
  return row;
}

const remove = statement<UserRow>(
  'users_delete',
  `delete from end_users where environment_id = $1 and external_user_id = $2 returning ${columns}`,
);

export async function deleteUser(
  sql: Sql,
  environmentId: string,
  externalUserId: string,
): Promise<UserRow | null> {
  return (await remove(sql, [environmentId, externalUserId]))[0] ?? null;
}

const findTaken = statement<{ id: string }>(
  'users_find_taken',
  `select wanted.id from unnest($2::text[]) as wanted (id)
   where exists (
     select from end_users u where u.environment_id = $1 and lower(u.external_user_id) = lower(wanted.id))`,
);

/** Returns the given ids that belong to a user, regardless of case. */
export async function listTakenIds(sql: Sql, environmentId: string, ids: string[]): Promise<Set<string>> {
  return new Set((await findTaken(sql, [environmentId, ids])).map(({ id }) => id));
}

/** The field that holds the address of a channel. */
export const addressFields = {
  email: 'email',
  sms: 'phone',
  chatone: 'chatone_user_id',
} as const satisfies Partial<Record<Channel, keyof UserFields>>;

/** A user and an address that were named by the same send. */
export interface Pair {
  environmentId: string;
  externalUserId: string;
  channel: keyof typeof addressFields;
  address: string;
}

/**
 * Stores the pairs of `source` (environment_id, external_user_id, channel, address, id); of several for one user, the newest by
 * its id wins. Only new or changed pairs are written: a conflict would lock the row even if it changed nothing, and most sends
 * repeat what is stored.
 */
export function rememberAddressesSql(source: string): string {
  const newest = (channel: Channel) =>
    `(array_agg(address order by id desc) filter (where channel = '${channel}'))[1]`;
  return `
   insert into end_users (environment_id, external_user_id, ${Object.values(addressFields).join(', ')})
   select * from (
     select environment_id, external_user_id,
       ${Object.entries(addressFields)
         .map(([channel, field]) => `${newest(channel as Channel)} as ${field}`)
         .join(', ')}
     from ${source} group by environment_id, external_user_id) pair
   where not exists (
     select from end_users known
     where known.environment_id = pair.environment_id and known.external_user_id = pair.external_user_id
       and (pair.email is null or known.email = pair.email)
       and (pair.phone is null or known.phone = pair.phone)
       and (pair.chatone_user_id is null or known.chatone_user_id = pair.chatone_user_id))
   order by environment_id, external_user_id -- everyone locks in this order: no deadlocks
   on conflict (environment_id, external_user_id) do update
     set email = coalesce(excluded.email, end_users.email), phone = coalesce(excluded.phone, end_users.phone),
       chatone_user_id = coalesce(excluded.chatone_user_id, end_users.chatone_user_id), updated_at = now()`;
}
