import { statement } from '../../../db/sql.ts';
import { type Eraser, wholeSlice } from '../../people/users/index.ts';

const without = (target: string): string =>
  `jsonb_set(${target}, '{audience,users}', (
     select coalesce(jsonb_agg(member), '[]') from jsonb_array_elements_text(${target} #> '{audience,users}') member
     where member <> all ($2::text[])))`;

const removeMember = statement(
  'schedules_remove_member',
  `update schedules set target = ${without('target::jsonb')}
   where environment_id = $1 and target::jsonb #> '{audience,users}' ?| $2::text[]`,
);

const removeFromRuns = statement(
  'schedule_runs_remove_member',
  `update schedule_runs set definition = jsonb_set(definition, '{target}', ${without("(definition -> 'target')")})
   where environment_id = $1 and status = 'running' and definition #> '{target,audience,users}' ?| $2::text[]`,
);

/** A schedule whose trigger data names the person has no other recipient, so it is paused. Its timer then does nothing. */
const pauseNaming = statement(
  'schedules_pause_naming',
  `update schedules set target = jsonb_set(target::jsonb, '{trigger_data}', '{}'), status = 'paused', next_slot = null
   where environment_id = $1 and array[target #>> '{trigger_data,external_user_id}',
     target #>> '{trigger_data,user,external_user_id}', target #>> '{trigger_data,recipient,external_user_id}'] && $2::text[]`,
);

export const scheduleEraser: Eraser = {
  async erase(tx, { environmentId, externalUserId, aliases }) {
    const ids = [externalUserId, ...aliases];
    await removeMember(tx, [environmentId, ids]);
    await removeFromRuns(tx, [environmentId, ids]);
    await pauseNaming(tx, [environmentId, ids]);
    return wholeSlice;
  },
};
