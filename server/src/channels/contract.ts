import type {
  ChatoneMessage,
  ChatthreeMessage,
  ChattwoMessage,
  EmailMessage,
  InAppMessage,
  SmsMessage,
  WebhookMessage,
} from './message.ts';

/**
 * The boundary between the dispatcher and the carriers of messages. Outcomes, not exceptions, cross it: a provider that throws
 * has a bug. Pure types, used by every channel, every provider and the dispatcher.
 */
export const channels = ['email', 'in_app', 'webhook', 'sms', 'chatone', 'chattwo', 'chatthree'] as const;
export type Channel = (typeof channels)[number];

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
 * The result of one attempt. `throttled` is a retry that is not a failure: the provider asks for a lower rate, so everything
 * with the same `rateLimitKey` waits, and no round is used up.
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
      /** The minimum delay by our own rule. CARILLON_RETRY_SCALE applies to it, but not to `retryAfterMs`. */
      atLeastMs?: number;
      /** The refusal concerns this recipient (greylisted, mailbox full) and not the provider's health. */
      recipient?: true;
      /** The failure is our own, and says nothing about the provider's health. */
      internal?: true;
    }
  | {
      kind: 'throttled';
      detail: string;
      code: string | null;
      retryAfterMs: number | null;
      /** The limit covers all traffic to this `host`, for every tenant: the service identifies us by our IP address. */
      isForAll?: true;
      /** The message was stopped by the local rate guard: the provider was not called, so there was no attempt. */
      notCalled?: true;
    }
  | { kind: 'rejected'; detail: string; code: string | null }
  | { kind: 'suppress'; detail: string; code: string | null; reason: 'hard_bounce' | 'unsubscribed' }
  | { kind: 'broken'; detail: string; code: string | null }
  | {
      kind: 'ambiguous';
      detail: string;
      code: string | null;
      /** Even a carrier that recognizes repeats would not recognize this one. */
      unrepeatable?: true;
    };

/** A provider's later report about a message that it accepted. */
export interface Receipt {
  type: 'Delivered' | 'Bounced' | 'Complained' | 'DeliveryDelayed' | 'Opened' | 'Clicked';
  detail: string | null;
  /** A bounce that does not condemn the address (mailbox full, message too large): later sends are allowed. */
  soft?: boolean;
  /** The delay after the acceptance; 0 or absent means at once. */
  afterMs?: number;
  /** The time of the event (ISO 8601), when it is known more precisely than by the time of recording. */
  at?: string;
}

/** One configured carrier of a channel, ready to use. */
export interface Carrier {
  /** Unique within its environment and channel; shown in events and traces. */
  name: string;
  kind: string;
  /**
   * True when handing over the same notification twice has the effect of once. An open attempt is then simply repeated after a
   * crash; otherwise the dispatcher records every attempt before the call and resolves open ones by rule. A lost answer is
   * `ambiguous` in both cases: this carrier recognizes the repeat, but no other one would.
   */
  idempotent: boolean;
  /**
   * Carriers that share a limit of the provider share this key; when the provider throttles, all of them wait, in every
   * process.
   */
  rateLimitKey?: string;
  /**
   * The host that is called, for services whose limit may be `isForAll`. Tenants may choose the host, so a limit applies to
   * that host alone.
   */
  host?: string;
  /** The carrier belongs to the operator: its limits apply to all environments together. */
  isShared?: true;
  /** The id of the configured provider, stable across renames. Carriers with an id have their health tracked. */
  providerId?: string;
  /** The carrier calls nothing outside, so that it is never slow: no concurrency limit applies. */
  isLocal?: true;
  /** Why the carrier can never answer as it is configured now: it is not called, and its messages wait. */
  gone?: string;
  send(message: Message, signal: AbortSignal): Promise<Outcome>;
  /**
   * Waits for a connection, for carriers that have few, so that a message counts as begun only when it can be sent. The
   * reservation sends one message or is released. Resolves with an outcome when no connection is available. Urgent callers wait
   * only for other urgent callers.
   */
  reserve?(signal: AbortSignal, urgent: boolean): Promise<Reservation | Outcome>;
}

export interface Reservation {
  send(message: Message, signal: AbortSignal): Promise<Outcome>;
  /** Gives the connection back unused. */
  release(): void;
}

/** A carrier made from a provider's settings; it may hold connections open until it is closed. */
export interface ProviderCarrier extends Carrier {
  /** Checks that messages can be handed over with these settings. Nothing is sent. */
  verify(): Promise<VerificationResult>;
  /** Closes open connections; a send in progress may finish first, within this time or the carrier's own. */
  close(graceMs?: number): Promise<void>;
}

export interface VerificationResult {
  ok: boolean;
  detail: string;
}

/** One setting of a provider. The list of fields drives validation, encryption and masking. */
export interface Field {
  name: string;
  /** A map is a list of names with a text each. */
  type: 'text' | 'integer' | 'boolean' | 'map';
  meaning: string;
  required: boolean;
  /** The value is sealed at rest; responses show only how it ends. */
  secret?: true;
  /** The provider's callbacks are rejected without this field. */
  callback?: true;
  /**
   * The secrets that are sent to the host in this field. When the host changes they must be given again, so that redirecting
   * them cannot reveal them.
   */
  receives?: readonly string[];
  /** The values that a text can have. */
  options?: readonly string[];
  /** The text may have several lines. */
  multiline?: true;
  /** Bounds of an integer, or of the length of a text; for a map, of each of its texts. */
  min?: number;
  max?: number;
}

export type ProviderConfig = Record<string, string | number | boolean | null | Record<string, string>>;

/** Settings with their defaults filled in, or the field that is wrong. The problem continues a sentence that begins with the field. */
export type CompletedConfig = { config: ProviderConfig } | { field: string; problem: string };

export interface Manifest {
  kind: string;
  channel: Channel;
  title: string;
  fields: readonly Field[];
}

/** An incoming HTTP call from a provider, as it was received. */
export interface CallbackRequest {
  /** The URL as the provider signed it: our public URL, path and query. */
  url: string;
  method: string;
  /** Names in lower case. */
  headers: Record<string, string | undefined>;
  query: Record<string, string | undefined>;
  body: Buffer;
}

/** One statement of a callback. The provider echoes the notification id from what was sent with the message. */
export type Report =
  | {
      about: 'notification';
      notificationId: string;
      receipt: Receipt;
      /** The id is the same in every repetition of this report by the provider. */
      eventId: string;
    }
  /** The person opted out (STOP) or opted in again (START). */
  | { about: 'recipient'; address: string; wants: 'nothing' | 'again'; detail: string; eventId: string };

/** The result of reading a callback. `refused`: not from the provider, or not readable; the reason names no secret. */
export type CallbackVerdict =
  | {
      kind: 'reports';
      reports: Report[];
      answer?: CallbackAnswer;
      /**
       * The signed part, for signatures that do not cover the body. A nonce counts once; later calls with the same nonce are
       * ignored.
       */
      nonce?: string;
    }
  | { kind: 'refused'; status: 400 | 401 | 403; reason: string };

/** The answer that the provider expects, where an empty 200 is not enough. */
export interface CallbackAnswer {
  contentType: string;
  body: string;
}
