import type { Channel } from '../../../channels/contract.ts';
import { invalidRecipient, type KnownConnection } from '../../../channels/spec.ts';
import { channelSpecs } from '../../../channels/specs.ts';
import { templateRules } from '../../../channels/template-rules.ts';
import type { Principal } from '../../../http/principal.ts';
import { invalidParameter, Problem } from '../../../kernel/errors.ts';
import { idTime, newId } from '../../../kernel/ids.ts';
import { withVendor } from '../../../kernel/vendors.ts';
import { type MeteredSend, overheadBytes } from '../../control/usage/index.ts';
import { addressFields, type Pair } from '../../people/users/index.ts';
import { checkIdempotencyKey, type KeyClaim } from '../../platform/idempotency/index.ts';
import type { UploadedObjects } from '../../platform/objects/index.ts';
import { checkAttachments, checkAttachmentsLast, checkContent, templateDataJson } from './content.ts';
import type { KnownCategory, KnownUser, Lookups } from './lookups.ts';
import type { AuthoredContent, ContentRow, NotificationRow } from './notification-row.ts';
import { type EventEntry, type Priority, type SendRequest, sendLimits } from './schema.ts';
import { eventEntry } from './view.ts';

/** A request that passed every check, ready to be written. */
export interface Acceptance {
  sender: Sender;
  row: NotificationRow;
  content: ContentRow;
  bytes: Buffer[];
  /** Set once the attachments, or the bodies, are in the object store: they are then not written to the database. */
  uploaded?: UploadedObjects;
  keyClaim: KeyClaim | null;
  /** The send as the plan counts it; null in Test. */
  meter: MeteredSend | null;
  /** A user and an address that were named together, to be stored. */
  pair: Pair | null;
}

/** The environment, organization and plan that a notification is accepted for. */
export type Sender = Pick<Principal, 'environmentId' | 'environmentKind' | 'organizationId' | 'plan'> &
  NotificationSource;

/** What sends: a caller of the API, a run of a workflow (its id and chain), or a job that works on behalf of many. */
type NotificationSource =
  | Pick<Principal, 'kind' | 'id'>
  | { kind: 'workflow'; id: string; chain: string }
  | { kind: 'job' };

/** The key or the workflow that the brake counts the send for; people and jobs have none. */
export function sourceIdOf(source: NotificationSource): string | null {
  return source.kind === 'key' || source.kind === 'workflow' ? source.id : null;
}

/** The request as it is hashed. Only a request with a key is copied: the copy is slow to read. */
export function withoutKey(request: SendRequest): SendRequest {
  if (request.idempotency_key === undefined) return request;
  const { idempotency_key: _, ...rest } = request;
  return rest;
}

interface AcceptOptions {
  /** The Idempotency-Key and the hash of its request. */
  idempotency: { key: string; bodyHash: string } | null;
  defaultPriority: Priority;
  /** When the content of the request is Liquid; by default `with_data`. */
  inlineRule?: InlineRule;
  now: number;
}

/** `with_data`: when template_data is given. `never`: the values of the request were evaluated before, and may contain anything. */
type InlineRule = 'with_data' | 'always' | 'never';

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
  const recipient = resolveRecipient(request, lookups.user);
  const content = checkMessage(request, lookups, options.inlineRule);
  // An endpoint may be named by its id; the stored address is its key.
  if (lookups.connection?.key) recipient.address = lookups.connection.key;
  const sendAt = checkSendAt(request.send_at ?? null, options.now);
  const { takesAttachments } = channelSpecs[request.channel].content;
  const attachments = takesAttachments ? checkAttachments(request.attachments ?? []) : null;
  if (attachments) checkAttachmentsLast(sendAt, options.now);
  return newAcceptance(principal, request, {
    recipient,
    content: {
      subject: content.subject,
      html_body: content.html_body,
      text_body: content.text_body,
      template_data: content.template_data,
      from_name: content.from_name,
      reply_to: content.reply_to,
      inbox_extras: content.inbox_extras,
      attachments: attachments?.metadata ?? null,
      template_version_id: lookups.template?.versionId ?? null,
      inline_format: content.inline_format,
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

/** Makes the checks that do not depend on the recipient. */
export function checkMessage(
  request: SendRequest,
  lookups: Lookups,
  inlineRule: InlineRule = 'with_data',
): AuthoredContent {
  checkTemplate(request, lookups.template);
  checkConnection(request, lookups.connection);
  const content = checkContent(request, isLiquid(request, inlineRule));
  checkCategory(request, lookups.category);
  checkSender(lookups.senderProblem);
  return content;
}

export function checkSender(problem: string | null, param = 'channel'): void {
  if (problem !== null) throw new Problem('provider_not_configured', problem, { param });
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
      recipient: { address, name: null, externalUserId: null, namesUserAndAddress: false },
      content: {
        subject: null,
        html_body: null,
        text_body: text,
        template_data: {},
        from_name: null,
        reply_to: null,
        inbox_extras: null,
        attachments: null,
        template_version_id: null,
        inline_format: null,
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
      source_id: sourceIdOf(principal),
      chain: principal.kind === 'workflow' ? principal.chain : null,
      broadcast_id: null,
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
  if (content.inbox_extras) sum += JSON.stringify(content.inbox_extras).length;
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
  { externalUserId, address, namesUserAndAddress }: ResolvedRecipient,
): Pair | null {
  if (!namesUserAndAddress || !externalUserId || !(channel in addressFields)) return null;
  return { environmentId, externalUserId, channel: channel as Pair['channel'], address };
}

/** The recipient of a notification, resolved by the rules of its channel. */
interface ResolvedRecipient {
  /** The target: an address, a number, a user id, a URL, an endpoint key. */
  address: string;
  name: string | null;
  externalUserId: string | null;
  /** The request named both a user and their own address: the pair is stored. */
  namesUserAndAddress: boolean;
}

const hasControlCharacter = (text: string): boolean => /\p{Cc}/u.test(text);

/** The channel picks the field and checks it. Fields that it does not use are ignored. */
function resolveRecipient(
  { channel, recipient }: Pick<SendRequest, 'channel' | 'recipient'>,
  user: KnownUser | null = null,
): ResolvedRecipient {
  for (const field of ['name', 'address', 'external_user_id'] as const) {
    if (hasControlCharacter(recipient[field] ?? ''))
      throw invalidRecipient(field, `recipient.${field} must not contain control characters.`);
  }
  const rule = channelSpecs[channel].recipient;
  const { address, isOwnAddress } = rule.targetOf(recipient, user);
  const externalUserId = rule.addressIsUserId ? address : recipient.external_user_id || null;
  return {
    address,
    name: recipient.name || (recipient.address && !rule.addressIsUserId ? null : (user?.name ?? null)),
    externalUserId,
    namesUserAndAddress: externalUserId !== null && isOwnAddress,
  };
}

function checkCategory({ category: key }: SendRequest, category: KnownCategory | null): void {
  if (!key) return;
  const param = 'category';
  if (!category) throw new Problem('category_not_found', 'There is no category with this key.', { param });
  if (category.isArchived) {
    throw new Problem('category_archived', `The category ${key} is archived and accepts no new sends.`, {
      param,
    });
  }
}

function checkConnection({ channel, recipient }: SendRequest, connection: KnownConnection | null): void {
  const problem = connection ? null : channelSpecs[channel].connection?.missing(recipient);
  if (problem) throw problem;
  if (connection?.isDisabled)
    throw new Problem('endpoint_not_found', 'This endpoint is disabled: set its status to active first.', {
      param: 'recipient.endpoint',
    });
}

function checkTemplate({ channel, template_key: key }: SendRequest, template: Lookups['template']): void {
  if (!key) {
    if (templateRules[channel].isRequired) throw needsTemplate(channel);
    return;
  }
  const param = 'template_key';
  if (!template) throw new Problem('template_not_found', 'There is no template with this key.', { param });
  if (!template.channels.has(channel))
    throw new Problem('template_body_missing', `The template has no body for ${withVendor(channel)}.`, {
      param,
    });
}

function needsTemplate(channel: Channel): Problem {
  const [field] = templateRules[channel].fields;
  return new Problem(
    'parameter_missing',
    `template_key is required for ${withVendor(channel)}: create a template with POST /v1/templates and bodies [{"channel": "${channel}", "${field}": "…"}], then send its key.`,
    { param: 'template_key' },
  );
}

const isLiquid = ({ template_data: data }: SendRequest, rule: InlineRule): boolean =>
  rule === 'with_data' ? data !== null && data !== undefined : rule === 'always';

/** A time in the past means now. */
export function checkSendAt(text: string | null, now: number): Date | null {
  if (!text) return null;
  const time = Date.parse(text);
  if (time > now + sendLimits.sendAtDays * 86_400_000) {
    throw invalidParameter('send_at', `send_at must be at most ${sendLimits.sendAtDays} days ahead.`);
  }
  return time > now ? new Date(time) : null;
}
