import type { EmailMessage } from '../../../channels/contract.ts';
import type { Pool } from '../../../db/sql.ts';
import type { Deps } from '../../../deps.ts';
import { isLoopHeld, yieldToEventLoop } from '../../../kernel/event-loop.ts';
import { type TaskRunner, TaskStopped } from '../../../kernel/threads/task.ts';
import { type EmailConnections, type EmailSender, emailIdentity } from '../../connections/index.ts';
import type { LinkSecret, LinkSecrets } from '../../links/index.ts';
import { listAttachmentBytes } from '../../notifications/index.ts';
import { trackedHtml } from '../../tracking/index.ts';
import type { DispatchFact } from '../store.ts';
import { type ChannelPlanner, type DeliveryPlan, environmentsOf, type NoPlan } from './delivery-plan.ts';
import { authoredText, textAlternative } from './text-alternative.ts';

/** The email channel: the providers of the environment, in the order of its chain. */
export function createEmailPlanner(
  deps: Pick<Deps, 'pool' | 'publicUrl'> & {
    tasks: TaskRunner;
    linkSecrets: LinkSecrets;
    emailConnections: EmailConnections;
  },
): ChannelPlanner {
  const { publicUrl, linkSecrets, emailConnections } = deps;
  return {
    async prepare(facts) {
      const senders = await emailConnections.sendersFor(environmentsOf(facts));
      const tracking = [...senders].filter(([, { track }]) => track.opens || track.clicks);
      const secretOf = await linkSecrets.secretsFor(tracking.map(([id]) => id));
      return (fact, headers) => {
        const sender = senders.get(fact.environment_id) ?? null;
        const secret = secretOf.get(fact.environment_id);
        return planFor(deps, fact, sender, secret && { publicUrl: publicUrl(), secret }, headers);
      };
    },
  };
}

interface TrackingLink {
  publicUrl: string;
  secret: LinkSecret;
}

async function trackedBody(
  { id, html_body: html }: DispatchFact,
  { track }: EmailSender,
  link: TrackingLink,
): Promise<string | null> {
  while (isLoopHeld()) await yieldToEventLoop();
  return html === null ? null : trackedHtml(html, id, track, link);
}

async function planFor(
  deps: { pool: Pool; tasks: TaskRunner },
  fact: DispatchFact,
  sender: EmailSender | null,
  link: TrackingLink | undefined,
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
  const text = authoredText(fact) ?? (await textAlternative(deps, fact));
  if (text instanceof TaskStopped)
    return { reason: 'content_refused', problem: `The HTML cannot be turned into text: ${text.message}.` };
  const html = link ? await trackedBody(fact, sender, link) : fact.html_body;
  const { from, replyTo } = emailIdentity(sender, fact);
  const attachments = fact.attachments ? await listAttachments(deps.pool, fact.id, fact.attachments) : [];
  if (!attachments) {
    return {
      reason: 'attachments_expired',
      problem:
        'Its attachments were deleted by age before it could be sent; send a new notification with them.',
    };
  }
  return {
    carriers: [first, ...rest],
    // The limit makes an environment with a slow provider delay only its own email. The sandbox is never slow.
    ...(fact.environment_kind === 'test' ? {} : { concurrencyKey: `email:${fact.environment_id}` }),
    message: (attempt): EmailMessage => ({
      channel: 'email',
      notificationId: fact.id,
      environmentId: fact.environment_id,
      attempt,
      to: { address: fact.address ?? '', name: fact.recipient_name },
      from,
      replyTo,
      subject: fact.subject ?? '',
      html,
      text,
      attachments,
      headers,
    }),
  };
}

/** Returns null when some of the bytes are gone: a message without its attachments is not the message that was accepted. */
async function listAttachments(
  pool: Pool,
  id: string,
  files: NonNullable<DispatchFact['attachments']>,
): Promise<EmailMessage['attachments'] | null> {
  const bytes = await listAttachmentBytes(pool, id);
  const whole = files.flatMap(({ filename, content_type: contentType }, index) => {
    const file = bytes[index];
    return file ? [{ filename, contentType, bytes: file }] : [];
  });
  return whole.length === files.length ? whole : null;
}
