import { type Sql, statement, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { lockBroadcast, updateBroadcast } from './store.ts';

/**
 * Changes of statuses, added up: how many notifications each status gained. No statement of ours inserts into `broadcast_changes`: two
 * triggers on `notifications` do, `broadcast_status_updated` and `broadcast_recipient_deleted` (migration 0034).
 */
export type CountChanges = Record<string, number>;

interface ChangeRow {
  broadcast_id: string;
  old_status: string;
  new_status: string;
  count: number;
}

const sums = 'broadcast_id, old_status, new_status, count(*)::int as count';

const fold = statement<ChangeRow>(
  'broadcasts_fold_changes',
  `with gone as (
     delete from broadcast_changes where ctid = any (array(
       select ctid from broadcast_changes where broadcast_id = $1 limit $2 for update skip locked))
     returning *
   )
   select ${sums} from gone group by broadcast_id, old_status, new_status`,
);

/** Removes changes of a broadcast that is locked; the caller adds them to its counts in the same transaction. */
export async function takeChanges(tx: Sql, broadcastId: string, limit: number): Promise<CountChanges> {
  return changesOf(await fold(tx, [broadcastId, limit])).get(broadcastId) ?? {};
}

const list = statement<ChangeRow>(
  'broadcasts_list_changes',
  `select ${sums} from broadcast_changes where broadcast_id = any ($1::uuid[])
   group by broadcast_id, old_status, new_status`,
);

/** Changes that are not yet part of the counts of their broadcasts. */
export async function listChanges(sql: Sql, broadcastIds: string[]): Promise<Map<string, CountChanges>> {
  return broadcastIds.length === 0 ? new Map() : changesOf(await list(sql, [broadcastIds]));
}

/** Ended broadcasts with changes. */
const listChanged = statement<{ id: string; environment_id: string }>(
  'broadcasts_list_changed',
  `select b.id, b.environment_id from broadcasts b
   where b.completed_at is not null and exists (select from broadcast_changes c where c.broadcast_id = b.id)
   order by b.id desc limit $1`,
);

function changesOf(rows: ChangeRow[]): Map<string, CountChanges> {
  const changes = new Map<string, CountChanges>();
  for (const { broadcast_id, old_status, new_status, count } of rows) {
    const sum = changes.get(broadcast_id) ?? {};
    sum[old_status] = (sum[old_status] ?? 0) - count;
    sum[new_status] = (sum[new_status] ?? 0) + count;
    changes.set(broadcast_id, sum);
  }
  return changes;
}

export function addChanges(counts: Record<string, number>, changes: CountChanges): Record<string, number> {
  const sum = { ...counts };
  for (const [status, change] of Object.entries(changes)) sum[status] = (sum[status] ?? 0) + change;
  return sum;
}

const tidiedTogether = 100;
const changesAtOnce = 50_000;

/** Adds up changes of broadcasts that have ended: a delivery or a bounce may be reported days later. */
export async function tidyBroadcasts({ pool }: Pick<Deps, 'pool'>, isStopped: () => boolean): Promise<void> {
  for (const { id, environment_id } of await listChanged(pool, [tidiedTogether])) {
    if (isStopped()) return;
    await transaction(pool, async (tx) => {
      const row = await lockBroadcast(tx, environment_id, id);
      if (!row) return;
      const changes = await takeChanges(tx, id, changesAtOnce);
      await updateBroadcast(tx, { ...row, counts: addChanges(row.counts, changes) });
    });
  }
}
