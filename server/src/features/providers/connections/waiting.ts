import type { Channel } from '../../../channels/contract.ts';
import { channelSpecs } from '../../../channels/specs.ts';
import type { Sql } from '../../../db/sql.ts';
import type { Queue } from '../../../queue/index.ts';

/** The name under which notifications wait for their connection; null when they have none. */
export function connectionName({
  channel,
  connection_id: id,
}: {
  channel: Channel;
  connection_id: string | null;
}): string | null {
  return channelSpecs[channel].hasSettings ? channel : id;
}

/**
 * Retries notifications that wait for their next round after their connection was changed or found to work. The cause of the
 * wait does not matter: a wrong host looks like a provider that is down. Ring `wake` after the commit.
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
