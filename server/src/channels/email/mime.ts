import MailComposer from 'nodemailer/lib/mail-composer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';
import { invalidParameter } from '../../kernel/errors.ts';
import type { Task, TaskRunner } from '../../threads/task.ts';
import type { EmailMessage } from '../message.ts';
import { type AddressField, domainOf, envelopeAddress, utf8Addresses } from './address.ts';

export interface Mime {
  messageId: string;
  envelope: { from: string; to: string };
  /** The addresses that need SMTPUTF8; usually none. */
  utf8: AddressField[];
  raw: Buffer;
}

/** Headers that the message itself decides; a custom header of the same name would contradict or break it. */
const reserved =
  /^(from|sender|to|cc|bcc|reply-to|subject|date|message-id|mime-version|content-.*|return-path|received|dkim-signature)$/i;
const maxNameLength = 200;
/** RFC 5322 allows 998 octets a line; folding needs white space, so no word of a header may come near that. */
const maxWord = 900;

/** The Message-ID is the same on every retry, so that a receiver can recognize a message it already has. */
export function messageIdOf(message: Pick<EmailMessage, 'notificationId' | 'from'>): string {
  return `<${message.notificationId}@${domainOf(message.from.address)}>`;
}

/** A message to be composed. `boundary` fixes a value that is otherwise random; authors of content must not know it. */
interface Composition {
  message: EmailMessage;
  now: Date;
  boundary?: string | undefined;
}

/** The number of characters and bytes that take 10 ms to compose. */
const lightSize = 100_000;

/** Builds the message as it is sent. A small one takes about 0.3 ms, so it is built only where bytes are needed. */
export async function buildMime(
  tasks: TaskRunner,
  message: EmailMessage,
  now: Date,
  boundary?: string,
): Promise<Mime> {
  const { raw, ...mime } = await tasks.run(mimeTask, message.environmentId, { message, now, boundary });
  return { ...mime, raw: Buffer.from(raw.buffer, raw.byteOffset, raw.length) }; // threads hand over plain bytes
}

export const mimeTask: Task<Composition, Mime> = {
  name: 'build_mime',
  isLight: ({ message: { html, text, attachments } }) =>
    (html?.length ?? 0) + text.length + attachments.reduce((sum, { bytes }) => sum + bytes.length, 0) <=
    lightSize,
  work: compose,
};

async function compose({ message, now, boundary }: Composition): Promise<Mime> {
  const messageId = messageIdOf(message);
  const composer = new MailComposer({
    from: mailbox(message.from),
    to: mailbox(message.to),
    replyTo: message.replyTo ?? undefined,
    subject: subjectValue(message.subject),
    messageId,
    date: now,
    headers: customHeaders(message.headers),
    text: message.text,
    html: message.html ?? undefined,
    attachments: message.attachments.map((file) => ({
      filename: oneLine(file.filename) || 'attachment',
      contentType: attachmentType(file.contentType),
      content: Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.length),
      ...(file.contentId
        ? { cid: file.contentId, contentDisposition: 'inline' as const }
        : { contentDisposition: 'attachment' as const }),
      contentTransferEncoding: 'base64',
    })),
    baseBoundary: boundary,
    newline: '\r\n',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const node = composer.compile();
  // nodemailer would write the domain in Unicode beside a local part outside ASCII; headers and envelope show the A-labels.
  Object.assign(node, { _normalizeAddress: envelopeAddress });
  return {
    messageId,
    utf8: utf8Addresses(message),
    envelope: { from: envelopeAddress(message.from.address), to: envelopeAddress(message.to.address) },
    raw: await node.build(),
  };
}

/** Removes every control character, so nothing can end a header early or hide from a reader that stops at NUL. */
export function oneLine(value: string): string {
  return value.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/**
 * Breaks up text that looks like an encoded word (RFC 2047). Mail clients decode such text, some even within quotes, and would
 * show a different name than the one that was checked.
 */
export function withoutEncodedWords(text: string): string {
  return text.replace(/=\?(?=[^?]*\?[bq]\?)/gi, '= ?');
}

export function mailbox({ address, name }: { address: string; name: string | null }): {
  address: string;
  name: string;
} {
  const line = withoutEncodedWords(oneLine(name ?? ''));
  return { address, name: [...line].slice(0, maxNameLength).join('') };
}

function subjectValue(subject: string): string {
  const value = oneLine(subject);
  // Mail clients would decode text that looks like an encoded word, and a very long word cannot be folded.
  const needsEncoding = value.includes('=?') || value.split(' ').some((word) => word.length > maxWord);
  return needsEncoding ? encodeWord(value, 'B', 52) : value;
}

export function customHeaders(headers: Record<string, string>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]): [string, string] => {
    if (!/^[!-9;-~]{1,100}$/.test(name) || reserved.test(name))
      throw invalidParameter('headers', `${JSON.stringify(name)} cannot be set as a header`);
    const line = oneLine(value);
    if (line.split(' ').some((word) => word.length > maxWord))
      throw invalidParameter('headers', `the value of ${name} is too long for a header`);
    return [name, line];
  });
  return Object.fromEntries(entries);
}

/**
 * `message/…` and `multipart/…` parts may not be encoded in base64 (RFC 2046 5.2.1), and another encoding would alter the bytes
 * of the caller's attachment; as octets they arrive unchanged.
 */
export function attachmentType(contentType: string): string {
  const value = oneLine(contentType);
  const safe =
    /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(;.*)?$/.test(value) && !/^(message|multipart)\//i.test(value);
  return safe ? value : 'application/octet-stream';
}
