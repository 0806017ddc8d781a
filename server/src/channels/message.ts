import type { InboxAction } from './in-app/extras.ts';

/** The content of a notification as the database has it. */
export interface StoredContent {
  subject: string | null;
  html_body: string | null;
  text_body: string | null;
}

/** The part that the messages of all channels share. */
export interface MessageEnvelope {
  notificationId: string;
  environmentId: string;
  /** The number of this attempt at a provider, from 1, counted over all rounds. */
  attempt: number;
  to: {
    /** An email address, a number, a user id, a URL, an endpoint key, a conversation. */
    address: string;
    name: string | null;
  };
  /** For the sandbox alone, which does not store again what it finds here. Absent when the content is not stored yet. */
  storedContent?: StoredContent | undefined;
}

/** The content and the target in the terms of the service; the credentials are the carrier's. */
export interface ChatoneMessage extends MessageEnvelope {
  channel: 'chatone';
  blocks: unknown;
  /** The fallback text where blocks cannot be shown. */
  text: string;
}

/** The content and the target in the terms of the service; the credentials are the carrier's. */
export interface ChatthreeMessage extends MessageEnvelope {
  channel: 'chatthree';
  content: string | null;
  /** One embed, a list of them, or null. */
  embeds: unknown;
  username: string | null;
  avatarUrl: string | null;
}

/** The content and the target in the terms of the service; the credentials are the carrier's. */
export interface ChattwoMessage extends MessageEnvelope {
  channel: 'chattwo';
  card: unknown;
}

export interface SmsMessage extends MessageEnvelope {
  channel: 'sms';
  /** A number in E.164 form, or an alphanumeric sender id. */
  from: string;
  text: string;
}

export interface WebhookMessage extends MessageEnvelope {
  channel: 'webhook';
  /** The body is posted unchanged. */
  body: string;
  /** Each secret signs; the newest first. */
  secrets: string[];
  /** The chain of workflow runs that led to the message. */
  chain: string | null;
  timeoutMs: number;
}

export interface InAppMessage extends MessageEnvelope {
  channel: 'in_app';
  subject: string | null;
  /** Sanitised. */
  html: string | null;
  text: string | null;
  actionUrl: string | null;
  data: Record<string, unknown>;
  tags: string[];
  actions: InboxAction[];
}

export interface AttachmentFile {
  filename: string;
  contentType: string;
  bytes: Buffer;
  /** For an image within the HTML, which shows it as `cid:<id>`. */
  contentId?: string | undefined;
}

export interface EmailMessage extends MessageEnvelope {
  channel: 'email';
  from: { address: string; name: string | null };
  replyTo: string | null;
  subject: string;
  html: string | null;
  /** For a message that was given as HTML alone: the text of the HTML. */
  text: string;
  attachments: AttachmentFile[];
  headers: Record<string, string>;
}
