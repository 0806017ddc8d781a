import { type AfterCommit, createBatchedWriter } from '../../db/batched-writer.ts';
import type { Sql } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { newId } from '../../kernel/ids.ts';
import { type Claim, finishHeld, type Job } from '../../queue/index.ts';
import { returnItems } from './return-store.ts';
import type { SnoozeNote } from './snoozes.ts';
import { inboxTopic } from './topic.ts';

interface DueReturn {
  claim: Claim;
  note: SnoozeNote;
}

/** Brings snoozed items back at their time. The end of the lease and the return are one transaction. */
export function createInboxReturnJob({
  pool,
  queue,
  clock,
  doorbell,
}: Pick<Deps, 'pool' | 'queue' | 'clock' | 'doorbell'>): Job<SnoozeNote> {
  async function write(tx: Sql, due: DueReturn[]): Promise<AfterCommit> {
    const mine = await finishHeld(tx, queue, 'inbox_return', due);
    const now = clock();
    const owners = await returnItems(
      tx,
      mine.map(({ claim, note }) => ({ id: note.item_id, snoozeId: claim.id, position: newId(now) })),
      new Date(now),
    );
    return (): undefined => {
      for (const owner of owners) doorbell.ring(inboxTopic(owner));
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
