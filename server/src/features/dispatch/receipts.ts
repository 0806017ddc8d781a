import type { Receipt } from '../../channels/contract.ts';
import { transaction, untilDatabaseAnswers } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { createBatcher } from '../../kernel/batcher.ts';
import type { Claim, Job } from '../../queue/index.ts';
import { receiptUpdate } from './settle.ts';
import { updateByReceipts } from './store.ts';

interface LaterReceipt {
  notification_id: string;
  type: Receipt['type'];
  detail: string | null;
}

/** Receipts that come after the acceptance: what the sandbox promised for later. */
export function createReceiptJob(deps: Pick<Deps, 'pool' | 'queue' | 'clock'>): Job<LaterReceipt> {
  const batcher = createBatcher<{ claim: Claim; receipt: LaterReceipt }, undefined>(
    (items) => untilDatabaseAnswers(() => write(items)),
    { concurrency: 1, maxItems: 200 },
  );

  async function write(items: { claim: Claim; receipt: LaterReceipt }[]): Promise<undefined[]> {
    const ids = items.map(({ claim }) => claim.id);
    await transaction(deps.pool, async (tx) => {
      const held = new Set(await deps.queue.finish(tx, 'receipt', ids));
      const byNotification = new Map<string, Receipt[]>();
      for (const { claim, receipt } of items) {
        if (!held.has(claim.id)) continue;
        byNotification.set(receipt.notification_id, [
          ...(byNotification.get(receipt.notification_id) ?? []),
          receipt,
        ]);
      }
      await updateByReceipts(
        tx,
        [...byNotification].map(([id, receipts]) => receiptUpdate(id, receipts, deps.clock())),
      );
    });
    return items.map(() => undefined);
  }

  return {
    batch: 100,
    capacity: 400,
    load: async (claims) => new Map(claims.map((claim) => [claim.id, claim.note as LaterReceipt])),
    async run(claim, receipt) {
      if (receipt) await batcher.add({ claim, receipt });
    },
  };
}
