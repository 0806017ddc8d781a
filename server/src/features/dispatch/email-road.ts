import type { EmailMessage } from '../../channels/contract.ts';
import type { Pool } from '../../db/sql.ts';
import type { Deps } from '../../deps.ts';
import { isLoopHeld, nextTurn } from '../../kernel/courtesy.ts';
import { type TaskRunner, TaskStopped } from '../../kernel/threads/task.ts';
import { type EmailConnections, type EmailSender, emailIdentity } from '../connections/index.ts';
import { createLinkSecrets, type LinkSecret } from '../links/index.ts';
import { listAttachmentBytes } from '../notifications/index.ts';
import { trackedHtml } from '../tracking/index.ts';
import { type ChannelRoads, environmentsOf, type NoRoad, type Road } from './road.ts';
import type { DispatchFact } from './store.ts';
import { textOfEmail } from './text-alternative.ts';

/** The email channel: the providers of the environment, in the order of its chain. */
export function createEmailRoads(
  deps: Pick<Deps, 'pool' | 'keyring' | 'log' | 'publicUrl'> & { tasks: TaskRunner },
  connections: EmailConnections,
): ChannelRoads {
  const { pool, publicUrl } = deps;
  const secrets = createLinkSecrets(deps);
  return {
    async prepare(facts) {
      const senders = await connections.sendersFor(environmentsOf(facts));
      const tracking = [...senders].filter(([, { track }]) => track.opens || track.clicks);
      const secretOf = await secrets.secretsFor(tracking.map(([id]) => id));
      return async (fact, headers) => {
        const sender = senders.get(fact.environment_id) ?? null;
        const secret = secretOf.get(fact.environment_id);
        // From the HTML as it was written: nobody reads our links in the text, and they would count nothing.
        const text = await textOfEmail(deps, fact).catch((error: unknown) => {
          if (error instanceof TaskStopped) return error;
          throw error;
        });
        if (text instanceof TaskStopped)
          return {
            reason: 'content_refused',
            problem: `The HTML cannot be turned into text: ${text.message}.`,
          };
        const html =
          sender && secret
            ? await trackedBody(fact, sender, { publicUrl: publicUrl(), secret })
            : fact.html_body;
        return roadFor(pool, { ...fact, html_body: html, text_body: text }, sender, headers);
      };
    },
  };
}

async function trackedBody(
  { id, html_body: html }: DispatchFact,
  { track }: EmailSender,
  link: { publicUrl: string; secret: LinkSecret },
): Promise<string | null> {
  while (isLoopHeld()) await nextTurn();
  return html === null ? null : trackedHtml(html, id, track, link);
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
  const attachments = await attachmentsOf(pool, fact);
  if (!attachments) {
    return {
      reason: 'attachments_expired',
      problem:
        'Its attachments were deleted by age before it could be sent; send a new notification with them.',
    };
  }
  return {
    carriers: [first, ...rest],
    // So that an environment whose provider is slow holds up its own email alone. The sandbox never is.
    ...(fact.environment_kind === 'test' ? {} : { place: `email:${fact.environment_id}` }),
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
      text: fact.text_body ?? '',
      attachments,
      headers,
    }),
  };
}

/** Null: some of their bytes are gone. A message without what it was accepted with is another message. */
async function attachmentsOf(
  pool: Pool,
  { id, attachments: files }: DispatchFact,
): Promise<EmailMessage['attachments'] | null> {
  if (!files) return [];
  const bytes = await listAttachmentBytes(pool, id);
  const whole = files.flatMap(({ filename, content_type: contentType }, index) => {
    const file = bytes[index];
    return file ? [{ filename, contentType, bytes: file }] : [];
  });
  return whole.length === files.length ? whole : null;
}
