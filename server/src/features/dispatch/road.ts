import type { Carrier, EmailMessage, Message } from '../../channels/contract.ts';
import type { Pool } from '../../db/sql.ts';
import { type EmailSender, emailIdentity } from '../connections/index.ts';
import type { NewItem } from '../inbox/index.ts';
import { listAttachmentBytes } from '../notifications/index.ts';
import type { DispatchFact } from './store.ts';

/** Who carries a notification, in the order to try them, and what they are given. */
export interface Road {
  carriers: [Carrier, ...Carrier[]];
  message: (attempt: number) => Message;
  /** Calls that share a limit share its name; see queue/places.ts. */
  place?: string;
  /** What is in an inbox once the notification is delivered. */
  item?: NewItem;
}

/** The road by channel; or why there is none, for the person who has to configure it. */
export async function roadFor(
  pool: Pool,
  fact: DispatchFact,
  sender: EmailSender | null,
  headers: Record<string, string>,
): Promise<Road | { problem: string }> {
  switch (fact.channel) {
    case 'email':
      return emailRoad(pool, fact, sender, headers);
    default:
      return { problem: `No provider is configured for the channel ${fact.channel}.` };
  }
}

async function emailRoad(
  pool: Pool,
  fact: DispatchFact,
  sender: EmailSender | null,
  headers: Record<string, string>,
): Promise<Road | { problem: string }> {
  const [first, ...rest] = sender?.carriers ?? [];
  if (!sender?.from || !first) {
    return {
      problem: sender?.problem ?? 'The environment has no email provider; add one in its email settings.',
    };
  }
  const { from, replyTo } = emailIdentity(sender, fact);
  const bytes = fact.attachments ? await listAttachmentBytes(pool, fact.id) : [];
  const attachments = (fact.attachments ?? []).map((file, index) => ({
    filename: file.filename,
    contentType: file.content_type,
    bytes: bytes[index] ?? Buffer.alloc(0),
  }));
  return {
    carriers: [first, ...rest],
    message: (attempt): EmailMessage => ({
      channel: 'email',
      notificationId: fact.id,
      environmentId: fact.environment_id,
      attempt,
      to: { address: fact.address ?? '', name: fact.recipient_name },
      from,
      replyTo,
      subject: fact.subject ?? '',
      html: fact.html_body,
      text: fact.text_body,
      attachments,
      headers,
    }),
  };
}
