import { lockEnvironment } from '../../../db/locks.ts';
import { deleteInSlices } from '../../../db/slices.ts';
import { query, type Sql, statement } from '../../../db/sql.ts';
import type { PageRequest } from '../../../kernel/page.ts';
import type { AuthoredContent } from '../../notifications/notifications/index.ts';
import type { CheckedFilter } from '../../people/audiences/index.ts';
import type { BroadcastChannel, BroadcastDefinition, BroadcastStatus } from './schema.ts';

/** The content of a channel, checked and pinned when the broadcast was created. */
export interface ChannelContent extends Pick<AuthoredContent, 'inline_format' | 'inbox_extras'> {
  subject: string | null;
  html_body: string | null;
  text_body: string | null;
  from_name: string | null;
  reply_to: string | null;
  template_version_id: string | null;
  connection_id: string | null;
}

/** Users whose moment of `send_at_local` is outside of it are skipped. */
export interface LocalPeriod {
  from: Date | null;
  until: Date | null;
}

/** The part of a broadcast that never changes. */
export interface NewBroadcast {
  id: string;
  environment_id: string;
  status: BroadcastStatus;
  name: string;
  /** The parts of the request that answers repeat. */
  request: Pick<BroadcastDefinition, 'audience' | 'send_at'>;
  filter: CheckedFilter;
  channels: BroadcastChannel[];
  contents: Partial<Record<BroadcastChannel, ChannelContent>>;
  template_key: string | null;
  template_data: Record<string, unknown>;
  category: string | null;
  action_url: string | null;
  starts_at: Date | null;
  send_at_local: string | null;
  local_from: Date | null;
  local_until: Date | null;
  timezone: string;
  rate_per_second: number | null;
  /** The API key that created it; the brake counts its notifications for the key. Null for people and schedules. */
  source_id: string | null;
}

/** Everything but the contents: they may be megabytes, and stay in the database. */
export interface BroadcastRow extends Omit<NewBroadcast, 'contents' | 'template_data' | 'source_id'> {
  paused_from: Exclude<BroadcastStatus, 'paused' | 'done' | 'cancelled'> | null;
  pause_reason: string | null;
  epoch: number;
  cursor: string | null;
  total: number;
  recipients: number;
  skipped: number;
  counts: Record<string, number>;
  local_moments: Record<string, number>;
  first_id: string | null;
  last_id: string | null;
  last_send_at: Date | null;
  next_slice_at: Date | null;
  started_at: Date | null;
  measured_at: Date | null;
  measured_done: number;
  completed_at: Date | null;
}

const columns = `id, environment_id, status, paused_from, pause_reason, name, request, filter, channels, template_key, category,
  action_url, starts_at, send_at_local, local_from, local_until, timezone, rate_per_second, epoch, cursor, total, recipients,
  skipped, counts, local_moments, first_id, last_id, last_send_at, next_slice_at, started_at, measured_at, measured_done, completed_at`;

const insert = statement<BroadcastRow>(
  'broadcasts_insert',
  `insert into broadcasts (id, environment_id, status, name, request, filter, channels, contents, template_key, template_data,
     category, action_url, starts_at, send_at_local, local_from, local_until, timezone, rate_per_second, source_id, cursor)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, '')
   returning ${columns}`,
);

export async function insertBroadcast(sql: Sql, row: NewBroadcast): Promise<BroadcastRow> {
  const [inserted] = await insert(sql, [
    row.id,
    row.environment_id,
    row.status,
    row.name,
    JSON.stringify(row.request),
    JSON.stringify(row.filter),
    row.channels,
    JSON.stringify(row.contents),
    row.template_key,
    JSON.stringify(row.template_data),
    row.category,
    row.action_url,
    row.starts_at,
    row.send_at_local,
    row.local_from,
    row.local_until,
    row.timezone,
    row.rate_per_second,
    row.source_id,
  ]);
  if (!inserted) throw new Error('a broadcast was written and not returned');
  return inserted;
}

const countOpen = statement<{ count: number }>(
  'broadcasts_count_open',
  'select count(*)::int as count from broadcasts where environment_id = $1 and completed_at is null',
);

/** The environment stays locked: of two that are created at the same time, the second counts the first. */
export async function countOpenBroadcasts(tx: Sql, environmentId: string): Promise<number> {
  await lockEnvironment(tx, environmentId);
  return (await countOpen(tx, [environmentId]))[0]?.count ?? 0;
}

const findOne = statement<BroadcastRow>(
  'broadcasts_find',
  `select ${columns} from broadcasts where environment_id = $1 and id = $2`,
);

export async function findBroadcast(
  sql: Sql,
  environmentId: string,
  id: string,
): Promise<BroadcastRow | null> {
  return (await findOne(sql, [environmentId, id]))[0] ?? null;
}

const lock = statement<BroadcastRow>(
  'broadcasts_lock',
  `select ${columns} from broadcasts where environment_id = $1 and id = $2 for no key update`,
);

export async function lockBroadcast(
  sql: Sql,
  environmentId: string,
  id: string,
): Promise<BroadcastRow | null> {
  return (await lock(sql, [environmentId, id]))[0] ?? null;
}

/** Returns up to `limit + 1` broadcasts, newest first. An environment has few: a filter by status needs no index. */
export function listBroadcasts(
  sql: Sql,
  environmentId: string,
  status: BroadcastStatus | undefined,
  page: PageRequest,
): Promise<BroadcastRow[]> {
  return query(
    sql,
    `select ${columns} from broadcasts
     where environment_id = $1 and ($2::uuid is null or id < $2) and ($3::text is null or status = $3)
     order by id desc limit $4`,
    [environmentId, page.before, status ?? null, page.limit + 1],
  );
}

const update = statement(
  'broadcasts_update',
  `update broadcasts set status = $2, paused_from = $3, pause_reason = $4, epoch = $5, cursor = $6, total = $7, recipients = $8,
     skipped = $9, counts = $10, local_moments = $11, first_id = $12, last_id = $13, last_send_at = $14, next_slice_at = $15,
     started_at = $16, measured_at = $17, measured_done = $18, completed_at = $19
   where id = $1`,
);

/** Writes the progress of a broadcast that is locked. */
export async function updateBroadcast(sql: Sql, row: BroadcastRow): Promise<void> {
  await update(sql, [
    row.id,
    row.status,
    row.paused_from,
    row.pause_reason,
    row.epoch,
    row.cursor,
    row.total,
    row.recipients,
    row.skipped,
    JSON.stringify(row.counts),
    JSON.stringify(row.local_moments),
    row.first_id,
    row.last_id,
    row.last_send_at,
    row.next_slice_at,
    row.started_at,
    row.measured_at,
    row.measured_done,
    row.completed_at,
  ]);
}

const removeOld = statement(
  'broadcasts_delete_before',
  `with gone as (
     delete from broadcasts where id = any (array(
       select id from broadcasts where completed_at < $1 order by completed_at limit $2 for update skip locked))
     returning id
   ), changes as (
     delete from broadcast_changes where broadcast_id in (select id from gone)
   )
   select id from gone`,
);

/** Deletes broadcasts that ended before the retention period, as their notifications are. */
export const forgetBroadcasts = (beforeMs: number) =>
  deleteInSlices(100, async ({ pool }, limit) => (await removeOld(pool, [new Date(beforeMs), limit])).length);
