import { encodeWord } from 'nodemailer/lib/mime-funcs';
import type { AttachmentFile, EmailMessage } from '../message.ts';
import { envelopeAddress } from './address.ts';
import { attachmentType, customHeaders, mailbox, oneLine, withoutEncodedWords } from './mime.ts';

/** A message in the parts that providers with an HTTP API ask for. No part can break out of the header in which it ends up. */
export interface EmailParts {
  from: Mailbox;
  to: Mailbox;
  replyTo: string | null;
  subject: string;
  text: string;
  html: string | null;
  headers: [name: string, value: string][];
  attachments: AttachmentFile[];
}

export interface Mailbox {
  address: string;
  /** Empty when there is no name. */
  name: string;
}

/** Throws when a header cannot be set. */
export function partsOf(message: EmailMessage): EmailParts {
  return {
    from: wireMailbox(message.from),
    to: wireMailbox(message.to),
    replyTo: message.replyTo === null ? null : envelopeAddress(message.replyTo),
    subject: withoutEncodedWords(oneLine(message.subject)),
    text: message.text,
    html: message.html,
    headers: Object.entries(customHeaders(message.headers)),
    attachments: message.attachments.map(({ filename, contentType, bytes, contentId }) => ({
      filename: oneLine(filename) || 'attachment',
      contentType: attachmentType(contentType),
      bytes,
      contentId,
    })),
  };
}

export function wireMailbox(from: { address: string; name: string | null }): Mailbox {
  return { ...mailbox(from), address: envelopeAddress(from.address) };
}

/** `"Name" <address>`, quoted so that no character of the name separates, ends or begins anything (RFC 5322 3.2.4). */
export function mailboxText({ address, name }: Mailbox): string {
  return name === '' ? address : `${quoted(name)} <${address}>`;
}

/** The mailbox in ASCII alone, as in a header: other names become encoded words (RFC 2047). */
export function asciiMailboxText({ address, name }: Mailbox): string {
  return /\P{ASCII}/u.test(name)
    ? `${encodeWord(name, 'B', 52)} <${address}>`
    : mailboxText({ address, name });
}

export function quoted(name: string): string {
  return `"${name.replace(/["\\]/g, '\\$&')}"`;
}
