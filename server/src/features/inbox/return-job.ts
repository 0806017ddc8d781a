import { type AfterCommit, createBatchedWriter } from '../../db/batched-writer.ts';
import type { Sql } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { newId } from '../../kernel/ids.ts';
import { type Claim, finishHeld, type Job } from '../../queue/index.ts';
import { type ReturnedItem, returnItems } from './return-store.ts';
import type { SnoozeNote } from './snoozes.ts';
import { inboxTopic } from './topic.ts';

interface DueReturn {
  claim: Claim;
  note: SnoozeNote;
}

/** Writes the work that rings the devices for items that are back; true: ring `push` after the commit. */
type PlanRings = (
  tx: Sql,
  queue: Deps['queue'],
  items: (ReturnedItem & { lane: 'normal'; isReturned: true })[],
  now: number,
) => Promise<boolean>;

/** Brings snoozed items back at their time. The end of the lease, the return and its ring are one transaction. */
export function createInboxReturnJob({
  pool,
  queue,
  clock,
  doorbell,
  planRings,
}: Pick<Deps, 'pool' | 'queue' | 'clock' | 'doorbell'> & { planRings: PlanRings }): Job<SnoozeNote> {
  async function write(tx: Sql, due: DueReturn[]): Promise<AfterCommit> {
    const mine = await finishHeld(tx, queue, 'inbox_return', due);
    const now = clock();
    const items = await returnItems(
      tx,
      mine.map(({ claim, note }) => ({ id: note.item_id, snoozeId: claim.id, position: newId(now) })),
      new Date(now),
    );
    const ringing = items.map((item) => ({ ...item, lane: 'normal' as const, isReturned: true as const }));
    const rings = await planRings(tx, queue, ringing, now);
    return (): undefined => {
      const topics = items.map((item) =>
        inboxTopic({ environmentId: item.environment_id, externalUserId: item.external_user_id }),
      );
      for (const topic of new Set(topics)) doorbell.ring(topic);
      if (rings) queue.ring('push');
    };
  }

  const end = createBatchedWriter(pool, write, { concurrency: 1, maxItems: 200, whenUnavailable: 'wait' });

  return {
    batch: 100,
    capacity: 400,
    load: async (claims) => new Map(claims.map((claim) => [claim.id, claim.note as SnoozeNote])),
    async run(claim, note) {
      if (note) await end({ claim, note });
    },
  };
}
