import { avatarUrlProblem, usernameProblem } from '../../channels/chatthree/index.ts';
import { parseEmailAddress } from '../../channels/email/address.ts';
import { htmlProblem, isSafeLink } from '../../channels/in-app/index.ts';
import { textProblem } from '../../channels/sms/segments.ts';
import type { Principal } from '../../http/principal.ts';
import { invalidParameter, missingParameter, Problem } from '../../kernel/errors.ts';
import { idTime, newId } from '../../kernel/ids.ts';
import { withVendor } from '../../kernel/vendors.ts';
import type { KeyClaim } from '../idempotency/index.ts';
import { checkIdempotencyKey } from '../idempotency/index.ts';
import { type MeteredSend, overheadBytes } from '../usage/index.ts';
import { addressFields, type Pair } from '../users/index.ts';
import { checkAttachments } from './attachments.ts';
import { chatEndpointOf, type KnownCategory, type KnownConnection, type Lookups } from './lookups.ts';
import { type ContentRow, type ContentWords, eventEntry, type NotificationRow } from './notification-row.ts';
import { type ResolvedRecipient, resolveRecipient } from './recipient.ts';
import { type EventEntry, limits, type Priority, type SendRequest } from './schema.ts';

/** A request that passed every check, ready to be written. */
export interface Acceptance {
  sender: Sender;
  row: NotificationRow;
  content: ContentRow;
  bytes: Buffer[];
  keyClaim: KeyClaim | null;
  /** The send as the plan counts it; null in Test. */
  meter: MeteredSend | null;
  /** A user and an address that were named together, to be stored. */
  pair: Pair | null;
}

/** The environment, organization and plan that a notification is accepted for. */
export type Sender = Pick<Principal, 'environmentId' | 'environmentKind' | 'organizationId' | 'plan'>;

export interface AcceptOptions {
  /** The Idempotency-Key and the hash of its request. */
  idempotency: { key: string; bodyHash: string } | null;
  defaultPriority: Priority;
  now: number;
}

/**
 * Makes every check that is possible on acceptance, so that the caller gets errors immediately. Throws a Problem that names the
 * field.
 */
export function checkRequest(
  principal: Sender,
  request: SendRequest,
  lookups: Lookups,
  options: AcceptOptions,
): Acceptance {
  const named = resolveRecipient(request, lookups.user);
  checkWebhookEndpoint(request, lookups.hasWebhookEndpoint);
  checkTemplate(request, lookups.template);
  checkConnection(request, lookups.connection);
  // An endpoint may be named by its id; the stored address is its key.
  const recipient = { ...named, address: lookups.connection?.key ?? named.address };
  const content = checkContent(request);
  checkCategory(request, lookups.category);
  const sendAt = checkSendAt(request.send_at ?? null, options.now);
  const attachments = request.channel === 'email' ? checkAttachments(request.attachments ?? []) : null;
  if (attachments) checkAttachmentsLast(sendAt, options.now);
  return newAcceptance(principal, request, {
    recipient,
    content: {
      ...content,
      attachments: attachments?.metadata ?? null,
      template_version_id: lookups.template?.versionId ?? null,
      template_locale: lookups.template ? (lookups.user?.locale ?? null) : null,
      structured: null,
      rendered_at: null,
    },
    bytes: attachments?.bytes ?? [],
    sendAt,
    priority: lookups.category?.isCritical ? 'critical' : (request.priority ?? options.defaultPriority),
    idempotency: options.idempotency,
    connectionId: lookups.connection?.id ?? null,
    now: options.now,
  });
}

/** A message of the service itself, to show that a chat connection works. */
export interface TestMessage {
  channel: 'chatone' | 'chattwo' | 'chatthree';
  connectionId: string;
  address: string;
  text: string | null;
  structured: unknown;
}

/** The content is given complete, as if a template had been rendered. */
export function acceptanceOfTest(principal: Principal, test: TestMessage, now: number): Acceptance {
  const { channel, connectionId, address, text, structured } = test;
  return newAcceptance(
    principal,
    { channel, recipient: {} },
    {
      recipient: { address, name: null, externalUserId: null, isPair: false },
      content: {
        subject: null,
        html_body: null,
        text_body: text,
        template_data: {},
        from_name: null,
        reply_to: null,
        attachments: null,
        template_version_id: null,
        template_locale: null,
        structured,
        rendered_at: new Date(now),
      },
      bytes: [],
      sendAt: null,
      priority: 'normal',
      idempotency: null,
      connectionId,
      now,
    },
  );
}

interface Checked {
  recipient: ResolvedRecipient;
  content: ContentRow;
  bytes: Buffer[];
  sendAt: Date | null;
  priority: Priority;
  idempotency: AcceptOptions['idempotency'];
  connectionId: string | null;
  now: number;
}

function newAcceptance(principal: Sender, request: SendRequest, checked: Checked): Acceptance {
  const { environmentId } = principal;
  const id = newId(checked.now);
  const { idempotency } = checked;
  return {
    sender: principal,
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
      idempotency_key: idempotency?.key ?? null,
      action_url: request.action_url || null,
      resent_from: null,
      connection_id: checked.connectionId,
      attempt_count: 0,
      round: 0,
      send_at: checked.sendAt,
      sent_at: null,
      suppression_reason: null,
      last_error: null,
      events: queuedEvents(idTime(id)),
      trace: [],
    },
    content: checked.content,
    bytes: checked.bytes,
    keyClaim:
      idempotency === null
        ? null
        : {
            environmentId,
            operation: 'notification',
            key: checkIdempotencyKey(idempotency.key),
            bodyHash: idempotency.bodyHash,
            resourceId: id,
          },
    meter: meterOf(principal, { id, channel: request.channel }),
    pair: pairOf(environmentId, request.channel, checked.recipient),
  };
}

/** The approximate size of an accepted notification, as far as the caller determines it. */
export function storedBytes({ content, bytes }: Acceptance): number {
  const { subject, html_body: html, text_body: text, template_data: data } = content;
  let sum = overheadBytes + templateDataJson(data).length;
  sum += (subject?.length ?? 0) + (html?.length ?? 0) + (text?.length ?? 0);
  for (const file of bytes) sum += file.length;
  return sum;
}

let queued = { at: 0, events: [eventEntry('Queued', 0)] };

/** Notifications accepted within a millisecond share their events: formatting a date costs more than most of the rest. */
function queuedEvents(at: number): EventEntry[] {
  if (queued.at !== at) queued = { at, events: [eventEntry('Queued', at)] };
  return queued.events;
}

export function meterOf(
  { environmentKind, organizationId, plan }: Sender,
  { id, channel }: Pick<NotificationRow, 'id' | 'channel'>,
): MeteredSend | null {
  return environmentKind === 'live' ? { id, organizationId, plan, channel, at: idTime(id) } : null;
}

function pairOf(
  environmentId: string,
  channel: SendRequest['channel'],
  { externalUserId, address, isPair }: ResolvedRecipient,
): Pair | null {
  if (!isPair || !externalUserId || !(channel in addressFields)) return null;
  return { environmentId, externalUserId, channel: channel as Pair['channel'], address };
}

function checkCategory({ category: key }: SendRequest, category: KnownCategory | null): void {
  if (!key) return;
  const param = 'category';
  if (!category) throw new Problem('category_not_found', 'There is no category with this key.', { param });
  if (category.isArchived) {
    throw new Problem('category_archived', 'This category is archived and takes no new sends.', { param });
  }
}

function checkWebhookEndpoint({ channel, recipient }: SendRequest, exists: boolean): void {
  if (channel !== 'webhook' || !recipient.endpoint || exists) return;
  throw new Problem('endpoint_not_found', 'There is no webhook endpoint with this id.', {
    param: 'recipient.endpoint',
  });
}

function checkConnection({ channel, recipient }: SendRequest, connection: KnownConnection | null): void {
  if (connection) return;
  if (channel === 'chatone') {
    const message = recipient.endpoint
      ? 'There is no Slack (chatone) installation with this id or team.'
      : 'The environment has no Slack (chatone) installation.';
    throw new Problem('installation_not_found', message, {
      param: recipient.endpoint ? 'recipient.endpoint' : null,
    });
  }
  if (channel === 'chattwo' || channel === 'chatthree') {
    const named = chatEndpointOf(channel, recipient)?.field ?? 'endpoint';
    throw new Problem(
      'endpoint_not_found',
      `There is no ${withVendor(channel)} endpoint with this key or id.`,
      {
        param: `recipient.${named}`,
      },
    );
  }
}

function checkTemplate({ channel, template_key: key }: SendRequest, template: Lookups['template']): void {
  if (!key) {
    if (channel === 'chatone' || channel === 'chattwo' || channel === 'chatthree')
      throw needsTemplate(channel);
    return;
  }
  const param = 'template_key';
  if (!template) throw new Problem('template_not_found', 'There is no template with this key.', { param });
  if (!template.channels.has(channel))
    throw new Problem('template_body_missing', `The template has no body for ${withVendor(channel)}.`, {
      param,
    });
}

function needsTemplate(channel: 'chatone' | 'chattwo' | 'chatthree'): Problem {
  const field = channel === 'chatthree' ? 'text_template' : 'structured_template';
  return new Problem(
    'parameter_missing',
    `template_key is required for ${withVendor(channel)}: make a template with POST /v1/templates and bodies [{"channel": "${channel}", "${field}": "…"}], then send its key.`,
    { param: 'template_key' },
  );
}

type Content = Pick<
  SendRequest,
  | 'channel'
  | 'template_key'
  | 'subject'
  | 'html_body'
  | 'text_body'
  | 'template_data'
  | 'action_url'
  | 'from_name'
  | 'reply_to'
>;

/** Content that the channel ignores is dropped here, not refused; so is everything that the template replaces. */
export function checkContent(request: Content): ContentWords {
  const templateData = request.template_data ?? noData;
  if (templateDataJson(templateData).length > limits.templateDataBytes) {
    throw invalidParameter(
      'template_data',
      `template_data must have at most ${limits.templateDataBytes} bytes as JSON.`,
    );
  }
  const isEmail = request.channel === 'email';
  const words = {
    ...(request.template_key ? noWords : checkWords(request)),
    template_data: templateData,
    from_name: isEmail ? checkFromName(request.from_name || null) : null,
    reply_to: isEmail ? checkReplyTo(request.reply_to || null) : null,
  };
  if (request.channel === 'in_app') checkActionUrl(request.action_url || null);
  if (request.channel === 'chatthree') checkOverrides(templateData);
  return words;
}

const noData: Record<string, unknown> = Object.freeze({});
const templateDataTexts = new WeakMap<object, string>();

/** The check, the size estimate and the insert all need this JSON, which is made once. */
export function templateDataJson(data: Record<string, unknown>): string {
  if (data === noData) return '{}';
  const known = templateDataTexts.get(data);
  if (known !== undefined) return known;
  const text = JSON.stringify(data);
  templateDataTexts.set(data, text);
  return text;
}

const noWords = { subject: null, html_body: null, text_body: null };

function checkWords(request: Content): Pick<ContentWords, 'subject' | 'html_body' | 'text_body'> {
  const subject = request.subject || null;
  const html = request.html_body || null;
  const text = request.text_body || null;
  switch (request.channel) {
    case 'email':
      if (!subject) throw missingParameter('subject');
      if (/\p{Cc}/u.test(subject))
        throw invalidParameter('subject', 'subject must not contain line breaks or control characters.');
      if (!html && !text)
        throw new Problem('parameter_missing', 'html_body or text_body is required, or a template_key.', {
          param: 'html_body',
        });
      return { subject, html_body: html, text_body: text };
    case 'in_app':
      if (!html) throw missingParameter('html_body');
      checkInAppHtml(html);
      return { subject, html_body: html, text_body: null };
    case 'sms':
      if (!text) throw missingParameter('text_body');
      checkSmsText(text);
      return { subject: null, html_body: null, text_body: text };
    case 'webhook':
      return { subject, html_body: html, text_body: text };
    default:
      return noWords;
  }
}

function checkSmsText(text: string): void {
  const problem = text.trim() === '' ? 'must not be blank' : textProblem(text);
  if (problem) throw invalidParameter('text_body', `text_body ${problem} on this channel.`);
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

/** An inbox shows the URL as a link, so `javascript:` and the like are refused. */
function checkActionUrl(url: string | null): void {
  if (url && !isSafeLink(url)) {
    throw invalidParameter('action_url', 'action_url must be an http or https URL, or a relative one.');
  }
}

function checkInAppHtml(html: string): void {
  const problem = htmlProblem(html);
  if (problem) throw invalidParameter('html_body', `html_body ${problem} on this channel.`);
}

/** On chatthree these two variables also set the name and picture of the sender. */
const overrides = { username: usernameProblem, avatar_url: avatarUrlProblem };

function checkOverrides(templateData: Record<string, unknown>): void {
  for (const [name, problemOf] of Object.entries(overrides)) {
    const value = templateData[name] ?? '';
    const problem = value === '' ? null : typeof value === 'string' ? problemOf(value) : 'must be text';
    if (problem)
      throw invalidParameter(`template_data.${name}`, `template_data.${name} ${problem} on this channel.`);
  }
}

/** A time in the past means now. */
export function checkSendAt(text: string | null, now: number): Date | null {
  if (!text) return null;
  const time = Date.parse(text);
  if (time > now + limits.sendAtDays * 86_400_000) {
    throw invalidParameter('send_at', `send_at must be at most ${limits.sendAtDays} days ahead.`);
  }
  return time > now ? new Date(time) : null;
}

export function checkAttachmentsLast(sendAt: Date | null, acceptedAt: number): void {
  if (sendAt && sendAt.getTime() > acceptedAt + limits.attachmentDays * 86_400_000) {
    throw invalidParameter(
      'send_at',
      `Attachments are kept for ${limits.attachmentDays} days: send_at must be within them.`,
    );
  }
}
