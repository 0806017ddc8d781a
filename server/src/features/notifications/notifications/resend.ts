import { hashBody } from '../../../http/json.ts';
import { Problem } from '../../../kernel/errors.ts';
import { idTime, newId } from '../../../kernel/ids.ts';
import type { KeyClaim } from '../../platform/idempotency/index.ts';
import { type Acceptance, checkSender, meterOf, type Sender, sourceIdOf } from './accept.ts';
import type { LookupSources } from './lookups.ts';
import type { ContentRow } from './notification-row.ts';
import type { StoredNotification } from './store.ts';
import { eventEntry, viewOf } from './view.ts';

export function checkResendable(stored: StoredNotification): void {
  const refuse = (reason: string) => {
    throw new Problem('notification_not_resendable', reason);
  };
  if (stored.status !== 'failed' && stored.status !== 'bounced')
    refuse(`Only failed or bounced notifications can be resent; this one is ${viewOf(stored).status}.`);
  if (stored.address === null) refuse('The recipient has been erased.');
  if (stored.attachments) refuse('The attachments have been deleted; send a new notification with them.');
}

/** The key's operation includes the id of the notification: the same key may resend another one. */
export function claimOfResend(environmentId: string, id: string, key: string): Omit<KeyClaim, 'resourceId'> {
  return { environmentId, operation: `resend:${id}`, key, bodyHash: hashBody(null) };
}

export function acceptanceOfResend(
  sender: Sender,
  stored: StoredNotification,
  content: ContentRow,
  claim: Omit<KeyClaim, 'resourceId'> | null,
  now: number,
): Acceptance {
  const id = newId(now);
  return {
    sender,
    row: {
      ...stored,
      id,
      status: 'queued',
      idempotency_key: claim?.key ?? null,
      resent_from: stored.id,
      source_id: sourceIdOf(sender),
      chain: sender.kind === 'workflow' ? sender.chain : null,
      attempt_count: 0,
      round: 0,
      send_at: null,
      sent_at: null,
      suppression_reason: null,
      last_error: null,
      events: [eventEntry('Queued', idTime(id), `Resent from ${stored.id}`)],
      trace: [],
    },
    content,
    bytes: [],
    keyClaim: claim && { ...claim, resourceId: id },
    meter: meterOf(sender, { id, channel: stored.channel }),
    pair: null,
  };
}

/**
 * Rendered content is sent again unchanged; content that could not be rendered gets the current template. Throws the Problem of a
 * channel that cannot send.
 */
export async function contentToResend(
  lookups: Pick<LookupSources, 'findTemplate' | 'findSenderProblem'>,
  { environmentKind }: Sender,
  stored: StoredNotification,
): Promise<ContentRow> {
  if (environmentKind === 'live')
    checkSender(await lookups.findSenderProblem(stored.environment_id, stored.channel));
  const content = contentOf(stored);
  if (!stored.template_key || stored.rendered_at) return content;
  const { environment_id, template_key, channel } = stored;
  const template = await lookups.findTemplate(environment_id, template_key, channel);
  return template?.channels.has(channel) ? { ...content, template_version_id: template.versionId } : content;
}

function contentOf(stored: StoredNotification): ContentRow {
  const { subject, html_body, text_body, template_data, from_name, reply_to, inbox_extras, attachments } =
    stored;
  const { template_version_id, inline_format, template_locale, structured, rendered_at } = stored;
  return {
    ...{ subject, html_body, text_body, template_data, from_name, reply_to, inbox_extras, attachments },
    ...{ template_version_id, inline_format, template_locale, structured, rendered_at },
  };
}
