import { ringDelayMs } from '../../../channels/in-app/push/ring-setting.ts';
import type { Sql } from '../../../db/sql.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Lane, Queue } from '../../../queue/index.ts';
import type { PushNote } from './ring.ts';
import { type ArrivedItem, listRingSettings } from './ring-store.ts';

/** An item that may ring, and the lane of the work. */
interface RingingItem extends ArrivedItem {
  lane: Lane;
  /** It returned from a snooze. Its first ring may still be under way, so the second is work of its own. */
  isReturned?: boolean;
}

/**
 * Writes the work that rings the devices, in the transaction that delivers the items. Only for items of environments with push
 * settings. Returns true when some of it is ready: ring `push` after the commit.
 */
export async function planRings(
  tx: Sql,
  queue: Pick<Queue, 'enqueue' | 'postpone'>,
  arrived: RingingItem[],
  now: number,
): Promise<boolean> {
  if (arrived.length === 0) return false;
  const items = new Map(arrived.map((item) => [item.id, item]));
  const work = (await listRingSettings(tx, arrived)).flatMap(({ id, ring }) => {
    const item = items.get(id);
    const delayMs = ringDelayMs(ring);
    if (!item || delayMs === null) return [];
    const note: PushNote | null = item.isReturned ? { returned: id } : null;
    return [
      {
        kind: 'push' as const,
        id: note ? newId(now) : id,
        lane: item.lane,
        environmentId: item.environment_id,
        note,
        delayMs,
      },
    ];
  });
  const ready = work.filter(({ delayMs }) => delayMs === 0);
  await queue.enqueue(tx, ready);
  await queue.postpone(
    tx,
    work
      .filter(({ delayMs }) => delayMs > 0)
      .map(({ delayMs, ...later }) => ({ ...later, runAt: new Date(now + delayMs) })),
  );
  return ready.length > 0;
}
