import { type TaskRunner, TaskStopped } from '../../threads/task.ts';
import type { Carrier } from '../contract.ts';
import { type ChannelPlanner, type DueNotification, envelopeTo, type InboxItem } from '../delivery-plan.ts';
import type { InAppMessage } from '../message.ts';
import { extrasOf, type InboxExtras, type InboxExtrasInput, isSafeLink } from './extras.ts';
import { htmlProblem, sanitizeTask } from './sanitize.ts';

/** The user's inbox: the item is written in any case, also when the carrier is the sandbox, which keeps a copy. */
export function createInAppPlanner({
  tasks,
  carriers,
}: {
  tasks: TaskRunner;
  carriers: { in_app(): Carrier };
}): ChannelPlanner {
  return {
    prepare: () => async (notification) => {
      const problem = notification.html_body === null ? null : htmlProblem(notification.html_body);
      if (problem) return { reason: 'content_refused', problem: `The HTML ${problem}.` };
      const html = await sanitized(tasks, notification).catch((error: unknown) => {
        if (error instanceof TaskStopped) return error;
        throw error;
      });
      if (html instanceof TaskStopped)
        return { reason: 'content_refused', problem: `The HTML cannot be sanitised: ${html.message}.` };
      const item = itemOf(notification, html);
      return {
        carriers: [carriers.in_app()],
        item,
        message: (attempt): InAppMessage => ({
          channel: 'in_app',
          ...envelopeTo(item.externalUserId, notification, attempt),
          subject: item.subject,
          html: item.htmlBody,
          text: item.textBody,
          actionUrl: item.actionUrl,
          data: item.data,
          tags: item.tags,
          actions: item.actions,
        }),
      };
    },
  };
}

/** HTML is sanitized on the way in and not on display, so every reader of the feed can rely on it. */
async function sanitized(
  tasks: TaskRunner,
  { environment_id: owner, html_body: html }: DueNotification,
): Promise<string | null> {
  return html === null ? null : tasks.run(sanitizeTask, owner, html);
}

function itemOf(notification: DueNotification, html: string | null): InboxItem {
  const { action_url: url } = notification;
  return {
    id: notification.id,
    environmentId: notification.environment_id,
    externalUserId: notification.external_user_id ?? notification.address ?? '',
    subject: notification.subject,
    htmlBody: html,
    textBody: notification.text_body,
    actionUrl: url !== null && isSafeLink(url) ? url : null,
    data: notification.template_data,
    category: notification.category,
    ...extrasIn(notification),
  };
}

/** Fields of the request take precedence over those of the template. */
function extrasIn({ inbox_extras: given, structured }: DueNotification): Required<InboxExtras> {
  const rendered = structured ? extrasOf(structured as InboxExtrasInput) : null;
  return { tags: [], actions: [], ...rendered, ...given };
}
