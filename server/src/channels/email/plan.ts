import { shouldYield, yieldToEventLoop } from '../../kernel/event-loop.ts';
import { type TaskRunner, TaskStopped } from '../../threads/task.ts';
import type { Carrier } from '../contract.ts';
import {
  type ChannelPlanner,
  type DeliveryPlan,
  type DueNotification,
  envelopeTo,
  environmentsOf,
  type NoPlan,
  type SendersFor,
} from '../delivery-plan.ts';
import type { EmailMessage } from '../message.ts';
import { isTextWorthKeeping, textTask } from './text.ts';

/** Rewrites the HTML of a notification so that opens and clicks are counted. */
type Tracker = (html: string, notificationId: string) => string;

/** What the planner needs of the rest of the service. */
export interface EmailServices {
  sendersFor: SendersFor<EmailSender>;
  /** Trackers by environment; environments that do not track are left out. */
  trackersFor(senders: ReadonlyMap<string, EmailSender>): Promise<Map<string, Tracker>>;
  /** The bytes of attachments in their order; those that were deleted by age are missing. */
  listAttachmentBytes(notificationId: string): Promise<(Buffer | undefined)[]>;
  /** Stores the text that was made from the HTML. */
  storeTextAlternative(notificationId: string, text: string): Promise<unknown>;
}

/** The providers of the environment, in the order of its chain. */
export function createEmailPlanner(services: { tasks: TaskRunner; email: EmailServices }): ChannelPlanner {
  const { email } = services;
  return {
    async prepare(notifications) {
      const senders = await email.sendersFor(environmentsOf(notifications));
      const trackers = await email.trackersFor(senders);
      return (notification, headers) => {
        const { environment_id: id } = notification;
        return planFor(services, notification, senders.get(id) ?? null, trackers.get(id), headers);
      };
    },
  };
}

async function planFor(
  services: { tasks: TaskRunner; email: EmailServices },
  notification: DueNotification,
  sender: EmailSender | null,
  tracker: Tracker | undefined,
  headers: Record<string, string>,
): Promise<DeliveryPlan | NoPlan> {
  const [first, ...rest] = sender?.carriers ?? [];
  if (!sender?.from || !first) {
    return {
      reason: 'provider_not_configured',
      problem: sender?.problem ?? 'The environment has no email provider; add one in its email settings.',
    };
  }
  // The text comes from the HTML as it was written: tracked links in the text would count nothing.
  const text = authoredText(notification) ?? (await textAlternative(services, notification));
  if (text instanceof TaskStopped)
    return { reason: 'content_refused', problem: `The HTML cannot be turned into text: ${text.message}.` };
  const html = tracker ? await trackedHtml(notification, tracker) : notification.html_body;
  const { from, replyTo } = emailIdentity(sender, notification);
  const attachments = notification.attachments ? await attachmentsOf(services.email, notification) : [];
  if (!attachments) {
    return {
      reason: 'attachments_expired',
      problem:
        'The attachments expired before the notification could be sent; send a new notification with them.',
    };
  }
  return {
    carriers: [first, ...rest],
    // The limit makes an environment with a slow provider delay only its own email.
    concurrencyKey: `email:${notification.environment_id}`,
    message: (attempt): EmailMessage => ({
      channel: 'email',
      ...envelopeTo(notification.address ?? '', notification, attempt),
      from,
      replyTo,
      subject: notification.subject ?? '',
      html,
      text,
      attachments,
      headers,
    }),
  };
}

/** The plain-text part of an email as its author wrote it; null when it is to be made from the HTML. */
function authoredText({ html_body: html, text_body: text }: DueNotification): string | null {
  return html === null ? (text ?? '') : text;
}

/**
 * The plain-text part made from the HTML. A slow conversion is stored, so that later rounds and viewers get it immediately;
 * storing every fast one would add a write to each send. Returns TaskStopped when the conversion takes too long.
 */
async function textAlternative(
  { tasks, email }: { tasks: TaskRunner; email: EmailServices },
  notification: DueNotification,
): Promise<string | TaskStopped> {
  const { id, environment_id: owner, html_body: html, text_alternative: kept } = notification;
  if (html === null) return '';
  // A template that is rendered again may give another text.
  const isRendered = notification.template_version_id !== null || notification.inline_format === 'liquid';
  const isSame = !isRendered || notification.rendered_at !== null;
  if (kept !== null && isSame) return kept;
  let alternative: string;
  try {
    alternative = await tasks.run(textTask, owner, html);
  } catch (error) {
    if (error instanceof TaskStopped) return error;
    throw error;
  }
  if (isTextWorthKeeping(html)) await email.storeTextAlternative(id, alternative);
  return alternative;
}

async function trackedHtml(
  { id, html_body: html }: DueNotification,
  tracker: Tracker,
): Promise<string | null> {
  while (shouldYield()) await yieldToEventLoop();
  return html === null ? null : tracker(html, id);
}

/** Returns null when some of the bytes are gone: a message without its attachments is not the message that was accepted. */
async function attachmentsOf(
  email: EmailServices,
  { id, attachments: files }: DueNotification,
): Promise<EmailMessage['attachments'] | null> {
  const bytes = await email.listAttachmentBytes(id);
  const whole = (files ?? []).flatMap(
    ({ filename, content_type: contentType, content_id: contentId }, index) => {
      const file = bytes[index];
      return file ? [{ filename, contentType, bytes: file, contentId }] : [];
    },
  );
  return whole.length === files?.length ? whole : null;
}

/** How an environment sends email. */
export interface EmailSender {
  from: { address: string; name: string | null } | null;
  replyTo: string | null;
  senderLocked: boolean;
  /** Whether we count opens, and clicks on links. */
  track: { opens: boolean; clicks: boolean };
  /** The carriers in the order they are tried. */
  carriers: Carrier[];
  /** Why nothing can be sent; null when sending works. */
  problem: string | null;
}

interface EmailIdentity {
  from: { address: string; name: string | null };
  replyTo: string | null;
}

/**
 * The From and Reply-To of an email. The address is always the sender's: the environment's, or the operator's with the managed
 * relay. A request may choose the display name unless the sender is locked, and the reply address. Requires a sender with an
 * address.
 */
export function emailIdentity(
  sender: Pick<EmailSender, 'from' | 'replyTo' | 'senderLocked'>,
  request: { from_name: string | null; reply_to: string | null },
): EmailIdentity {
  if (!sender.from) throw new Error('the sender has no address');
  const chosenName = sender.senderLocked ? null : request.from_name;
  return {
    from: { address: sender.from.address, name: chosenName || sender.from.name },
    replyTo: request.reply_to || sender.replyTo,
  };
}
