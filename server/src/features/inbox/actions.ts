import { type Sql, transaction } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { notFound, Problem } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { recordEvents } from '../webhooks/index.ts';
import { markItem } from './changes-store.ts';
import type { ItemRow, Owner } from './item.ts';
import { findItem } from './store.ts';
import { inboxTopic } from './topic.ts';
import { enqueueWithdrawal } from './withdrawals.ts';

/** The name of the event, for webhook endpoints and for workflows that wait for it. */
const eventType = 'inbox.action';

/** Workflow runs that may wait for the action; features/workflows/runs knows them. */
export interface ActionEvents {
  /**
   * Prepares an event for the run that sent a notification. `wake` writes it in the transaction of its cause and resolves to the
   * number of runs that it wakes; ring `run` after the commit.
   */
  prepareForSender(
    environmentId: string,
    notificationId: string,
    event: { event_name: string; event_data: ActionData },
  ): Promise<{ chain: string | null; wake(tx: Sql): Promise<number> }>;
}

type ActionData = {
  notification_id: string;
  external_user_id: string;
  action: string;
  label: string;
  category: string | null;
  tags: string[];
  taken_at: string;
};

interface Actions {
  take(owner: Owner, id: string, key: string): Promise<void>;
}

/**
 * Records the action that a recipient chose. The item, the event for workflows and webhook endpoints, and the receipts of the
 * notification are one transaction, and only the first change of `action_key` passes: the outcome is recorded once.
 */
export function createActions({
  pool,
  queue,
  clock,
  doorbell,
  actionEvents,
}: Pick<Deps, 'pool' | 'queue' | 'clock' | 'doorbell'> & { actionEvents: ActionEvents }): Actions {
  return {
    async take(owner, id, key) {
      const item = await findItem(pool, owner, id);
      if (!item) throw notFound('inbox item');
      const action = item.actions.find((candidate) => candidate.key === key);
      if (!action) throw notFound('action');
      if (item.action_key !== null) return refuseOther(item.action_key, key);

      const now = new Date(clock());
      const data = dataOf(owner, item, action, now);
      const event = { event_name: eventType, event_data: data };
      const sender = await actionEvents.prepareForSender(owner.environmentId, id, event);
      const done = await transaction(pool, async (tx) => {
        const change = await markItem(tx, owner, id, 'acted', now, [key]);
        if (!change) return null;
        if (change.snooze_id) await queue.withdraw(tx, 'inbox_return', change.snooze_id);
        // Receipts, runs, pushes, events: everyone takes fairness tags in this order.
        await enqueueReceipts(tx, owner, id, change.first_read, key, now);
        const woken = await sender.wake(tx);
        if (change.rung) await enqueueWithdrawal(tx, queue, owner, [id]);
        const deliveries = await recordEvents(tx, queue, [
          {
            environmentId: owner.environmentId,
            type: eventType,
            notificationId: id,
            chain: sender.chain,
            data: { ...data, data: item.data },
          },
        ]);
        return { isAnnounced: deliveries.length > 0, isWoken: woken > 0, wasRung: change.rung };
      });
      if (!done) return refuseOther((await findItem(pool, owner, id))?.action_key ?? key, key);
      doorbell.ring(inboxTopic(owner));
      queue.ring('receipt');
      if (done.isWoken) queue.ring('run');
      if (done.wasRung) queue.ring('push');
      if (done.isAnnounced) queue.ring('webhook_delivery');
    },
  };

  function enqueueReceipts(
    tx: Sql,
    { environmentId }: Owner,
    id: string,
    isFirstRead: boolean,
    key: string,
    now: Date,
  ): Promise<void> {
    const opened = { type: 'Opened' as const, detail: 'Read in the inbox.' };
    const clicked = { type: 'Clicked' as const, detail: `Action “${key}” in the inbox.` };
    return queue.enqueue(
      tx,
      (isFirstRead ? [opened, clicked] : [clicked]).map((receipt) => ({
        kind: 'receipt' as const,
        id: newId(),
        lane: 'normal' as const,
        environmentId,
        note: { notification_id: id, ...receipt, at: now.toISOString() },
      })),
    );
  }
}

function dataOf(
  { externalUserId }: Owner,
  { id, category, tags }: ItemRow,
  { key, label }: ItemRow['actions'][number],
  now: Date,
): ActionData {
  return {
    notification_id: id,
    external_user_id: externalUserId,
    action: key,
    label,
    category,
    tags,
    taken_at: now.toISOString(),
  };
}

/** The same action again is a repetition, which is answered like the first. */
function refuseOther(taken: string, key: string): void {
  if (taken !== key)
    throw new Problem('action_already_taken', `The action “${taken}” of this item has been chosen already.`);
}
