import type { Receipt } from '../../../channels/contract.ts';
import { type AfterCommit, createBatchedWriter } from '../../../db/batched-writer.ts';
import type { Sql } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Claim, finishLeased, type Job, loadNotes, type PostponedWork } from '../../../queue/index.ts';
import { applyReceipts, notifyApplied } from './apply.ts';

/** The note of the work: a receipt with the notification that it is about. */
interface LaterReceipt {
  notification_id: string;
  type: Receipt['type'];
  detail: string | null;
  soft?: boolean;
  at?: string;
}

interface ClaimedReceipt {
  claim: Claim;
  receipt: LaterReceipt;
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
  const { pool, queue, clock } = deps;

  async function write(tx: Sql, results: ClaimedReceipt[]): Promise<AfterCommit> {
    const mine = await finishLeased(tx, queue, 'receipt', results);
    const receipts = mine.map(({ claim, receipt }) => ({
      notificationId: receipt.notification_id,
      environmentId: claim.environmentId,
      channel: null,
      receipt,
    }));
    const applied = await applyReceipts(tx, { queue, now: clock() }, receipts);
    return () => notifyApplied(deps, applied);
  }

  const end = createBatchedWriter(pool, write, { concurrency: 1, maxItems: 200, whenUnavailable: 'wait' });

  return {
    batch: 100,
    capacity: 400,
    load: loadNotes,
    async run(claim, receipt) {
      if (receipt) await end({ claim, receipt });
    },
  };
}
