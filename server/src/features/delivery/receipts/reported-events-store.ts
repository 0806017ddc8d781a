import { deleteInSlices } from '../../../db/slices.ts';
import { type Sql, statement } from '../../../db/sql.ts';

export interface SeenEvent {
  environmentId: string;
  providerId: string;
  /** The hash of the provider's own event id. */
  hash: Buffer;
}

const insert = statement<{ environment_id: string; provider_id: string; event_hash: Buffer }>(
  'receipts_insert_events',
  `insert into callback_events (environment_id, provider_id, event_hash, seen_at)
   select environment_id, provider_id, event_hash, $4
   from unnest($1::uuid[], $2::uuid[], $3::bytea[]) as reported (environment_id, provider_id, event_hash)
   order by environment_id, provider_id, event_hash -- all transactions lock in this order, so there are no deadlocks
   on conflict do nothing
   returning environment_id, provider_id, event_hash`,
);

/** Returns the events that were not stored before, each once. */
export async function insertEvents(tx: Sql, events: SeenEvent[], now: number): Promise<SeenEvent[]> {
  if (events.length === 0) return [];
  const rows = await insert(tx, [
    events.map(({ environmentId }) => environmentId),
    events.map(({ providerId }) => providerId),
    events.map(({ hash }) => hash),
    new Date(now),
  ]);
  return rows.map((row) => ({
    environmentId: row.environment_id,
    providerId: row.provider_id,
    hash: row.event_hash,
  }));
}

const deleteOld = statement<{ deleted: number }>(
  'receipts_delete_events',
  `with gone as (
     delete from callback_events where ctid = any (array(
       select ctid from callback_events where seen_at < $1 order by seen_at limit $2 for update skip locked))
     returning 1)
   select count(*)::int as deleted from gone`,
);

/** Longer than the maximum age of a signature (25 hours), so that a replay of a deleted event is refused for its age. */
const keptMs = 3 * 86_400_000;

export const tidyCallbacks = deleteInSlices(5_000, async ({ pool, clock }, limit) => {
  return (await deleteOld(pool, [new Date(clock() - keptMs), limit]))[0]?.deleted ?? 0;
});
