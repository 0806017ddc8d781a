import { lockEnvironment } from '../../../db/locks.ts';
import { deleteInSlices } from '../../../db/slices.ts';
import { type Pool, type Sql, statement } from '../../../db/sql.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { PageRequest } from '../../../kernel/page.ts';

export interface TopicRow {
  id: string;
  environment_id: string;
  key: string;
  name: string;
  description: string | null;
  subscriber_count: number;
}

const columns = 'id, environment_id, key, name, description, subscriber_count';

const insert = statement<TopicRow>(
  'audiences_insert_topic',
  `insert into topics (id, environment_id, key, name, description) values ($1, $2, $3, $4, $5)
   on conflict (environment_id, key) where deleted_at is null do nothing
   returning ${columns}`,
);

/** Returns null when the key is taken. */
export async function insertTopic(
  sql: Sql,
  topic: Omit<TopicRow, 'subscriber_count'>,
): Promise<TopicRow | null> {
  const { id, environment_id, key, name, description } = topic;
  return (await insert(sql, [id, environment_id, key, name, description]))[0] ?? null;
}

const count = statement<{ count: number }>(
  'audiences_count_topics',
  'select count(*)::int as count from topics where environment_id = $1 and deleted_at is null',
);

/** The environment stays locked: of two that are created at the same time, the second counts the first. */
export async function countTopics(tx: Sql, environmentId: string): Promise<number> {
  await lockEnvironment(tx, environmentId);
  return (await count(tx, [environmentId]))[0]?.count ?? 0;
}

const findMany = statement<TopicRow>(
  'audiences_find_topics',
  `select ${columns} from topics where environment_id = $1 and key = any ($2::text[]) and deleted_at is null`,
);

export function listTopicsByKey(sql: Sql, environmentId: string, keys: string[]): Promise<TopicRow[]> {
  return findMany(sql, [environmentId, keys]);
}

export async function findTopic(sql: Sql, environmentId: string, key: string): Promise<TopicRow | null> {
  return (await listTopicsByKey(sql, environmentId, [key]))[0] ?? null;
}

const lock = statement<TopicRow>(
  'audiences_lock_topic',
  `select ${columns} from topics where environment_id = $1 and key = $2 and deleted_at is null for no key update`,
);

export async function lockTopic(sql: Sql, environmentId: string, key: string): Promise<TopicRow | null> {
  return (await lock(sql, [environmentId, key]))[0] ?? null;
}

const update = statement<TopicRow>(
  'audiences_update_topic',
  `update topics set name = $2, description = $3 where id = $1 returning ${columns}`,
);

export async function updateTopic(sql: Sql, { id, name, description }: TopicRow): Promise<TopicRow> {
  const [row] = await update(sql, [id, name, description]);
  if (!row) throw new Error('a topic disappeared while it was locked');
  return row;
}

const markRemoved = statement('audiences_mark_deleted', 'update topics set deleted_at = now() where id = $1');

/** Frees the key at once; see `tidyTopics`. */
export async function markDeleted(sql: Sql, id: string): Promise<void> {
  await markRemoved(sql, [id]);
}

const list = statement<TopicRow>(
  'audiences_list_topics',
  `select ${columns} from topics
   where environment_id = $1 and deleted_at is null and ($2::uuid is null or id < $2)
     and ($4::text is null or strpos(lower(key), lower($4)) > 0 or strpos(lower(name), lower($4)) > 0)
   order by id desc limit $3`,
);

/** Returns up to `limit + 1` topics, newest first. */
export function listTopics(
  sql: Sql,
  environmentId: string,
  search: string | null,
  page: PageRequest,
): Promise<TopicRow[]> {
  return list(sql, [environmentId, page.before, page.limit + 1, search]);
}

const add = statement<{ added: number }>(
  'audiences_add_subscribers',
  // Everyone locks users, then subscriptions, then the topic, each in the order of the ids: no deadlocks.
  `with wanted as materialized (
     select distinct id from unnest($3::text[]) as given (id)
   ), stored as (
     insert into end_users (environment_id, external_user_id)
     select $1, id from wanted
     where not exists (select from end_users u where u.environment_id = $1 and u.external_user_id = wanted.id)
     order by id
     on conflict do nothing
     returning 1
   ), subscribed as (
     insert into topic_subscribers (topic_id, external_user_id, environment_id)
     select $2, id, $1 from wanted, (select count(*) from stored) first
     order by id
     on conflict do nothing
     returning 1
   ), counted as (
     update topics set subscriber_count = subscriber_count + (select count(*) from subscribed)
     where id = $2 and exists (select from subscribed)
   )
   select count(*)::int as added from subscribed`,
);

/** Returns how many are new. Users who are not stored yet are: a subscriber is always a user. */
export async function insertSubscribers(
  sql: Sql,
  { id, environment_id }: TopicRow,
  externalUserIds: string[],
): Promise<number> {
  return (await add(sql, [environment_id, id, externalUserIds]))[0]?.added ?? 0;
}

const remove = statement<{ removed: number }>(
  'audiences_remove_subscribers',
  `with gone as (
     delete from topic_subscribers
     where (topic_id, external_user_id) in (
       select topic_id, external_user_id from topic_subscribers
       where topic_id = $1 and external_user_id = any ($2::text[])
       order by external_user_id for update)
     returning 1
   ), counted as (
     update topics set subscriber_count = subscriber_count - (select count(*) from gone)
     where id = $1 and exists (select from gone)
   )
   select count(*)::int as removed from gone`,
);

/** Returns how many followed the topic. */
export async function deleteSubscribers(
  sql: Sql,
  topicId: string,
  externalUserIds: string[],
): Promise<number> {
  return (await remove(sql, [topicId, externalUserIds]))[0]?.removed ?? 0;
}

export interface SubscriberRow {
  external_user_id: string;
  subscribed_at: Date;
}

const listOf = statement<SubscriberRow>(
  'audiences_list_subscribers',
  `select external_user_id, subscribed_at from topic_subscribers
   where topic_id = $1 and external_user_id > $2
   order by external_user_id limit $3`,
);

/** Returns up to `limit + 1` subscribers in the order of their ids. */
export function listSubscribers(
  sql: Sql,
  topicId: string,
  page: { after: string; limit: number },
): Promise<SubscriberRow[]> {
  return listOf(sql, [topicId, page.after, page.limit + 1]);
}

const listOfUser = statement<{ key: string; name: string; subscribed_at: Date }>(
  'audiences_list_topics_of_user',
  `select t.key, t.name, s.subscribed_at from topic_subscribers s join topics t on t.id = s.topic_id
   where s.environment_id = $1 and s.external_user_id = $2 and t.deleted_at is null
   order by t.key`,
);

/** A user follows at most as many topics as the environment has. */
export function listTopicsOfUser(sql: Sql, environmentId: string, externalUserId: string) {
  return listOfUser(sql, [environmentId, externalUserId]);
}

const removeUser = statement(
  'audiences_remove_user',
  `with gone as (
     delete from topic_subscribers where environment_id = $1 and external_user_id = $2 returning topic_id
   )
   update topics set subscriber_count = subscriber_count - 1
   where id in (select id from topics where id in (select topic_id from gone) order by id for no key update)`,
);

/** Deletes the subscriptions of an erased person. */
export async function deleteSubscriptionsOf(
  sql: Sql,
  environmentId: string,
  externalUserId: string,
): Promise<void> {
  await removeUser(sql, [environmentId, externalUserId]);
}

const removeOfDeleted = statement(
  'audiences_remove_deleted',
  `delete from topic_subscribers where ctid = any (array(
     select s.ctid from topics t cross join lateral (
       select ctid from topic_subscribers s where s.topic_id = t.id order by s.external_user_id limit $1 for update skip locked) s
     where t.deleted_at is not null limit $1))
   returning 1 as one`,
);

const removeEmpty = statement(
  'audiences_remove_empty_topics',
  `delete from topics t where deleted_at < now() - interval '1 minute'
   and not exists (select from topic_subscribers s where s.topic_id = t.id)`,
);

const tidySubscribers = deleteInSlices(5_000, async ({ pool }, limit) => {
  return (await removeOfDeleted(pool, [limit])).length;
});

/** Deletes the subscribers of deleted topics, then the topics without any. A call that added some has ended by now. */
export async function tidyTopics(
  deps: { pool: Pool; clock: Clock },
  isStopped: () => boolean,
): Promise<void> {
  await tidySubscribers(deps, isStopped);
  await removeEmpty(deps.pool);
}
