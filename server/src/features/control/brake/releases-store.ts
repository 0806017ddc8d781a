import { type Pool, query, type Sql, statement } from '../../../db/sql.ts';
import type { PageRequest } from '../../../kernel/page.ts';
import type { HoldDecision } from './hold.ts';

/** A decision about held notifications, and how far it is carried out. */
export interface ReleaseRow {
  id: string;
  environment_id: string;
  hold: string;
  action: HoldDecision;
  status: 'running' | 'done' | 'cancelled';
  total: number;
  done: number;
  held_before: Date;
  started_at: Date;
  completed_at: Date | null;
}

const columns = `id, environment_id, hold, action, status, total::float8 as total, done::float8 as done, held_before, started_at,
  completed_at`;

const insert = statement<ReleaseRow>(
  'brake_insert_release',
  `insert into brake_releases (id, environment_id, hold, action, status, total, held_before, started_at)
   values ($1, $2, $3, $4, 'running', $5, now(), now()) returning ${columns}`,
);

export async function insertRelease(
  sql: Sql,
  row: Pick<ReleaseRow, 'id' | 'environment_id' | 'hold' | 'action' | 'total'>,
): Promise<ReleaseRow> {
  const [written] = await insert(sql, [row.id, row.environment_id, row.hold, row.action, row.total]);
  if (!written) throw new Error('a release was not written');
  return written;
}

const findOne = statement<ReleaseRow>(
  'brake_find_release',
  `select ${columns} from brake_releases where id = $1 and environment_id = $2`,
);

export async function findRelease(sql: Sql, environmentId: string, id: string): Promise<ReleaseRow | null> {
  return (await findOne(sql, [id, environmentId]))[0] ?? null;
}

const lockOne = statement<ReleaseRow>(
  'brake_lock_release',
  `select ${columns} from brake_releases where id = $1 for no key update`,
);

export async function lockRelease(tx: Sql, id: string): Promise<ReleaseRow | null> {
  return (await lockOne(tx, [id]))[0] ?? null;
}

const update = statement(
  'brake_update_release',
  `update brake_releases set status = $2, total = $3, done = $4,
     completed_at = case when $2 = 'running' then null else coalesce(completed_at, now()) end
   where id = $1`,
);

export async function updateRelease(
  tx: Sql,
  { id, status, total, done }: Pick<ReleaseRow, 'id' | 'status' | 'total' | 'done'>,
): Promise<void> {
  await update(tx, [id, status, total, done]);
}

const listRunning = statement<ReleaseRow>(
  'brake_list_running_releases',
  `select ${columns} from brake_releases where environment_id = $1 and status = 'running'`,
);

export function listRunningReleases(sql: Sql, environmentId: string): Promise<ReleaseRow[]> {
  return listRunning(sql, [environmentId]);
}

/** Returns up to `limit + 1` releases, newest first. */
export function listReleases(sql: Sql, environmentId: string, page: PageRequest): Promise<ReleaseRow[]> {
  return query(
    sql,
    `select ${columns} from brake_releases where environment_id = $1 and ($2::uuid is null or id < $2)
     order by id desc limit $3`,
    [environmentId, page.before, page.limit + 1],
  );
}

const deleteOld = statement(
  'brake_delete_releases',
  `delete from brake_releases where status <> 'running' and completed_at < now() - interval '90 days'`,
);

export async function tidyReleases({ pool }: { pool: Pool }): Promise<void> {
  await deleteOld(pool);
}
