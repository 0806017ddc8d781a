import type { EmailMessage } from '../../channels/contract.ts';
import type { Pool } from '../../db/sql.ts';
import { type EmailConnections, type EmailSender, emailIdentity } from '../connections/index.ts';
import { listAttachmentBytes } from '../notifications/index.ts';
import type { ChannelRoads, NoRoad, Road } from './road.ts';
import type { DispatchFact } from './store.ts';

/** The email channel: the providers of the environment, in the order of its chain. */
export function createEmailRoads(pool: Pool, connections: EmailConnections): ChannelRoads {
  return {
    async prepare(facts) {
      const environments = new Map(
        facts.map(({ environment_id: id, environment_kind: kind }) => [id, { id, kind }]),
      );
      const senders = await connections.sendersFor([...environments.values()]);
      return (fact, headers) => roadFor(pool, fact, senders.get(fact.environment_id) ?? null, headers);
    },
  };
}

async function roadFor(
  pool: Pool,
  fact: DispatchFact,
  sender: EmailSender | null,
  headers: Record<string, string>,
): Promise<Road | NoRoad> {
  const [first, ...rest] = sender?.carriers ?? [];
  if (!sender?.from || !first) {
    return {
      reason: 'provider_not_configured',
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
