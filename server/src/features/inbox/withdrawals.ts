import type { Sql } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { newId } from '../../kernel/ids.ts';
import type { Owner } from './item.ts';

/** One message to a device has room for no more ids. */
const maxIds = 50;

/** Removes items from the devices that they rang: they were read, archived or snoozed here. Ring `push` after the commit. */
export async function enqueueWithdrawal(
  sql: Sql,
  queue: Deps['queue'],
  { environmentId, externalUserId }: Owner,
  ids: string[],
): Promise<void> {
  const slices = Array.from({ length: Math.ceil(ids.length / maxIds) }, (_, index) =>
    ids.slice(index * maxIds, (index + 1) * maxIds),
  );
  const works = slices.map((slice) => ({
    kind: 'push' as const,
    id: newId(),
    lane: 'normal' as const,
    environmentId,
    note: { withdraw: { external_user_id: externalUserId, ids: slice } },
  }));
  await queue.enqueue(sql, works);
}
