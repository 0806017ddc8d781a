import { type Sql, statement } from '../../../db/sql.ts';

export interface FreezeRow {
  environment_id: string;
  /** A channel, or `all`. */
  channel: string;
  reason: string | null;
  hold_expires_hours: number;
  frozen_by: string | null;
  frozen_at: Date;
}

const columns = 'environment_id, channel, reason, hold_expires_hours, frozen_by, frozen_at';

const list = statement<FreezeRow>(
  'brake_list_freezes',
  `select ${columns} from brake_freezes where environment_id = any ($1::uuid[]) order by channel`,
);

export function listFreezes(sql: Sql, environmentIds: string[]): Promise<FreezeRow[]> {
  return list(sql, [environmentIds]);
}

const insert = statement<FreezeRow>(
  'brake_insert_freeze',
  `insert into brake_freezes (${columns}) values ($1, $2, $3, $4, $5, now())
   on conflict (environment_id, channel) do nothing returning ${columns}`,
);

/** Returns null when the channel is frozen already. */
export async function insertFreeze(sql: Sql, row: Omit<FreezeRow, 'frozen_at'>): Promise<FreezeRow | null> {
  const { environment_id, channel, reason, hold_expires_hours, frozen_by } = row;
  return (await insert(sql, [environment_id, channel, reason, hold_expires_hours, frozen_by]))[0] ?? null;
}

const remove = statement<FreezeRow>(
  'brake_delete_freeze',
  `delete from brake_freezes where environment_id = $1 and channel = $2 returning ${columns}`,
);

export async function deleteFreeze(
  sql: Sql,
  environmentId: string,
  channel: string,
): Promise<FreezeRow | null> {
  return (await remove(sql, [environmentId, channel]))[0] ?? null;
}
