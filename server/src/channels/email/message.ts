export interface AttachmentFile {
  filename: string;
  contentType: string;
  bytes: Buffer;
}

export interface EmailMessage {
  channel: 'email';
  notificationId: string;
  environmentId: string;
  /** The number of this attempt at a provider, from 1, counted over all rounds. */
  attempt: number;
  to: { address: string; name: string | null };
  from: { address: string; name: string | null };
  replyTo: string | null;
  subject: string;
  html: string | null;
  /** For a message that was given as HTML alone: the text of the HTML. */
  text: string;
  attachments: AttachmentFile[];
  headers: Record<string, string>;
}
