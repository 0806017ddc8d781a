import { type Sql, statement } from '../../db/sql.ts';
import type { ScheduleAudience } from './schema.ts';

/** A member of an audience. */
export interface Member {
  external_user_id: string;
  timezone: string | null;
}

/** Users that are listed and not stored have no time zone. */
const listNamed = statement<Member>(
  'schedules_list_named_members',
  `select wanted.id as external_user_id, u.timezone
   from (select distinct id from unnest($2::text[]) as given (id) where id > $3 order by id limit $4) wanted
   left join end_users u on u.environment_id = $1 and u.external_user_id = wanted.id
   order by wanted.id`,
);

const listStored = statement<Member>(
  'schedules_list_stored_members',
  `select external_user_id, timezone from end_users
   where environment_id = $1 and external_user_id > $2 order by external_user_id limit $3`,
);

/** Returns the next members after a user, in a fixed order. */
export function listMembers(
  sql: Sql,
  environmentId: string,
  audience: ScheduleAudience,
  after: string | null,
  limit: number,
): Promise<Member[]> {
  if (audience.users) return listNamed(sql, [environmentId, audience.users, after ?? '', limit]);
  return listStored(sql, [environmentId, after ?? '', limit]);
}
