import { parseEmailAddress } from '../../channels/email/address.ts';
import type { KeyClaim } from '../../http/idempotency.ts';
import { checkIdempotencyKey, hashBody } from '../../http/idempotency.ts';
import type { Principal } from '../../http/principal.ts';
import { invalidParameter, missingParameter, Problem } from '../../kernel/errors.ts';
import { idTime, newId } from '../../kernel/ids.ts';
import { type CheckedAttachments, checkAttachments } from './attachments.ts';
import { type ContentRow, eventEntry, type NotificationRow } from './life.ts';
import type { Lookups } from './lookups.ts';
import { type ResolvedRecipient, resolveRecipient } from './recipient.ts';
import { limits, type Priority, type SendRequest } from './schema.ts';

/** A request that passed every check, ready to be written. */
export interface Acceptance {
  row: NotificationRow;
  content: ContentRow;
  bytes: Buffer[];
  keyClaim: KeyClaim | null;
}

export interface AcceptOptions {
  idempotencyKey: string | null;
  defaultPriority: Priority;
  now: number;
}

/** Checks everything that can be known at once, so that the caller learns at once. Throws a Problem that names the field. */
export function checkRequest(
  principal: Principal,
  request: SendRequest,
  lookups: Lookups,
  options: AcceptOptions,
): Acceptance {
  const recipient = resolveRecipient(request);
  checkTemplate(request, lookups.template);
  const content = checkContent(request);
  if (request.category && !lookups.category) {
    throw new Problem('category_not_found', 'There is no category with this key.', { param: 'category' });
  }
  const sendAt = checkSendAt(request.send_at ?? null, options.now);
  const attachments = request.channel === 'email' ? checkAttachments(request.attachments ?? []) : null;
  if (attachments && sendAt && sendAt.getTime() > options.now + limits.attachmentDays * 86_400_000) {
    throw invalidParameter(
      'send_at',
      `Attachments are kept for ${limits.attachmentDays} days: send_at must be within them.`,
    );
  }
  return newAcceptance(principal.environmentId, request, {
    recipient,
    content,
    attachments,
    sendAt,
    priority: request.priority ?? options.defaultPriority,
    idempotencyKey: options.idempotencyKey,
    now: options.now,
  });
}

interface Checked {
  recipient: ResolvedRecipient;
  content: Omit<ContentRow, 'attachments'>;
  attachments: CheckedAttachments | null;
  sendAt: Date | null;
  priority: Priority;
  idempotencyKey: string | null;
  now: number;
}

function newAcceptance(environmentId: string, request: SendRequest, checked: Checked): Acceptance {
  const id = newId(checked.now);
  const key = checked.idempotencyKey;
  return {
    row: {
      id,
      environment_id: environmentId,
      channel: request.channel,
      status: 'queued',
      priority: checked.priority,
      address: checked.recipient.address,
      recipient_name: checked.recipient.name,
      external_user_id: checked.recipient.externalUserId,
      category: request.category || null,
      template_key: request.template_key || null,
      idempotency_key: key,
      action_url: request.action_url || null,
      resent_from: null,
      attempt_count: 0,
      round: 0,
      send_at: checked.sendAt,
      sent_at: null,
      suppression_reason: null,
      last_error: null,
      events: [eventEntry('Queued', idTime(id))],
      trace: [],
    },
    content: { ...checked.content, attachments: checked.attachments?.metadata ?? null },
    bytes: checked.attachments?.bytes ?? [],
    keyClaim:
      key === null
        ? null
        : {
            environmentId,
            operation: 'notification',
            key: checkIdempotencyKey(key),
            bodyHash: hashBody(request),
            resourceId: id,
          },
  };
}

function checkTemplate({ channel, template_key: key }: SendRequest, template: Lookups['template']): void {
  if (!key) {
    if (channel === 'chatone' || channel === 'chattwo' || channel === 'chatthree')
      throw missingParameter('template_key');
    return;
  }
  const param = 'template_key';
  if (!template) throw new Problem('template_not_found', 'There is no template with this key.', { param });
  if (!template.channels.has(channel))
    throw new Problem('template_body_missing', `The template has no body for ${channel}.`, { param });
}

type Content = Pick<
  SendRequest,
  | 'channel'
  | 'subject'
  | 'html_body'
  | 'text_body'
  | 'template_data'
  | 'action_url'
  | 'from_name'
  | 'reply_to'
>;

/** Content that the channel ignores is dropped here, not refused. */
export function checkContent(request: Content): Omit<ContentRow, 'attachments'> {
  const subject = request.subject || null;
  const html = request.html_body || null;
  const text = request.text_body || null;
  const templateData = request.template_data ?? {};
  if (JSON.stringify(templateData).length > limits.templateDataBytes) {
    throw invalidParameter(
      'template_data',
      `template_data must have at most ${limits.templateDataBytes} bytes as JSON.`,
    );
  }
  const common = { template_data: templateData, from_name: null, reply_to: null };
  switch (request.channel) {
    case 'email':
      if (!subject) throw missingParameter('subject');
      if (/\p{Cc}/u.test(subject))
        throw invalidParameter('subject', 'subject must not contain line breaks or control characters.');
      if (!html && !text) throw missingParameter('html_body');
      return {
        ...common,
        subject,
        html_body: html,
        text_body: text,
        from_name: checkFromName(request.from_name || null),
        reply_to: checkReplyTo(request.reply_to || null),
      };
    case 'in_app':
      if (!html) throw missingParameter('html_body');
      checkActionUrl(request.action_url || null);
      return { ...common, subject, html_body: html, text_body: null };
    case 'sms':
      if (!text) throw missingParameter('text_body');
      return { ...common, subject: null, html_body: null, text_body: text };
    case 'webhook':
      return { ...common, subject, html_body: html, text_body: text };
    default:
      return { ...common, subject: null, html_body: null, text_body: null };
  }
}

function checkFromName(name: string | null): string | null {
  if (name && /[<>\p{Cc}]/u.test(name)) {
    throw invalidParameter('from_name', 'from_name must not contain <, > or control characters.');
  }
  return name;
}

function checkReplyTo(address: string | null): string | null {
  if (!address) return null;
  const parsed = parseEmailAddress(address);
  if ('problem' in parsed) throw invalidParameter('reply_to', `reply_to ${parsed.problem}.`);
  return parsed.address;
}

/** An inbox shows it as a link: no `javascript:` and the like. */
function checkActionUrl(url: string | null): void {
  if (url && !/^\/(?!\/)/.test(url) && !/^https?:\/\//i.test(url)) {
    throw invalidParameter('action_url', 'action_url must begin with https://, http:// or /.');
  }
}

/** A time that has passed means now. */
export function checkSendAt(text: string | null, now: number): Date | null {
  if (!text) return null;
  const time = Date.parse(text);
  if (time > now + limits.sendAtDays * 86_400_000) {
    throw invalidParameter('send_at', `send_at must be at most ${limits.sendAtDays} days ahead.`);
  }
  return time > now ? new Date(time) : null;
}
