import { transaction } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { invalidParameter, notFound, Problem } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { markItem } from './changes-store.ts';
import { enqueueWithdrawal } from './follow-ups.ts';
import { inboxTopic, type Owner } from './item.ts';
import { snoozeDays } from './schema.ts';
import { countSnoozedItems } from './store.ts';

/** The note of the work item that ends a snooze. Its id is the item's `snooze_id`; of any other snooze it ends nothing. */
export interface SnoozeNote {
  item_id: string;
}

type SnoozeDeps = Pick<Deps, 'pool' | 'queue' | 'clock' | 'doorbell'>;

/** Pages of the feed pass over snoozed items, so an inbox has a limited number of them. */
const maxSnoozed = 1_000;
const dayMs = 86_400_000;

/**
 * The item and the work that brings it back are written together, under the lock of the inbox: a crash loses neither, and of two
 * snoozes of one item only the work of the later one counts.
 */
export async function beginSnooze(
  { pool, queue, clock, doorbell }: SnoozeDeps,
  owner: Owner,
  id: string,
  until: string,
): Promise<void> {
  const { environmentId } = owner;
  const now = clock();
  const runAt = new Date(until);
  checkEnd(runAt.getTime(), now);
  const snoozeId = newId(now);
  const change = await transaction(pool, async (tx) => {
    const done = await markItem(tx, owner, id, 'snoozed', new Date(now), [runAt, snoozeId]);
    if (!done) throw notFound('inbox item');
    if ((await countSnoozedItems(tx, owner, maxSnoozed + 1)) > maxSnoozed)
      throw new Problem('snooze_limit_reached', `An inbox can have ${maxSnoozed} snoozed items.`);
    if (done.snooze_id) await queue.withdraw(tx, 'inbox_return', done.snooze_id);
    const note: SnoozeNote = { item_id: id };
    await queue.postpone(tx, [
      { kind: 'inbox_return', id: snoozeId, lane: 'normal', environmentId, note, runAt },
    ]);
    if (done.rung) await enqueueWithdrawal(tx, queue, owner, [id]);
    return done;
  });
  if (change.rung) queue.ring('push');
  doorbell.ring(inboxTopic(owner));
}

export async function endSnooze(
  { pool, queue, clock, doorbell }: SnoozeDeps,
  owner: Owner,
  id: string,
): Promise<void> {
  const now = clock();
  const done = await transaction(pool, async (tx) => {
    const change = await markItem(tx, owner, id, 'returned', new Date(now), [newId(now)]);
    if (change?.snooze_id) await queue.withdraw(tx, 'inbox_return', change.snooze_id);
    return change;
  });
  if (done) doorbell.ring(inboxTopic(owner));
}

function checkEnd(until: number, now: number): void {
  if (until <= now) throw invalidParameter('until', 'until must be in the future.');
  if (until > now + snoozeDays * dayMs)
    throw invalidParameter('until', `until must be at most ${snoozeDays} days ahead.`);
}
