import { type Sql, statement } from '../../../db/sql.ts';
import type { QuietHours } from './quiet-hours.ts';

const findOne = statement<QuietHours>(
  'preferences_find_quiet_hours',
  'select start_minute, end_minute, timezone from quiet_hours where environment_id = $1 and user_key = $2',
);

export async function findQuietHours(
  sql: Sql,
  environmentId: string,
  userKey: string,
): Promise<QuietHours | null> {
  return (await findOne(sql, [environmentId, userKey]))[0] ?? null;
}

const upsert = statement(
  'preferences_upsert_quiet_hours',
  `insert into quiet_hours (environment_id, user_key, start_minute, end_minute, timezone) values ($1, $2, $3, $4, $5)
   on conflict (environment_id, user_key) do update
     set start_minute = excluded.start_minute, end_minute = excluded.end_minute, timezone = excluded.timezone,
       updated_at = now()`,
);

export async function upsertQuietHours(
  sql: Sql,
  environmentId: string,
  userKey: string,
  hours: QuietHours,
): Promise<void> {
  await upsert(sql, [environmentId, userKey, hours.start_minute, hours.end_minute, hours.timezone]);
}

const remove = statement<{ one: number }>(
  'preferences_delete_quiet_hours',
  'delete from quiet_hours where environment_id = $1 and user_key = $2 returning 1 as one',
);

/** Returns false when there were none. */
export async function deleteQuietHours(sql: Sql, environmentId: string, userKey: string): Promise<boolean> {
  return (await remove(sql, [environmentId, userKey])).length > 0;
}
