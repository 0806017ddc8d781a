import type { Channel } from '../../channels/contract.ts';
import { type Sql, statement } from '../../db/sql.ts';
import { idTime, lowestIdAt } from '../../kernel/ids.ts';
import { backlogSql } from '../../queue/index.ts';
import type { NotificationStatus } from './schema.ts';

/** What waits of an environment. */
export interface Backlog {
  /** Due, and not yet taken up by a worker. */
  waiting: number;
  /** To be sent at a later time: scheduled, put off, or to be tried again. */
  later: number;
  /** There is more in the queue than was counted: both are lower bounds. */
  isCapped: boolean;
  /** When the oldest became due that no worker has looked at; null: there is none. */
  oldestDueAt: number | null;
}

const countBacklog = statement<{
  waiting: number;
  later: number;
  is_capped: boolean;
  untouched: { id: string; send_at: string | null }[] | null;
}>(
  'notifications_count_backlog',
  // Whatever a worker has looked at has a trace, and waits for another reason than a lack of workers.
  `with ${backlogSql('notification', '$1')}
   select waiting, later, is_capped,
     (select json_agg(json_build_object('id', n.id, 'send_at', n.send_at))
      from queue_waiting q join notifications n on n.id = q.id where q.is_next and n.trace = '[]') as untouched
   from queue_counts`,
);

export async function countWaiting(sql: Sql, environmentId: string): Promise<Backlog> {
  const [row] = await countBacklog(sql, [environmentId]);
  const due = (row?.untouched ?? []).map(({ id, send_at }) =>
    Math.max(idTime(id), send_at === null ? 0 : Date.parse(send_at)),
  );
  return {
    waiting: row?.waiting ?? 0,
    later: row?.later ?? 0,
    isCapped: row?.is_capped ?? false,
    oldestDueAt: due.length === 0 ? null : Math.min(...due),
  };
}

/** One that did not arrive. */
export interface MissedRow {
  id: string;
  channel: Channel;
  status: Extract<NotificationStatus, 'failed' | 'bounced' | 'suppressed'>;
  reason: string | null;
}

const newestOf = (status: MissedRow['status']): string =>
  `(select id, channel, status, coalesce(suppression_reason, last_error) as reason from notifications
    where environment_id = $1 and status = '${status}' and id >= $2 order by id desc limit $3)`;

const listNewest = statement<MissedRow>(
  'notifications_list_missed',
  `select * from (${newestOf('failed')} union all ${newestOf('bounced')} union all ${newestOf('suppressed')}) as missed
   order by id desc limit $3`,
);

/** The newest that failed, bounced or were suppressed, of those accepted since. */
export function listMissed(
  sql: Sql,
  environmentId: string,
  since: Date,
  limit: number,
): Promise<MissedRow[]> {
  return listNewest(sql, [environmentId, lowestIdAt(since.getTime()), limit]);
}
