import type { Receipt } from '../../channels/contract.ts';
import { transaction, untilDatabaseAnswers } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { createBatcher } from '../../kernel/batcher.ts';
import { newId } from '../../kernel/ids.ts';
import type { Claim, Job, PostponedWork } from '../../queue/index.ts';
import { countMoved } from './activity.ts';
import { applyReceipts } from './apply.ts';

/** The note of the work: a receipt with the notification that it is about. */
interface LaterReceipt {
  notification_id: string;
  type: Receipt['type'];
  detail: string | null;
  soft?: boolean;
  at?: string;
}

/** The work that applies the receipts of a notification at their times. */
export function receiptWork(
  { id, lane, environmentId }: Claim,
  receipts: readonly Receipt[],
  now: number,
): PostponedWork[] {
  return receipts.map(({ type, detail, soft = false, afterMs = 0 }) => {
    const note: LaterReceipt = { notification_id: id, type, detail, soft };
    return { kind: 'receipt', id: newId(), lane, environmentId, note, runAt: new Date(now + afterMs) };
  });
}

/** Applies receipts that come after the acceptance: those that the sandbox scheduled, and reads in an inbox. */
export function createReceiptJob(
  deps: Pick<Deps, 'pool' | 'queue' | 'clock' | 'activity'>,
): Job<LaterReceipt> {
  const batcher = createBatcher<{ claim: Claim; receipt: LaterReceipt }, undefined>(
    (items) => untilDatabaseAnswers(() => write(items)),
    { concurrency: 1, maxItems: 200 },
  );

  async function write(items: { claim: Claim; receipt: LaterReceipt }[]): Promise<undefined[]> {
    const ids = items.map(({ claim }) => claim.id);
    const { announced, woken, moved } = await transaction(deps.pool, async (tx) => {
      const held = new Set(await deps.queue.finish(tx, 'receipt', ids));
      const receipts = items.flatMap(({ claim, receipt }) =>
        held.has(claim.id)
          ? [
              {
                notificationId: receipt.notification_id,
                environmentId: claim.environmentId,
                channel: null,
                receipt,
              },
            ]
          : [],
      );
      return applyReceipts(tx, { queue: deps.queue, now: deps.clock() }, receipts);
    });
    countMoved(deps.activity, moved);
    if (announced) deps.queue.ring('webhook_delivery');
    if (woken) deps.queue.ring('run');
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
