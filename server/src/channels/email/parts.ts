import type { EmailMessage } from '../contract.ts';
import { envelopeAddress } from './address.ts';
import { attachmentType, customHeaders, mailbox, oneLine, textOf } from './mime.ts';

/** A message in the pieces that providers with an HTTP API ask for. No piece can break out of the header it ends up in. */
export interface EmailParts {
  from: Mailbox;
  to: Mailbox;
  replyTo: string | null;
  subject: string;
  text: string;
  html: string | null;
  headers: [name: string, value: string][];
  attachments: { filename: string; contentType: string; bytes: Buffer }[];
}

export interface Mailbox {
  address: string;
  /** Empty when there is none. */
  name: string;
}

/** Throws when a header cannot be set. */
export function partsOf(message: EmailMessage): EmailParts {
  const box = (from: { address: string; name: string | null }): Mailbox => ({
    ...mailbox(from),
    address: envelopeAddress(from.address),
  });
  return {
    from: box(message.from),
    to: box(message.to),
    replyTo: message.replyTo === null ? null : envelopeAddress(message.replyTo),
    subject: oneLine(message.subject),
    text: textOf(message),
    html: message.html,
    headers: Object.entries(customHeaders(message.headers)),
    attachments: message.attachments.map(({ filename, contentType, bytes }) => ({
      filename: oneLine(filename) || 'attachment',
      contentType: attachmentType(contentType),
      bytes,
    })),
  };
}

/** `"Name" <address>`, quoted so that no character of the name separates, ends or begins anything (RFC 5322 3.2.4). */
export function mailboxText({ address, name }: Mailbox): string {
  return name === '' ? address : `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`;
}
