import { lockEnvironment } from '../../../db/locks.ts';
import { type Sql, statement } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import type { PageRequest } from '../../../kernel/page.ts';
import { listMatched, type MatchedNotification } from '../../notifications/notifications/index.ts';
import type { Eraser } from '../../people/users/index.ts';
import type { BulkActionKind, BulkActionStatus, BulkFilter } from './schema.ts';

/** Filters may name a person. A running action needs its filter, so the erasure comes back. */
export const bulkActionEraser: Eraser = {
  async erase(tx, { environmentId, externalUserId, addresses }) {
    const skipped = await erasePersonInFilters(tx, environmentId, externalUserId, addresses);
    return { next: null, skipped };
  },
};

export interface BulkActionRow {
  id: string;
  environment_id: string;
  action: BulkActionKind;
  filter: BulkFilter;
  status: BulkActionStatus;
  /** Notifications with this id or a greater one are done, or were accepted after the preview. */
  before: string;
  /** The API key that started it; null for people. */
  source_id: string | null;
  total: number | null;
  done: number;
  skipped: number;
  started_at: Date;
  completed_at: Date | null;
}

const columns =
  'id, environment_id, action, filter, status, before, source_id, total, done, skipped, started_at, completed_at';

const insert = statement<BulkActionRow>(
  'bulk_actions_insert',
  `insert into bulk_actions (id, environment_id, action, filter, status, before, total, source_id)
   values ($1, $2, $3, $4, 'running', $5, $6, $7) on conflict (id) do nothing returning ${columns}`,
);

/** Returns null when the action was started before. */
export async function insertBulkAction(
  sql: Sql,
  row: Pick<BulkActionRow, 'id' | 'environment_id' | 'action' | 'filter' | 'before' | 'total' | 'source_id'>,
): Promise<BulkActionRow | null> {
  const { id, environment_id, action, filter, before, total, source_id } = row;
  const values = [id, environment_id, action, JSON.stringify(filter), before, total, source_id];
  return (await insert(sql, values))[0] ?? null;
}

const find = statement<BulkActionRow>(
  'bulk_actions_find',
  `select ${columns} from bulk_actions where id = $1 and environment_id = $2`,
);

export async function findBulkAction(
  sql: Sql,
  environmentId: string,
  id: string,
): Promise<BulkActionRow | null> {
  return (await find(sql, [id, environmentId]))[0] ?? null;
}

const lock = statement<BulkActionRow>(
  'bulk_actions_lock',
  `select ${columns} from bulk_actions where id = $1 and environment_id = $2 for update`,
);

export async function lockBulkAction(
  tx: Sql,
  environmentId: string,
  id: string,
): Promise<BulkActionRow | null> {
  return (await lock(tx, [id, environmentId]))[0] ?? null;
}

const list = statement<BulkActionRow>(
  'bulk_actions_list',
  `select ${columns} from bulk_actions
   where environment_id = $1 and ($2::uuid is null or id < $2) and ($3::text is null or status = $3)
   order by id desc limit $4`,
);

/** Returns up to `limit + 1` rows, newest first. An environment has few. */
export function listBulkActions(
  sql: Sql,
  environmentId: string,
  status: BulkActionStatus | null,
  page: PageRequest,
): Promise<BulkActionRow[]> {
  return list(sql, [environmentId, page.before, status, page.limit + 1]);
}

const countOpen = statement<{ running: number }>(
  'bulk_actions_count_running',
  `select count(*)::int as running from bulk_actions where environment_id = $1 and status = 'running'`,
);

/** The environment stays locked: of two that start an action at the same time, the second counts the first. */
export async function countRunning(tx: Sql, environmentId: string): Promise<number> {
  await lockEnvironment(tx, environmentId);
  return (await countOpen(tx, [environmentId]))[0]?.running ?? 0;
}

const update = statement(
  'bulk_actions_update',
  `update bulk_actions set status = $2, before = $3, done = $4, skipped = $5,
     completed_at = case when $2 = 'running' then null else now() end
   where id = $1`,
);

export async function updateBulkAction(
  tx: Sql,
  { id, status, before, done, skipped }: Pick<BulkActionRow, 'id' | 'status' | 'before' | 'done' | 'skipped'>,
): Promise<void> {
  await update(tx, [id, status, before, done, skipped]);
}

const removePerson = statement<{ running: boolean }>(
  'bulk_actions_erase_person',
  `with named as (
     select id, status from bulk_actions
     where environment_id = $1
       and (filter ->> 'external_user_id' = $2 or lower(filter ->> 'recipient') = any ($3::text[])) for update),
   erased as (
     update bulk_actions set filter = filter - 'recipient' - 'external_user_id'
     where id in (select id from named where status <> 'running'))
   select exists (select from named where status = 'running') as running`,
);

/** Removes a person from the filters of ended actions. Returns true when a running one names the person. */
export async function erasePersonInFilters(
  tx: Sql,
  environmentId: string,
  externalUserId: string,
  addresses: string[],
): Promise<boolean> {
  const spellings = addresses.map((address) => address.toLowerCase());
  return Boolean((await removePerson(tx, [environmentId, externalUserId, spellings]))[0]?.running);
}

const deleteEnded = statement(
  'bulk_actions_delete_ended',
  `delete from bulk_actions where completed_at < to_timestamp($1 / 1000.0)`,
);

const keptMs = 30 * 86_400_000;

export async function tidyBulkActions({ pool, clock }: Pick<Deps, 'pool' | 'clock'>): Promise<void> {
  await deleteEnded(pool, [clock() - keptMs]);
}

interface MatchedPage {
  rows: MatchedNotification[];
  /** The position of the next page; null after the last one. */
  next: string | null;
}

/** A page of the notifications that an action is about, newest first. It may be empty and have a next page. */
export async function listMatches(
  sql: Sql,
  environmentId: string,
  action: BulkActionKind,
  filter: BulkFilter,
  page: PageRequest,
): Promise<MatchedPage> {
  const { provider, reason, all: _all, status = 'failed', ...listed } = filter;
  const wanted = { ...listed, status: action === 'cancel' ? ('unsent' as const) : status };
  const { rows, scannedTo } = await listMatched(sql, environmentId, wanted, page, provider !== undefined);
  const shown = rows.slice(0, page.limit);
  return {
    rows: shown.filter((row) => isOfProvider(row, provider) && hasReason(row, reason)),
    next: rows.length > page.limit ? (shown.at(-1)?.id ?? null) : scannedTo,
  };
}

function isOfProvider({ providers }: MatchedNotification, provider: string | undefined): boolean {
  return provider === undefined || Boolean(providers?.includes(provider));
}

function hasReason({ last_error: error }: MatchedNotification, reason: string | undefined): boolean {
  return reason === undefined || Boolean(error?.toLowerCase().includes(reason.toLowerCase()));
}
