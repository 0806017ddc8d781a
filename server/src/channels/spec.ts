import { missingParameter, Problem } from '../kernel/errors.ts';
import type { TaskRunner } from '../threads/task.ts';
import type { ChatTargets, EndpointCarriers } from './chat-endpoint-plan.ts';
import type { ChatoneTargets } from './chatone/plan.ts';
import type { Carrier, Channel, Message } from './contract.ts';
import type { ChannelPlanner } from './delivery-plan.ts';
import type { EmailServices } from './email/plan.ts';
import type { InboxExtras, InboxExtrasInput } from './in-app/extras.ts';
import type { StoredContent } from './message.ts';
import type { SandboxAnswer, StoredMessage } from './sandbox-answer.ts';
import type { SmsConnections } from './sms/plan.ts';
import type { WebhookTargets } from './webhook/plan.ts';

/**
 * Everything that is particular to a channel, except its rule for templates (template-rule.ts), which threads load. specs.ts lists
 * all channels: one that lacks a part does not compile.
 */
export interface ChannelSpec {
  recipient: RecipientRule;
  /** The installation or endpoint that a send goes through, for channels whose recipients name one. */
  connection?: ConnectionRule;
  content: ContentRule;
  /** Decides which carriers get a notification, in which order, and with which message. */
  createPlanner(services: PlanServices): ChannelPlanner;
  /**
   * The message as a person is shown it. Signing secrets stay out. Here and in `sandbox`, a channel gets only messages that its
   * own planner made, and declares their type.
   */
  preview(message: Message): MessagePreview;
  sandbox: SandboxRule;
  /** The environment has one connection, its settings; on other channels the notification names its connection. */
  hasSettings: boolean;
  /** An open shows that a person read the message. Of an email it shows little: programs open links and images, too. */
  openMeansRead?: true;
}

/** The `recipient` of a request. */
export type RecipientField =
  | 'address'
  | 'name'
  | 'external_user_id'
  | 'endpoint'
  | 'chatone_user_id'
  | 'chatone_channel_id'
  | 'chattwo_endpoint_id'
  | 'chatthree_endpoint_id';
export type RecipientInput = { [Field in RecipientField]?: string | null | undefined };

/** The addresses that are stored with a user. */
export interface StoredAddresses {
  email: string | null;
  phone: string | null;
  chatone_user_id: string | null;
}

interface Target {
  /** An email address, a number, a user id, a URL, an endpoint key. */
  address: string;
  /** The request gives the address, and it is one person's own: with a user, the pair is stored. */
  isOwnAddress: boolean;
}

export interface RecipientRule {
  /** Picks the field that the channel sends to, and checks it. Throws a Problem that names the field. */
  targetOf(recipient: RecipientInput, user: StoredAddresses | null): Target;
  /** True when the request names only a user, whose stored address is needed. */
  needsStoredAddress(recipient: RecipientInput): boolean;
  /** The address identifies a person. */
  addressesPerson: boolean;
  /** The address is the id of the user. */
  addressIsUserId?: true;
  /**
   * The normal form of an address, alike for all of its spellings: suppressions and limits know a person's address by it. Absent when the
   * channel sends to a place or a user id.
   */
  addressKey?(address: string): string;
}

/** The connection of a send. */
export interface KnownConnection {
  /** Null when the address alone identifies it. */
  id: string | null;
  /** The key of an endpoint; null for installations. */
  key: string | null;
  isDisabled?: boolean;
}

/** Finds connections by the names that recipients give them. Answers from a cache most of the time. */
export interface ConnectionDirectory {
  findWebhookEndpoint(environmentId: string, id: string): Promise<{ isDisabled: boolean } | null>;
  /** Finds the endpoint by its key or its id. */
  findChatEndpoint(
    environmentId: string,
    channel: EndpointChannel,
    name: string,
  ): Promise<KnownConnection | null>;
  /** Finds the installation by its id or the id of its team; a null name means the newest. */
  findInstallation(environmentId: string, name: string | null): Promise<KnownConnection | null>;
}

export type EndpointChannel = Extract<Channel, 'chattwo' | 'chatthree'>;

export interface ConnectionRule {
  /** Resolves to null when the recipient names none, or one that does not exist. */
  find(
    directory: ConnectionDirectory,
    environmentId: string,
    recipient: RecipientInput,
  ): Promise<KnownConnection | null> | null;
  /** The problem of a recipient whose connection was not found; null when it needs none. */
  missing(recipient: RecipientInput): Problem | null;
}

/** The content of a request. Null and the empty text both mean that a field is not given. */
interface ContentInput extends InboxExtrasInput {
  subject?: string | null | undefined;
  html_body?: string | null | undefined;
  text_body?: string | null | undefined;
  action_url?: string | null | undefined;
  from_name?: string | null | undefined;
  reply_to?: string | null | undefined;
}

interface InlineContent {
  subject: string | null;
  html_body: string | null;
  text_body: string | null;
}

export interface ContentRule {
  /** Checks content that is given without a template; fields that the channel ignores are dropped, not refused. */
  inlineContentOf(content: ContentInput): InlineContent;
  /** Checks a subject that replaces that of a template. */
  checkSubject?(subject: string): void;
  /** Checks the remaining fields of a request, with or without a template. */
  checkRemaining?(content: ContentInput, templateData: Record<string, unknown>): void;
  /** The sender's name and the address for replies, for channels that have them. */
  senderOf?(content: ContentInput): { from_name: string | null; reply_to: string | null };
  /** The tags and actions of an inbox item. */
  extrasOf?(content: ContentInput): InboxExtras | null;
  takesAttachments: boolean;
}

/** A message as it is shown. Fields that the channel does not have are absent. */
export interface MessagePreview {
  from?: { address: string; name: string | null };
  reply_to?: string | null;
  headers?: Record<string, string>;
  subject?: string | null;
  html?: string | null;
  text?: string | null;
  structured?: unknown;
}

interface SandboxRule {
  /** The message as it is stored, as JSON. */
  payloadOf(message: Message, now: number): object;
  /** The texts of the payload that are usually the same as in a column of the notification's content. */
  contentParts?: Readonly<Record<string, keyof StoredContent>>;
  /** The answer to a magic recipient; null for all other recipients, to whom everything is delivered. */
  answerTo?(message: Message): SandboxAnswer | null;
  /** A stored payload as the API shows it; as it was stored when absent. */
  viewOf?(tasks: TaskRunner, stored: StoredMessage): Promise<object>;
  /** What a stored payload knows better about the message than the settings of today do. */
  previewOf?(payload: object): MessagePreview;
}

/**
 * What planners need of the rest of the service. Each channel declares its own part. The senders and carriers of a Test environment
 * have the sandbox alone: a planner does not know which kind of environment it plans for.
 */
export interface PlanServices {
  tasks: TaskRunner;
  email: EmailServices;
  smsConnections: SmsConnections;
  webhookTargets: WebhookTargets;
  chatoneTargets: Pick<ChatoneTargets, 'targetsOf'>;
  chatTargets: Pick<ChatTargets, 'targetsOf'>;
  carriers: PlanCarriers;
}

/** The carriers of the channels without a provider chain. */
interface PlanCarriers {
  in_app(): Carrier;
  webhook(): Carrier;
  chatone: ChatoneTargets['carrierTo'];
  chattwo: EndpointCarriers;
  chatthree: EndpointCarriers;
}

/** What the recipient rules of several channels share. */

export function invalidRecipient(field: RecipientField, message: string): Problem {
  return new Problem('recipient_invalid', message, { param: `recipient.${field}` });
}

/** The address that is stored with the user that the request names. */
export function storedAddress(stored: string | null | undefined, recipient: RecipientInput): string {
  if (stored) return stored;
  if (!recipient.external_user_id) throw missingParameter('recipient.address', 'recipient.external_user_id');
  throw new Problem(
    'recipient_unresolvable',
    'No address is stored for this external_user_id on this channel.',
    {
      param: 'recipient.external_user_id',
    },
  );
}

/** `address` is checked like the typed fields, and must not contradict them. */
export function checkSameTarget(recipient: RecipientInput, field: RecipientField, target: string): void {
  if (recipient.address && recipient.address !== target)
    throw invalidRecipient(
      'address',
      `recipient.address and recipient.${field} are different targets; set one of them.`,
    );
}
