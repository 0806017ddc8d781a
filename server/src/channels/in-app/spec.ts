// in_app is the inbox of a user, which the widgets and the inbox API show.
import { invalidParameter, missingParameter, Problem } from '../../kernel/errors.ts';
import { type TaskRunner, TaskStopped } from '../../threads/task.ts';
import type { Carrier } from '../contract.ts';
import { type ChannelPlanner, type DueNotification, envelopeTo, type InboxItem } from '../delivery-plan.ts';
import type { InAppMessage } from '../message.ts';
import { type ChannelSpec, invalidRecipient } from '../spec.ts';
import { extrasOf, extrasProblem, type InboxExtras, type InboxExtrasInput, isSafeLink } from './extras.ts';
import { htmlProblem, sanitizeTask } from './sanitize.ts';

export const inAppSpec: ChannelSpec = {
  recipient: {
    targetOf({ external_user_id: userId, address }) {
      const id = userId || address;
      if (!id) throw missingParameter('recipient.external_user_id');
      if (id.length > 255) throw invalidRecipient('address', 'The user id must have at most 255 characters.');
      return { address: id, isOwnAddress: false };
    },
    needsStoredAddress: () => false,
    addressesPerson: true,
    addressIsUserId: true,
  },
  content: {
    /** Inboxes show the text when there is no HTML. */
    inlineContentOf({ subject, html_body: html, text_body: text }) {
      if (!html && !text)
        throw new Problem('parameter_missing', 'html_body or text_body is required, or a template_key.', {
          param: 'html_body',
        });
      const problem = html ? htmlProblem(html) : null;
      if (problem) throw invalidParameter('html_body', `html_body ${problem} on this channel.`);
      return { subject: subject || null, html_body: html || null, text_body: html ? null : text || null };
    },
    /** An inbox shows the URL as a link, so `javascript:` and the like are refused. */
    checkRemaining({ action_url: url }) {
      if (url && !isSafeLink(url))
        throw invalidParameter('action_url', 'action_url must be an http or https URL, or a relative one.');
    },
    extrasOf(content) {
      const { tags, actions } = content;
      if (!tags && !actions) return null;
      const problem = extrasProblem({ tags, actions });
      if (problem) throw invalidParameter(problem.split(' ')[0] ?? 'actions', `${problem}.`);
      return extrasOf(content);
    },
    takesAttachments: false,
  },
  createPlanner: createInAppPlanner,
  preview: ({ subject, html, text, actionUrl, data, tags, actions }: InAppMessage) => ({
    subject,
    html,
    text,
    structured: { action_url: actionUrl, data, tags, actions },
  }),
  sandbox: {
    payloadOf: ({ subject, html, text, actionUrl, data, tags, actions }: InAppMessage) => ({
      subject,
      html_body: html,
      text_body: text,
      action_url: actionUrl,
      data,
      tags,
      actions,
    }),
    contentParts: { subject: 'subject', html_body: 'html_body', text_body: 'text_body' },
  },
  hasSettings: false,
  openMeansRead: true,
};

/** The user's inbox: the item is written in any case, also when the carrier is the sandbox, which keeps a copy. */
function createInAppPlanner({
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

/**
 * The inbox is our own, so every item is delivered. The dispatcher writes the item in the transaction that settles the
 * notification, so that "delivered" and "in the feed" are one thing; nothing is left here that could fail.
 */
export const inboxCarrier: Carrier = {
  name: 'inbox',
  kind: 'inbox',
  idempotent: true,
  send: async () => ({
    kind: 'accepted',
    providerMessageId: null,
    detail: 'Accepted.',
    receipts: [{ type: 'Delivered', detail: 'In the inbox.' }],
  }),
};
