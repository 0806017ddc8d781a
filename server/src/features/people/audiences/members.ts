import { query, type Sql } from '../../../db/sql.ts';
import { Problem } from '../../../kernel/errors.ts';
import { type Eraser, type UserFields, wholeSlice } from '../users/index.ts';
import { type AudienceSql, audienceSql, type CheckedFilter, topicKeysOf, unknownTopic } from './filter.ts';
import type { Audience } from './schema.ts';
import { deleteSubscriptionsOf, listTopicsByKey } from './store.ts';

/** The subscriptions of a person are few rows: one slice. */
export const subscriptionEraser: Eraser = {
  async erase(tx, { environmentId, externalUserId }) {
    await deleteSubscriptionsOf(tx, environmentId, externalUserId);
    return wholeSlice;
  },
};

/** An audience is read in slices, in the order of the users' ids: none takes long, however many users there are. */
export interface AudienceSlice<Result> {
  result: Result;
  /** Where the next slice begins; null after the last one. */
  next: string | null;
}

export interface AudienceMember extends UserFields {
  external_user_id: string;
}

const memberColumns =
  'u.external_user_id, u.email, u.phone, u.name, u.locale, u.timezone, u.chatone_user_id, u.attributes';

/** For a filter that few users meet: so many users are read for each that is wanted. */
const scannedPerMember = 10;
/** Takes about 50 ms. */
const countSlice = 50_000;
/** See `isEverybody`. */
const everybodyScan = 100_000;

/** The start of an audience: every id is greater. */
export const firstMember = '';

async function sqlOf(
  sql: Sql,
  environmentId: string,
  filter: CheckedFilter,
  values: unknown[],
  leading?: 'topic' | 'users',
): Promise<AudienceSql> {
  const keys = topicKeysOf(filter);
  const topics = keys.length === 0 ? [] : await listTopicsByKey(sql, environmentId, keys);
  return audienceSql(filter, environmentId, new Map(topics.map(({ key, id }) => [key, id])), values, leading);
}

const scanSql = ({ candidates }: AudienceSql, limit: string): string => `
  scanned as materialized (
    ${candidates} and external_user_id > $1 order by external_user_id limit ${limit}
  ), scan as (
    select count(*)::int as count, (select external_user_id from scanned order by external_user_id desc limit 1) as last
    from scanned
  )`;

/** The scanned users who meet the condition. */
const matchesSql = ({ condition }: AudienceSql): string =>
  `scanned s join end_users u on u.external_user_id = s.external_user_id where ${condition}`;

/** Returns up to `limit` members after `after`. A slice may be short, even empty, and not the last one. */
export async function listMembers(
  sql: Sql,
  environmentId: string,
  filter: CheckedFilter,
  { after, limit }: { after: string; limit: number },
): Promise<AudienceSlice<AudienceMember[]>> {
  const scanned = limit * scannedPerMember;
  const values: unknown[] = [after, scanned, limit];
  const audience = await sqlOf(sql, environmentId, filter, values);
  const rows = await query<AudienceMember & { is_member: boolean; scanned: number; last: string | null }>(
    sql,
    `with ${scanSql(audience, '$2')}, members as (
       select ${memberColumns}
       from ${matchesSql(audience)}
       order by u.external_user_id limit $3
     )
     select members.*, members.external_user_id is not null as is_member, scan.count as scanned, scan.last
     from scan left join members on true order by members.external_user_id`,
    values,
  );
  const members = rows.filter((row) => row.is_member);
  const [scan] = rows;
  const isScanned = members.length < limit;
  const last = isScanned ? (scan?.last ?? null) : (members.at(-1)?.external_user_id ?? null);
  return { result: members, next: isScanned && (scan?.scanned ?? 0) < scanned ? null : last };
}

/** Counts the members of the next slice. */
export async function countMembers(
  sql: Sql,
  environmentId: string,
  filter: CheckedFilter,
  after: string,
): Promise<AudienceSlice<number>> {
  const values: unknown[] = [after, countSlice];
  const audience = await sqlOf(sql, environmentId, filter, values);
  const [row] = await query<{ members: number; scanned: number; last: string | null }>(
    sql,
    `with ${scanSql(audience, '$2')}
     select (select count(*)::int from ${matchesSql(audience)}) as members, scan.count as scanned, scan.last from scan`,
    values,
  );
  return {
    result: row?.members ?? 0,
    next: (row?.scanned ?? 0) < countSlice ? null : (row?.last ?? null),
  };
}

/** Counts slice by slice until the deadline. */
export async function countAudience(
  sql: Sql,
  environmentId: string,
  filter: CheckedFilter,
  isLate: () => boolean,
): Promise<{ count: number; isCapped: boolean }> {
  let count = 0;
  let after: string | null = firstMember;
  while (after !== null) {
    const slice: AudienceSlice<number> = await countMembers(sql, environmentId, filter, after);
    count += slice.result;
    after = slice.next;
    if (after !== null && isLate()) return { count, isCapped: true };
  }
  return { count, isCapped: false };
}

/** Returns an even sample, one of `every` members, chosen by the hash of their ids. */
export async function sampleMembers(
  sql: Sql,
  environmentId: string,
  filter: CheckedFilter,
  { every, limit }: { every: number; limit: number },
): Promise<AudienceMember[]> {
  const values: unknown[] = [every, limit];
  const { candidates, condition } = await sqlOf(sql, environmentId, filter, values);
  return query(
    sql,
    `select ${memberColumns}
     from (${candidates} and abs(hashtext(external_user_id)::bigint) % $1 = 0) s
     join end_users u on u.external_user_id = s.external_user_id where ${condition} limit $2`,
    values,
  );
}

/** Refuses topics that do not exist. Later, a topic that was deleted has no subscribers. */
export async function checkTopics(sql: Sql, environmentId: string, filter: CheckedFilter): Promise<void> {
  const keys = topicKeysOf(filter);
  if (keys.length === 0) return;
  const known = new Set((await listTopicsByKey(sql, environmentId, keys)).map(({ key }) => key));
  const unknown = keys.find((key) => !known.has(key));
  if (unknown !== undefined) throw unknownTopic(unknown);
}

/**
 * Whether the audience is all users: there is one, and each of the first 100,000 matches. A filter that happens to match them all
 * needs the confirmation too.
 */
export async function isEverybody(sql: Sql, environmentId: string, filter: CheckedFilter): Promise<boolean> {
  const values: unknown[] = [];
  const { candidates, condition } = await sqlOf(sql, environmentId, filter, values, 'users');
  const [row] = await query<{ users: boolean; others: boolean }>(
    sql,
    `with first as materialized (${candidates} order by external_user_id limit ${everybodyScan})
     select exists (select from first) as users, exists (
       select from first where not exists (
         select from end_users u where u.external_user_id = first.external_user_id and ${condition})) as others`,
    values,
  );
  return row?.users === true && !row.others;
}

/** A message to all users is often a mistake, so the caller must confirm it. A topic needs no confirmation: it was named. */
export async function checkConfirmed(
  sql: Sql,
  environmentId: string,
  audience: Audience,
  filter: CheckedFilter,
): Promise<void> {
  if (audience.topic || audience.confirm) return;
  if (!audience.all && !(await isEverybody(sql, environmentId, filter))) return;
  throw new Problem(
    'confirmation_required',
    'The audience is everybody in this environment. If that is right, set audience.confirm to true.',
    { param: 'audience.confirm' },
  );
}
