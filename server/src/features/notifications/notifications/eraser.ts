import { type Sql, statement } from '../../../db/sql.ts';
import type { ScopedId } from '../../../kernel/ids.ts';
import type { Queue } from '../../../queue/index.ts';
import {
  type Eraser,
  isAliasSql,
  type Person,
  personSliceSql,
  readPersonSlice,
} from '../../people/users/index.ts';
import { eraseNotificationEvents } from '../../webhooks/index.ts';
import { eraseSandboxMessages } from '../sandbox/index.ts';
import { eraseAttachments } from './purge.ts';
import { deleteNotifications } from './store.ts';

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
 * The events and their times stay; the recipient and the content go. So does everything that leads to a person elsewhere: the
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
              from jsonb_array_elements(n.trace) with ordinality as t (entry, place))
   where n.id = any ($1::uuid[]) and n.environment_id = $2`,
);

/** Wakes the runs that wait for these erased notifications. Resolves to true when `run` must be rung after the commit. */
export type WakeRuns = (
  tx: Sql,
  queue: Pick<Queue, 'runNow'>,
  notifications: { id: string; status: 'deleted' }[],
) => Promise<boolean>;

/** Deletes everything about the notifications except inbox items. Resolves to true when `run` must be rung after the commit. */
export async function deleteWholly(
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
