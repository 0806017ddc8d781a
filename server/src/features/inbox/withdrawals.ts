import type { Sql } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { newId } from '../../kernel/ids.ts';
import type { Owner } from './item.ts';

/** Removes items from the devices that they rang: they were read, archived or snoozed here. Ring `push` after the commit. */
export async function enqueueWithdrawal(
  sql: Sql,
  queue: Deps['queue'],
  { environmentId, externalUserId }: Owner,
  ids: string[],
): Promise<void> {
  if (ids.length === 0) return;
  const note = { withdraw: { external_user_id: externalUserId, ids } };
  await queue.enqueue(sql, [{ kind: 'push', id: newId(), lane: 'normal', environmentId, note }]);
}
