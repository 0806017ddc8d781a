import { type Sql, statement } from '../../db/sql.ts';
import { postponedIdsSql } from '../../queue/index.ts';

const listPostponed = statement<{ id: string }>(
  'broadcasts_list_postponed',
  // The ids of a broadcast lie in a range, which the index of the queue serves.
  `select n.id from (${postponedIdsSql('notification', '$1')}) waiting
   join notifications n on n.id = waiting.id
   where waiting.id >= $3 and waiting.id <= $4 and n.broadcast_id = $2
   order by waiting.id limit $5`,
);

/** Lists notifications of a broadcast that wait for a time: a local time, quiet hours, a retry, the end of a pause. */
export async function listPostponedOf(
  sql: Sql,
  { id, environment_id, last_id }: { id: string; environment_id: string; last_id: string | null },
  from: string | null,
  limit: number,
): Promise<string[]> {
  if (from === null || last_id === null) return [];
  return (await listPostponed(sql, [environment_id, id, from, last_id, limit])).map((row) => row.id);
}
