import type { Channel } from '../../../channels/contract.ts';
import type { StoredContent } from '../../../channels/message.ts';
import { deleteInSlices } from '../../../db/slices.ts';
import { query, type Sql, statement } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { shouldYield, yieldToEventLoop } from '../../../kernel/event-loop.ts';
import { lowestIdAt, type ScopedId, scopedIdColumns } from '../../../kernel/ids.ts';
import type { PageRequest } from '../../../kernel/page.ts';
import { quotaOf } from '../../control/usage/index.ts';

interface SandboxRow {
  id: string;
  environment_id: string;
  notification_id: string;
  channel: Channel;
  provider: string;
  recipient: string;
  payload: object;
}

/** A message with the content that its payload refers to; null where it refers to none. */
export interface MessageWithContent extends SandboxRow, StoredContent {
  from_content: string[] | null;
}

interface SandboxFilter {
  notificationId?: string | undefined;
  channel?: string | undefined;
  /** The beginning of the recipient's address. */
  to?: string | undefined;
  /** Ids are time-ordered: messages after a given moment have ids above this one. */
  fromId?: string | undefined;
}

/** Returns up to `limit + 1` ids with the size of their messages, newest first. */
export function listIds(
  sql: Sql,
  environmentId: string,
  filter: SandboxFilter,
  page: PageRequest,
): Promise<{ id: string; bytes: number }[]> {
  const values: unknown[] = [environmentId, page.limit + 1];
  const conditions = ['environment_id = $1'];
  const require = (condition: string, value: string | null | undefined, end = '') => {
    if (value === undefined || value === null) return;
    values.push(value);
    conditions.push(`${condition} $${values.length}${end}`);
  };
  require('id <', page.before);
  require('notification_id =', filter.notificationId);
  require('channel =', filter.channel);
  require('id >=', filter.fromId);
  // No index: an environment keeps a bounded number of messages, and every Test send would pay for one.
  require('starts_with(lower(recipient), lower(', filter.to, '))');
  return query(
    sql,
    `select id, payload_bytes + coalesce((
       select coalesce(octet_length(html_body), 0) + coalesce(octet_length(text_body), 0)
       from notification_contents c where c.notification_id = m.notification_id and m.from_content is not null), 0) as bytes
     from sandbox_messages m
     where ${conditions.join(' and ')}
     order by id desc
     limit $2`,
    values,
  );
}

/** As it is stored. Decoding and parsing the payload of a long email in one turn would hold the event loop for too long. */
type StoredMessage<Row extends SandboxRow> = Omit<Row, 'payload'> & { payload: string };

async function parsed<Row extends SandboxRow>(rows: StoredMessage<Row>[]): Promise<Row[]> {
  const messages: Row[] = [];
  for (const row of rows) {
    if (row.payload.length > longPayload) await yieldToEventLoop();
    while (shouldYield()) await yieldToEventLoop();
    messages.push({ ...row, payload: JSON.parse(row.payload) } as Row);
  }
  return messages;
}

const longPayload = 262_144;

const findMessages = statement<StoredMessage<MessageWithContent>>(
  'sandbox_find_messages',
  `select m.id, m.environment_id, m.notification_id, m.channel, m.provider, m.recipient, m.payload::text, m.from_content,
     c.subject, c.html_body, c.text_body
   from sandbox_messages m
   left join notification_contents c on c.notification_id = m.notification_id and m.from_content is not null
   where m.environment_id = $1 and m.id = any($2)
   order by m.id desc`,
);

export async function listMessages(
  sql: Sql,
  environmentId: string,
  ids: string[],
): Promise<MessageWithContent[]> {
  return parsed(await findMessages(sql, [environmentId, ids]));
}

const deleteMessages = statement(
  'sandbox_delete_messages',
  `delete from sandbox_messages m using unnest($1::uuid[], $2::uuid[]) as erased (environment_id, notification_id)
   where m.notification_id = erased.notification_id and m.environment_id = erased.environment_id`,
);

/** Erases the messages of notifications that are erased. */
export async function eraseSandboxMessages(sql: Sql, notifications: readonly ScopedId[]): Promise<void> {
  await deleteMessages(sql, scopedIdColumns(notifications));
}

const findOfNotification = statement<StoredMessage<SandboxRow>>(
  'sandbox_find_of_notification',
  // A push is what a device got of the notification, not its content.
  `select id, environment_id, notification_id, channel, provider, recipient, payload::text
   from sandbox_messages
   where notification_id = $2 and environment_id = $1 and (channel <> 'in_app' or payload -> 'push' is null)
   order by id desc limit 1`,
);

/** Returns the newest message of a notification, or null. Its payload lacks what the content of the notification has. */
export async function findMessageOf(
  sql: Sql,
  environmentId: string,
  notificationId: string,
): Promise<SandboxRow | null> {
  return (await parsed(await findOfNotification(sql, [environmentId, notificationId])))[0] ?? null;
}

const deleteOldest = statement<{ count: number }>(
  'sandbox_delete_oldest',
  `with gone as (
     delete from sandbox_messages where environment_id = $1 and id in (
       select id from sandbox_messages where environment_id = $1 and id < $2 order by id limit $3)
     returning 1)
   select count(*)::int as count from gone`,
);

/** Deletes up to `limit` messages below an id and returns how many were deleted. */
export async function deleteMessagesBefore(
  sql: Sql,
  environmentId: string,
  beforeId: string,
  limit: number,
): Promise<number> {
  return (await deleteOldest(sql, [environmentId, beforeId, limit]))[0]?.count ?? 0;
}

const deleteBeyond = statement<{ count: number }>(
  'sandbox_delete_beyond',
  // The id below which an environment keeps nothing: by age, or by number or size if that is later.
  `with old as (
     select m.environment_id, m.id
     from environments e
     cross join lateral (
       select greatest($1::uuid, case when $2::int is not null then (
         select id from sandbox_messages where environment_id = e.id order by id desc offset $2 limit 1) end,
         case when $4::float8 is not null then (
         select id from (
           select id, sum(payload_bytes) over (order by id desc) as bytes
           from sandbox_messages where environment_id = e.id) sized
         where bytes > $4 order by id desc limit 1) end) as id) bound
     cross join lateral (
       select environment_id, id from sandbox_messages
       where environment_id = e.id and id <= bound.id order by id limit $3) m
     limit $3
   ), gone as (
     delete from sandbox_messages s using old where s.environment_id = old.environment_id and s.id = old.id returning 1)
   select count(*)::int as count from gone`,
);

/**
 * Deletes up to `limit` messages, of all environments, that are older than the given time or, unless `most` is null, exceed the
 * retention limits.
 */
export async function deleteExcess(
  sql: Sql,
  kept: { since: number; most: { messages: number; bytes: number } | null },
  limit: number,
): Promise<number> {
  const { messages = null, bytes = null } = kept.most ?? {};
  return (await deleteBeyond(sql, [lowestIdAt(kept.since), messages, limit, bytes]))[0]?.count ?? 0;
}

/** Retention of sandbox messages per environment: they are for inspection, not an archive. */
export const sandboxRetention = { days: 30, messages: 100_000, bytes: 1_073_741_824 } as const;

/** At most half of the quota: sandbox messages must not cause sends to be refused. */
function keptBytes(config: Deps['config']): number {
  const quota = quotaOf(config, { environmentKind: 'test', plan: 'free' });
  return Math.min(sandboxRetention.bytes, (quota ?? Infinity) / 2);
}

export async function tidySandbox(
  deps: Pick<Deps, 'pool' | 'clock' | 'config'>,
  isStopped: () => boolean,
): Promise<void> {
  const now = deps.clock();
  // Finding the excess requires a count: a few times an hour is enough.
  const isDue = Math.floor(now / 60_000) % 10 === 0;
  const bounds = {
    since: now - sandboxRetention.days * 86_400_000,
    most: isDue ? { messages: sandboxRetention.messages, bytes: keptBytes(deps.config) } : null,
  };
  await deleteInSlices(2_000, ({ pool }, limit) => deleteExcess(pool, bounds, limit))(deps, isStopped);
}
