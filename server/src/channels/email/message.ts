import type { MessageEnvelope } from '../envelope.ts';

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
