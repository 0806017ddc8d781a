import { type Sql, transaction } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { notFound, Problem } from '../../kernel/errors.ts';
import { recordEvents } from '../webhooks/index.ts';
import { markItem } from './changes-store.ts';
import { enqueueReceipts, enqueueWithdrawal, openedReceipt } from './follow-ups.ts';
import { type ItemRow, inboxTopic, type Owner } from './item.ts';
import { findItem } from './store.ts';

/** The name of the event, for webhook endpoints and for workflows that wait for it. */
const eventType = 'inbox.action';

/** Workflow runs that may wait for the action; features/workflows/runs knows them. */
interface ActionEvents {
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

export type ActionDeps = Pick<Deps, 'pool' | 'queue' | 'clock' | 'doorbell'> & { actionEvents: ActionEvents };

/**
 * Records the action that a recipient chose. The item, the event for workflows and webhook endpoints, and the receipts of the
 * notification are one transaction, and only the first change of `action_key` passes: the outcome is recorded once.
 */
export async function takeAction(deps: ActionDeps, owner: Owner, id: string, key: string): Promise<void> {
  const { pool, queue, doorbell } = deps;
  const item = await findItem(pool, owner, id);
  if (!item) throw notFound('inbox item');
  const action = item.actions.find((candidate) => candidate.key === key);
  if (!action) throw notFound('action');
  if (item.action_key !== null) return refuseOther(item.action_key, key);

  const now = new Date(deps.clock());
  const data = dataOf(owner, item, action, now);
  const event = { event_name: eventType, event_data: data };
  const sender = await deps.actionEvents.prepareForSender(owner.environmentId, id, event);
  const done = await transaction(pool, async (tx) => {
    const change = await markItem(tx, owner, id, 'acted', now, [key]);
    if (!change) return null;
    if (change.snooze_id) await queue.withdraw(tx, 'inbox_return', change.snooze_id);
    // Receipts, runs, pushes, events: everyone takes fairness tags in this order.
    const clicked = { itemId: id, type: 'Clicked' as const, detail: `Action “${key}” in the inbox.` };
    const receipts = change.first_read ? [openedReceipt(id), clicked] : [clicked];
    await enqueueReceipts(tx, queue, owner, { receipts, lane: 'normal', at: now });
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
