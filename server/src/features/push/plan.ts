import { ringDelayMs } from '../../channels/in-app/push/ring-setting.ts';
import type { Sql } from '../../db/sql.ts';
import type { Lane, Queue } from '../../queue/index.ts';
import { type ArrivedItem, listRingSettings } from './ring-store.ts';

/**
 * Writes the work that rings the devices, in the transaction that delivers the items. Only for items of environments with push
 * settings. Returns true when some of it is ready: ring `push` after the commit.
 */
export async function planRings(
  tx: Sql,
  queue: Pick<Queue, 'enqueue' | 'postpone'>,
  arrived: (ArrivedItem & { lane: Lane })[],
  now: number,
): Promise<boolean> {
  if (arrived.length === 0) return false;
  const lanes = new Map(arrived.map((item) => [item.id, item]));
  const work = (await listRingSettings(tx, arrived)).flatMap(({ id, ring }) => {
    const item = lanes.get(id);
    const delayMs = ringDelayMs(ring);
    if (!item || delayMs === null) return [];
    return [{ kind: 'push' as const, id, lane: item.lane, environmentId: item.environment_id, delayMs }];
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
