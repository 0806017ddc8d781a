import type { Sql } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { newId } from '../../kernel/ids.ts';
import type { Lane } from '../../queue/index.ts';
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

interface Receipt {
  itemId: string;
  type: 'Opened' | 'Clicked';
  detail: string;
}

export const openedReceipt = (itemId: string): Receipt => ({
  itemId,
  type: 'Opened',
  detail: 'Read in the inbox.',
});

/** What a recipient does with an item is a receipt for its notification: the job for receipts makes an event of it. */
export function enqueueReceipts(
  sql: Sql,
  queue: Deps['queue'],
  { environmentId }: Owner,
  { receipts, lane, at }: { receipts: Receipt[]; lane: Lane; at: Date },
): Promise<void> {
  return queue.enqueue(
    sql,
    receipts.map(({ itemId, type, detail }) => ({
      kind: 'receipt' as const,
      id: newId(),
      lane,
      environmentId,
      note: { notification_id: itemId, type, detail, at: at.toISOString() },
    })),
  );
}
