import type { Channel } from '../../../channels/contract.ts';
import { type Sql, statement } from '../../../db/sql.ts';
import { idTime, lowestIdAt } from '../../../kernel/ids.ts';
import { backlogSql } from '../../../queue/index.ts';
import type { NotificationStatus } from './schema.ts';

/** The queued notifications of an environment. */
export interface Backlog {
  /** Ready, not yet claimed by a worker. */
  waiting: number;
  /** To be sent at a later time: scheduled, deferred, or waiting for a retry. */
  later: number;
  /** The queue holds more than was counted: both numbers are lower bounds. */
  isCapped: boolean;
  /** When the oldest notification that no worker has handled yet became due; null when there is none. */
  oldestDueAt: number | null;
}

const countBacklog = statement<{
  waiting: number;
  later: number;
  is_capped: boolean;
  untouched: { id: string; send_at: string | null }[] | null;
}>(
  'notifications_count_backlog',
  // A notification that a worker has handled has a history, and waits for a reason other than a lack of workers.
  `with ${backlogSql('notification', '$1')}
   select waiting, later, is_capped,
     (select json_agg(json_build_object('id', n.id, 'send_at', n.send_at))
      from queue_waiting q join notifications n on n.id = q.id where q.is_next and n.history is null and n.trace = '[]') as untouched
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

/** A notification that did not arrive. */
export interface MissedRow {
  id: string;
  channel: Channel;
  status: Extract<NotificationStatus, 'failed' | 'bounced' | 'suppressed'>;
  reason: string | null;
}

const newestOf = (status: MissedRow['status']): string =>
  `(select id from notification_rare_statuses
    where environment_id = $1 and status = '${status}' and id >= $2 order by id desc limit $3)`;

const listNewest = statement<MissedRow>(
  'notifications_list_missed',
  `select n.id, n.channel, n.status, coalesce(n.suppression_reason, n.last_error) as reason
   from (select id from (${newestOf('failed')} union all ${newestOf('bounced')} union all ${newestOf('suppressed')}) as newest
     order by id desc limit $3) as missed
   join notifications n on n.id = missed.id
   order by n.id desc`,
);

/** The newest notifications accepted since then that failed, bounced or were suppressed. */
export function listMissed(
  sql: Sql,
  environmentId: string,
  since: Date,
  limit: number,
): Promise<MissedRow[]> {
  return listNewest(sql, [environmentId, lowestIdAt(since.getTime()), limit]);
}
