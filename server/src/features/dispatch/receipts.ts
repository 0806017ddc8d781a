import type { Receipt } from '../../channels/contract.ts';
import { transaction, untilDatabaseAnswers } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { createBatcher } from '../../kernel/batcher.ts';
import type { Claim, Job } from '../../queue/index.ts';
import { announce } from '../notifications/index.ts';
import { suppressRefused } from '../suppressions/index.ts';
import { receiptUpdate, refusalIn } from './settle.ts';
import { updateByReceipts } from './store.ts';

interface LaterReceipt {
  notification_id: string;
  type: Receipt['type'];
  detail: string | null;
  soft?: boolean;
  at?: string;
}

/** Receipts that come after the acceptance: what the sandbox promised for later, and what was read in an inbox. */
export function createReceiptJob(deps: Pick<Deps, 'pool' | 'queue' | 'clock'>): Job<LaterReceipt> {
  const batcher = createBatcher<{ claim: Claim; receipt: LaterReceipt }, undefined>(
    (items) => untilDatabaseAnswers(() => write(items)),
    { concurrency: 1, maxItems: 200 },
  );

  async function write(items: { claim: Claim; receipt: LaterReceipt }[]): Promise<undefined[]> {
    const ids = items.map(({ claim }) => claim.id);
    const announced = await transaction(deps.pool, async (tx) => {
      const held = new Set(await deps.queue.finish(tx, 'receipt', ids));
      const byNotification = new Map<string, Receipt[]>();
      for (const { claim, receipt } of items) {
        if (!held.has(claim.id)) continue;
        byNotification.set(receipt.notification_id, [
          ...(byNotification.get(receipt.notification_id) ?? []),
          receipt,
        ]);
      }
      const updates = [...byNotification].map(([id, receipts]) => receiptUpdate(id, receipts, deps.clock()));
      const updated = await updateByReceipts(tx, updates);
      const refusals = updated.flatMap((notification) => {
        const refusal = refusalIn(byNotification.get(notification.id) ?? []);
        return refusal ? [{ ...notification, ...refusal }] : [];
      });
      await suppressRefused(tx, refusals, deps.clock());
      const additions = updated.map(({ id, environment_id: environmentId, channel }) => ({
        id,
        environmentId,
        channel,
        events: updates.find((update) => update.id === id)?.events ?? [],
      }));
      return announce(tx, deps.queue, additions);
    });
    if (announced) deps.queue.ring('webhook_delivery');
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
