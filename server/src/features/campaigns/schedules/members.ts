import { type Sql, statement } from '../../../db/sql.ts';
import { invalidParameter } from '../../../kernel/errors.ts';
import { isTimeZone } from '../../../kernel/time-zone.ts';
import {
  type AudienceSlice,
  checkConfirmed,
  checkTopics,
  firstMember,
  listMembers,
  readAudience,
} from '../../people/audiences/index.ts';
import type { ScheduleAudience } from './schema.ts';

/** A member of an audience. */
export interface Member {
  external_user_id: string;
  timezone: string | null;
}

/** Refuses what is known to be wrong: two kinds at once, topics that do not exist, everybody without `confirm`. */
export async function checkAudience(
  sql: Sql,
  environmentId: string,
  audience: ScheduleAudience,
): Promise<void> {
  const { users, ...byRule } = audience;
  const { topic, filter, all } = byRule;
  if ([users, topic, filter, all || null].filter((part) => part != null).length !== 1)
    throw invalidParameter('audience', 'audience must have exactly one of users, topic, filter and all.');
  if (users) return;
  const checked = readAudience(byRule);
  await checkTopics(sql, environmentId, checked);
  await checkConfirmed(sql, environmentId, audience, checked);
}

/** Users that are listed and not stored have no time zone. */
const listNamed = statement<Member>(
  'schedules_list_named_members',
  `select wanted.id as external_user_id, u.timezone
   from (select distinct id from unnest($2::text[]) as given (id) where id > $3 order by id limit $4) wanted
   left join end_users u on u.environment_id = $1 and u.external_user_id = wanted.id
   order by wanted.id`,
);

/** Returns the next members after a user (null for the first ones), in the order of their ids. */
export async function nextMembers(
  sql: Sql,
  environmentId: string,
  audience: ScheduleAudience,
  { after, limit }: { after: string | null; limit: number },
): Promise<AudienceSlice<Member[]>> {
  if (!audience.users)
    return listMembers(sql, environmentId, readAudience(audience), { after: after ?? firstMember, limit });
  const members = await listNamed(sql, [environmentId, audience.users, after ?? firstMember, limit]);
  return {
    result: members,
    next: members.length < limit ? null : (members.at(-1)?.external_user_id ?? null),
  };
}

/** The time zone of a member. One that this version of Node no longer knows counts as absent. */
export function zoneOf({ timezone }: Member): string | null {
  return timezone !== null && isTimeZone(timezone) ? timezone : null;
}
