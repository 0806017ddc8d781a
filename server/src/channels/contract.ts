/**
 * The border between us and whoever carries a message. Outcomes, not exceptions, cross it: a provider that throws
 * has a bug. Pure types; every channel, every provider and the dispatcher speak them.
 */
export const channels = ['email', 'in_app', 'webhook', 'sms', 'chatone', 'chattwo', 'chatthree'] as const;
export type Channel = (typeof channels)[number];

export interface AttachmentFile {
  filename: string;
  contentType: string;
  bytes: Buffer;
}

export interface EmailMessage {
  channel: 'email';
  notificationId: string;
  environmentId: string;
  /** Which attempt at a provider this is, from 1, counted over all rounds. */
  attempt: number;
  to: { address: string; name: string | null };
  from: { address: string; name: string | null };
  replyTo: string | null;
  subject: string;
  html: string | null;
  /** Of a message that was given as HTML alone: what the HTML says. */
  text: string;
  attachments: AttachmentFile[];
  headers: Record<string, string>;
}

export interface WebhookMessage {
  channel: 'webhook';
  notificationId: string;
  environmentId: string;
  attempt: number;
  /** The URL. */
  to: { address: string; name: string | null };
  /** Posted as it stands. */
  body: string;
  /** Each signs; the newest first. */
  secrets: string[];
  timeoutMs: number;
}

export interface InAppMessage {
  channel: 'in_app';
  notificationId: string;
  environmentId: string;
  attempt: number;
  /** The user whose inbox it is. */
  to: { address: string; name: string | null };
  subject: string | null;
  /** Sanitised. */
  html: string | null;
  text: string | null;
  actionUrl: string | null;
  data: Record<string, unknown>;
}

export interface SmsMessage {
  channel: 'sms';
  notificationId: string;
  environmentId: string;
  attempt: number;
  /** The number, in E.164 form. */
  to: { address: string; name: string | null };
  /** A number in E.164 form, or an alphanumeric sender id. */
  from: string;
  text: string;
}

/** Of the chat channels: what is posted, and where in the words of the channel; the credentials are the carrier's. */
export interface ChatoneMessage {
  channel: 'chatone';
  notificationId: string;
  environmentId: string;
  attempt: number;
  /** The id of a user or of a conversation. */
  to: { address: string; name: string | null };
  blocks: unknown;
  /** Shown where blocks cannot be. */
  text: string;
}

export interface ChattwoMessage {
  channel: 'chattwo';
  notificationId: string;
  environmentId: string;
  attempt: number;
  /** The key of an endpoint. */
  to: { address: string; name: string | null };
  card: unknown;
}

export interface ChatthreeMessage {
  channel: 'chatthree';
  notificationId: string;
  environmentId: string;
  attempt: number;
  /** The key of an endpoint. */
  to: { address: string; name: string | null };
  content: string | null;
  /** One embed, a list of them, or null. */
  embeds: unknown;
  username: string | null;
  avatarUrl: string | null;
}

/** A message ready to be handed over. */
export type Message =
  | EmailMessage
  | WebhookMessage
  | InAppMessage
  | SmsMessage
  | ChatoneMessage
  | ChattwoMessage
  | ChatthreeMessage;

/**
 * What became of one attempt (PROVIDERS.md, outcome classes):
 * accepted = OK, retry = RETRY, rejected = PERM, suppress = SUPPRESS, broken = CONFIG, ambiguous = AMBIG. Throttled is the
 * RETRY that is nobody's fault: the provider wants us to go slower, so everything with the same `pace` waits, and no round is
 * used up. JOIN never leaves its adapter.
 */
export type Outcome =
  | {
      kind: 'accepted';
      providerMessageId: string | null;
      detail: string;
      code?: string | null;
      receipts?: Receipt[];
    }
  | {
      kind: 'retry';
      detail: string;
      code: string | null;
      retryAfterMs?: number | null;
      /** The shortest delay by our own rule. CARILLON_RETRY_SCALE applies to it, as it does not to `retryAfterMs`. */
      atLeastMs?: number;
      /** It is about this recipient (greylisted, mailbox full) and says nothing about the provider. */
      recipient?: true;
    }
  | {
      kind: 'throttled';
      detail: string;
      code: string | null;
      retryAfterMs: number | null;
      /** It means all that we send to this `host`, whoever for: the service knows us by our address. */
      everybody?: true;
      /** We held the message back ourselves: the provider was not called, so there was no attempt. */
      heldBack?: true;
    }
  | { kind: 'rejected'; detail: string; code: string | null }
  | { kind: 'suppress'; detail: string; code: string | null; reason: 'hard_bounce' | 'unsubscribed' }
  | { kind: 'broken'; detail: string; code: string | null }
  | {
      kind: 'ambiguous';
      detail: string;
      code: string | null;
      /** Not even the carrier that recognises a repeat would recognise this one. */
      unrepeatable?: true;
    };

/** What a provider tells us later about a message it accepted. */
export interface Receipt {
  type: 'Delivered' | 'Bounced' | 'Complained' | 'DeliveryDelayed' | 'Opened' | 'Clicked';
  detail: string | null;
  /** A bounce that says nothing about the address (mailbox full, message too large): it may be written to again. */
  soft?: boolean;
  /** Later than the acceptance by this much; 0 or absent: at once. */
  afterMs?: number;
  /** When it happened (ISO 8601), if that is known better than by when it is recorded. */
  at?: string;
}

/** One configured way to carry messages of a channel, ready to use. */
export interface Carrier {
  /** Unique within its environment and channel; shown in events and traces. */
  name: string;
  kind: string;
  /**
   * Does handing the same notification over twice have the effect of once? If so an open attempt is simply repeated
   * after a crash; if not, the dispatcher records every attempt before the call and resolves open ones by rule.
   * An answer that was lost is `ambiguous` all the same: this carrier recognises the repeat, but no other one would.
   */
  idempotent: boolean;
  /** What shares a limit of the provider shares this name; when it says slow down, all of it waits, in every process. */
  rateLimitKey?: string;
  /** Whom it calls, where that may ask something of `everybody`. Tenants may choose it, so it speaks for itself alone. */
  host?: string;
  /** It is the operator's: its limits are those of all environments together. */
  isShared?: true;
  /** What is configured behind it, by an id that stays when it is renamed. Those that have one have their health watched. */
  providerId?: string;
  /** Why it would never answer as it is configured now: it is not called, and what goes to it waits. */
  gone?: string;
  send(message: Message, signal: AbortSignal): Promise<Outcome>;
  /**
   * For carriers with few connections: waits for one, so that a message counts as begun only when it can be sent. What comes
   * back sends one message or is released. An outcome: there is no connection to be had. Who is `urgent` waits for others who
   * are, and for nobody else.
   */
  reserve?(signal: AbortSignal, urgent: boolean): Promise<Reservation | Outcome>;
}

export interface Reservation {
  send(message: Message, signal: AbortSignal): Promise<Outcome>;
  /** It is not needed after all. */
  release(): void;
}

/** A carrier made from a provider's settings; it may hold connections open until it is closed. */
export interface ProviderCarrier extends Carrier {
  /** Can messages be handed over with these settings? Nothing is sent. */
  verify(): Promise<VerificationResult>;
  /** Ends what is open; a send that is under way may finish first, within this time or the carrier's own. */
  close(graceMs?: number): Promise<void>;
}

export interface VerificationResult {
  ok: boolean;
  detail: string;
}

/** One setting of a provider. The list of them drives validation, encryption and masking. */
export interface Field {
  name: string;
  type: 'text' | 'integer' | 'boolean';
  meaning: string;
  required: boolean;
  /** Sealed at rest; responses show only how it ends. */
  secret?: true;
  /** The secrets that go where this leads. When it changes they must be given again: nobody may read them by redirecting them. */
  receives?: readonly string[];
  /** Bounds of an integer; of a text's length. */
  min?: number;
  max?: number;
}

export type ProviderConfig = Record<string, string | number | boolean | null>;

export interface Manifest {
  kind: string;
  channel: Channel;
  title: string;
  fields: readonly Field[];
}

/** An HTTP call that a provider made to us, as it came in. */
export interface CallbackRequest {
  /** As the provider signed it: our public URL, path and query. */
  url: string;
  method: string;
  /** Names in lower case. */
  headers: Record<string, string | undefined>;
  query: Record<string, string | undefined>;
  body: Buffer;
}

/** One thing that a callback says. Which notification it is about, the provider echoes from what we sent with the message. */
export type Report =
  | {
      about: 'notification';
      notificationId: string;
      receipt: Receipt;
      /** The same in every repetition of this report by the provider. */
      eventId: string;
    }
  /** The person wants nothing more from us (STOP), or wants it again (START). */
  | { about: 'recipient'; address: string; wants: 'nothing' | 'again'; detail: string; eventId: string };

/** What came of reading a callback. `refused`: not from the provider, or not readable; the reason names no secret. */
export type CallbackVerdict =
  | {
      kind: 'reports';
      reports: Report[];
      answer?: CallbackAnswer;
      /** For signatures that do not cover the body: what they do cover. Counted once; whatever comes with it again is ignored. */
      nonce?: string;
    }
  | { kind: 'refused'; status: 400 | 401 | 403; reason: string };

/** What the provider wants to hear, where an empty 200 is not enough. */
export interface CallbackAnswer {
  contentType: string;
  body: string;
}
