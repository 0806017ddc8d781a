import { inSlices } from '../../../db/slices.ts';
import { type Sql, statement, transaction } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { Problem } from '../../../kernel/errors.ts';
import { lowestIdAt, type ScopedId } from '../../../kernel/ids.ts';
import type { Queue } from '../../../queue/index.ts';
import { eraseInboxItems, inboxTopic } from '../../inbox/index.ts';
import {
  type Eraser,
  isAliasSql,
  type Person,
  personSliceSql,
  readPersonSlice,
} from '../../people/users/index.ts';
import { eraseNotificationEvents } from '../../webhooks/index.ts';
import { eraseSandboxMessages } from '../sandbox/index.ts';
import { wasHandedOver } from './patch.ts';
import { eraseAttachments } from './purge.ts';
import { deleteNotifications, getNotification } from './store.ts';

/**
 * A person's notifications: those that named the user, and those that named only one of the user's addresses. Only email
 * addresses are case-insensitive. Inbox notifications always have a user id, which is the address when no user was named.
 */
const listOf = statement<{ id: string; is_queued: boolean }>(
  'notifications_list_of_person',
  `${personSliceSql(
    'notifications',
    `case channel
           when 'in_app' then ${isAliasSql('address', '$4')}
           when 'email' then external_user_id is null
           else external_user_id is null and address = any ($3::text[])
         end`,
  )}
   select n.id, n.status = 'queued' as is_queued from slice join notifications n on n.id = slice.id order by n.id`,
);

/**
 * The events and their times stay (an entry of an unknown kind goes); the recipient and the content go. So does everything that leads to a person elsewhere: the
 * URL that was called may be the recipient's own, and the id of a message at a provider may name a conversation.
 */
const redact = statement(
  'notifications_redact',
  `with contents as (
     update notification_contents
     set subject = null, html_body = null, text_body = null, template_data = '{}', from_name = null, reply_to = null,
       attachments = null, inbox_extras = null, structured = null, text_alternative = null, body_object = null
     where notification_id = any ($1::uuid[])
   )
   update notifications n
   set address = null, recipient_name = null, external_user_id = null, idempotency_key = null, action_url = null,
     last_error = null,
     events = (select coalesce(jsonb_agg(entry || '{"detail": null}' order by place), '[]')
               from jsonb_array_elements(n.events) with ordinality as e (entry, place)),
     trace = (select coalesce(jsonb_agg(case
                when entry ->> 'kind' = 'attempt'
                  then (entry - 'exchange') || '{"detail": null, "provider_message_id": null}'
                when entry ? 'detail' then entry || '{"detail": null}'
                else entry end order by place), '[]')
              from jsonb_array_elements(n.trace) with ordinality as t (entry, place)),
     history = (select string_agg(entry::text, ',' order by place) from (
       select place, case
         when jsonb_typeof(entry -> 0) = 'number' then jsonb_set(entry, '{2}', 'null', false)
         when entry ->> 0 = 'p' then entry
         when entry ->> 0 in ('g', 'd') then jsonb_set(entry, '{4}', 'null', false)
         when entry ->> 0 = 'a' then jsonb_set(jsonb_set(entry, '{5}', 'null', false), '{7}', 'null', false) - 9
         when entry ->> 0 = 'e' then jsonb_set(entry, '{1,detail}', 'null', false)
       end as entry
       from jsonb_array_elements(('[' || n.history || ']')::jsonb) with ordinality as h (entry, place)) as redacted)
   where n.id = any ($1::uuid[]) and n.environment_id = $2`,
);

/** Wakes the runs that wait for these erased notifications. Resolves to true when `run` must be rung after the commit. */
export type WakeRuns = (
  tx: Sql,
  queue: Pick<Queue, 'runNow'>,
  notifications: { id: string; status: 'deleted' }[],
) => Promise<boolean>;

/** Deletes everything about the notifications except inbox items. Resolves to true when `run` must be rung after the commit. */
async function deleteWholly(
  tx: Sql,
  queue: Pick<Queue, 'runNow'>,
  wakeRuns: WakeRuns,
  notifications: readonly ScopedId[],
): Promise<boolean> {
  await eraseSandboxMessages(tx, notifications);
  await eraseNotificationEvents(tx, notifications);
  await eraseAttachments(tx, notifications);
  await deleteNotifications(tx, notifications);
  return wakeRuns(
    tx,
    queue,
    notifications.map(({ id }) => ({ id, status: 'deleted' })),
  );
}

/** Deletes a notification that no worker has. `owners` are those of its inbox items; `woken` as in `deleteWholly`. */
export async function deleteOne(
  tx: Sql,
  queue: Pick<Queue, 'withdraw' | 'runNow'>,
  wakeRuns: WakeRuns,
  { environmentId, id }: ScopedId,
): Promise<{ owners: Awaited<ReturnType<typeof eraseInboxItems>>; woken: boolean }> {
  const stored = await getNotification(tx, environmentId, id);
  const work = stored.status === 'queued' ? await queue.withdraw(tx, 'notification', id) : null;
  if (stored.status === 'queued' && (!work || wasHandedOver(work)))
    throw new Problem('notification_not_editable', 'The notification is being sent; delete it afterwards.');
  const woken = await deleteWholly(tx, queue, wakeRuns, [{ environmentId, id }]);
  return { owners: await eraseInboxItems(tx, [{ environmentId, id }]), woken };
}

const sliceSize = 500;

/** The age of a scheduled notification counts from its send time. Rows that another process deletes or changes are skipped. */
const lockEnded = statement<{ id: string; environment_id: string; channel: string }>(
  'notifications_lock_ended',
  `select id, environment_id, channel from notifications
   where id > $1 and id < $2 and status <> 'queued' and coalesce(send_at < $3, true)
   order by id limit $4
   for update skip locked`,
);

/**
 * Deletes, as DELETE does, notifications that were accepted or due before then and have left the queue. Each slice is one
 * transaction, regardless of how many environments its notifications belong to: one transaction per environment removed 139
 * rows/s when 1,000 environments shared a slice and a commit took 5 ms.
 */
export const forgetNotifications = (beforeMs: number, wakeRuns: WakeRuns) =>
  inSlices(async ({ pool, queue, doorbell }: Pick<Deps, 'pool' | 'queue' | 'doorbell'>, after) => {
    const { last, woken, owners } = await transaction(pool, async (tx) => {
      const rows = await lockEnded(tx, [after, lowestIdAt(beforeMs), new Date(beforeMs), sliceSize]);
      const ended = rows.map(({ id, environment_id, channel }) => ({
        environmentId: environment_id,
        id,
        channel,
      }));
      return {
        last: ended.at(-1)?.id ?? null,
        woken: ended.length > 0 && (await deleteWholly(tx, queue, wakeRuns, ended)),
        owners: await eraseInboxItems(
          tx,
          ended.filter(({ channel }) => channel === 'in_app'),
        ),
      };
    });
    if (woken) queue.ring('run');
    for (const topic of new Set(owners.map(inboxTopic))) doorbell.ring(topic);
    return last;
  });

/** Queued notifications are taken out of the queue and deleted; those being sent are left for the next round. */
export function notificationEraser(queue: Pick<Queue, 'withdraw' | 'runNow'>, wakeRuns: WakeRuns): Eraser {
  return {
    async erase(tx, person, after) {
      const { rows, next } = await readPersonSlice(tx, listOf, person, after);
      const withdrawn: string[] = [];
      let skipped = false;
      for (const { id, is_queued } of rows) {
        if (!is_queued) continue;
        if (await queue.withdraw(tx, 'notification', id)) withdrawn.push(id);
        else skipped = true;
      }
      await eraseRows(
        tx,
        person,
        withdrawn,
        rows.filter((row) => !row.is_queued).map((row) => row.id),
      );
      await wakeRuns(
        tx,
        queue,
        withdrawn.map((id) => ({ id, status: 'deleted' })),
      );
      return { next, skipped };
    },
  };
}

async function eraseRows(
  tx: Sql,
  { environmentId }: Person,
  withdrawn: string[],
  past: string[],
): Promise<void> {
  const scoped = (ids: string[]): ScopedId[] => ids.map((id) => ({ environmentId, id }));
  const notifications = scoped([...withdrawn, ...past]);
  await eraseSandboxMessages(tx, notifications);
  await eraseNotificationEvents(tx, notifications);
  await eraseAttachments(tx, notifications);
  await deleteNotifications(tx, scoped(withdrawn));
  await redact(tx, [past, environmentId]);
}
