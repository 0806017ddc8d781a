import type { Channel } from '../../channels/contract.ts';
import type { Sql } from '../../db/sql.ts';
import type { Queue } from '../../queue/index.ts';

/** The name under which notifications wait for the connection that they go through; null: they go through none. */
export function connectionName({
  channel,
  connection_id: id,
}: {
  channel: Channel;
  connection_id: string | null;
}): string | null {
  return channel === 'email' || channel === 'sms' ? channel : id;
}

/**
 * A connection was changed or found to work: what has been tried and waits for its next round is tried again. All of it, whatever
 * made it wait: a wrong host looks like a provider that is down. Ring `wake` after the commit.
 */
export function wakeWaiting(
  sql: Sql,
  queue: Pick<Queue, 'wake'>,
  environmentId: string,
  connection: 'email' | 'sms' | { id: string },
): Promise<void> {
  return queue.wake(
    sql,
    'notification',
    environmentId,
    typeof connection === 'string' ? connection : connection.id,
  );
}
