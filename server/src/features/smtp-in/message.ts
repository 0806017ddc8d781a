import type PostalMime from 'postal-mime';
import type { Address, Attachment, Email, HeaderLine, Mailbox } from 'postal-mime';
import { parseJson } from '../../http/json.ts';
import { invalidParameter, Problem } from '../../kernel/errors.ts';
import { isRecord } from '../../kernel/json.ts';
import type { Priority, SendRequest } from '../notifications/notifications/index.ts';
import { readSimple } from './simple-message.ts';

/** A message as mail software submits it, in the fields of a send. */
export interface SubmittedMessage {
  /** The same for every recipient. */
  content: Omit<SendRequest, 'channel' | 'recipient'>;
  /** The display names in To and Cc, by address in lower case. */
  names: Map<string, string>;
  /** X-Carillon-Idempotency-Key, or else the Message-ID; null when the message has neither. */
  idempotencyKey: string | null;
}

/** The largest header section: X-Carillon-Data may be as large as template_data, and no other header is. */
const maxHeaderBytes = 512 * 1024;
const maxName = 200;
const maxFilename = 255;
/** A send takes less, and refuses the message. The rest need not be copied between threads for that. */
const maxFiles = 100;
const maxBody = 4_000_000;

let parser: Promise<typeof import('postal-mime')> | null = null;

/** The parser is loaded with the first message: a service without SMTP does not pay for it. */
export async function readMessage(bytes: Uint8Array): Promise<SubmittedMessage> {
  parser ??= import('postal-mime');
  const library = await parser;
  const { decodeWords } = library;
  const email = readSimple(bytes, library) ?? (await parse(library.default, bytes));
  refuseUnknown(email.headerLines);
  const header = (name: string): string | null => headerOf(email.headerLines, name, decodeWords);
  const template = header('X-Carillon-Template');
  const attachments = email.attachments
    .slice(0, maxFiles)
    .map((file, index) => attachmentOf(file, index, email.html ?? ''));
  return {
    content: {
      ...(template === null ? contentOf(email) : { template_key: template }),
      category: header('X-Carillon-Category'),
      priority: (header('X-Carillon-Priority')?.toLowerCase() ?? null) as Priority | null,
      template_data: dataOf(header('X-Carillon-Data')),
      from_name: nameOf(email.from),
      reply_to: mailboxesOf(email.replyTo ?? [])[0]?.address || null,
      attachments: attachments.length === 0 ? null : attachments,
    },
    names: namesOf(email),
    idempotencyKey: header('X-Carillon-Idempotency-Key') ?? (email.messageId?.trim() || null),
  };
}

async function parse(parser: typeof PostalMime, bytes: Uint8Array): Promise<Email> {
  try {
    return await parser.parse(bytes, { forceRfc822Attachments: true, maxHeadersSize: maxHeaderBytes });
  } catch (error) {
    throw new Problem('parameter_invalid', 'The message is not valid MIME.', { cause: error });
  }
}

const ownHeaders = ['Category', 'Template', 'Data', 'Priority', 'Idempotency-Key'].map(
  (name) => `X-Carillon-${name}`,
);

/** A misspelt header must not be ignored: a message without its category would ignore preferences. */
function refuseUnknown(lines: readonly HeaderLine[]): void {
  const unknown = lines.find(
    ({ key }) => key.startsWith('x-carillon-') && !ownHeaders.some((name) => name.toLowerCase() === key),
  );
  if (unknown) throw invalidParameter(unknown.key, `${unknown.key} is not one of ${ownHeaders.join(', ')}.`);
}

/** Mail may have no subject or no text (a scanner sends the scan alone); an email notification has both. */
function contentOf({ subject, html, text }: Email): Pick<SendRequest, 'subject' | 'html_body' | 'text_body'> {
  return {
    subject: oneLine(subject ?? '') || '(no subject)',
    html_body: html ? bodyOf(html) : null,
    text_body: text ? bodyOf(text) : html ? null : '\n',
  };
}

/** The last line break belongs to the boundary or the final dot after it. */
function bodyOf(text: string): string {
  return storable(text.slice(0, maxBody)).replace(/\r?\n$/, '') || '\n';
}

/** Line breaks that fold a header are removed, and white space is kept: it may be part of a JSON string. */
function headerOf(
  lines: readonly HeaderLine[],
  name: string,
  decodeWords: (text: string) => string,
): string | null {
  const key = name.toLowerCase();
  const [first, second] = lines.filter((line) => line.key === key);
  if (second) throw invalidParameter(name, `${name} must not appear twice.`);
  if (!first) return null;
  const value = first.line.slice(first.line.indexOf(':') + 1).replace(/\r?\n(?=[ \t])/g, '');
  return storable(decodeWords(value.trim())) || null;
}

function dataOf(json: string | null): Record<string, unknown> | null {
  if (json === null) return null;
  const name = 'X-Carillon-Data';
  let data: unknown;
  try {
    data = parseJson(json);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw invalidParameter(name, error.message.replace('The body', name));
  }
  if (!isRecord(data)) throw invalidParameter(name, `${name} must be a JSON object.`);
  return data;
}

function mailboxesOf(addresses: readonly Address[]): Mailbox[] {
  return addresses.flatMap((entry): Mailbox[] => (entry.group ? entry.group : [entry as Mailbox]));
}

function nameOf(from: Address | undefined): string | null {
  return displayName(from?.name ?? '') || null;
}

function namesOf({ to = [], cc = [] }: Email): Map<string, string> {
  const named = mailboxesOf([...to, ...cc]).filter(({ address, name }) => address && name);
  return new Map(named.map(({ address, name }) => [address.toLowerCase(), displayName(name)]));
}

function displayName(name: string): string {
  return oneLine(name).replace(/[<>]/g, '').slice(0, maxName).trim();
}

type AttachmentInput = NonNullable<SendRequest['attachments']>[number];

/** An image that the HTML shows stays within it; everything else is a file, regardless of its disposition. */
function attachmentOf(file: Attachment, index: number, html: string): AttachmentInput {
  const contentId = file.contentId?.replace(/^<|>$/g, '').trim();
  const filename = oneLine(file.filename ?? '')
    .replace(/[/\\]/g, '_')
    .slice(-maxFilename);
  return {
    filename: filename || `attachment-${index + 1}${file.mimeType === 'message/rfc822' ? '.eml' : ''}`,
    content_type: contentTypeOf(file),
    content_base64: base64Of(file.content),
    ...(contentId && isUsable(contentId) && html.includes(`cid:${contentId}`) && { content_id: contentId }),
  };
}

/** A content id that the API does not take makes the image a file, rather than the message an error. */
const isUsable = (contentId: string): boolean => /^[\w.!#$%&'*+/=?^{|}~@-]{1,127}$/.test(contentId);

function contentTypeOf({ mimeType, method }: Attachment): string {
  if (!/^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/.test(mimeType)) return 'application/octet-stream';
  // A calendar program needs the method to offer "accept" and "decline".
  return method && /^[A-Z]{1,20}$/.test(method) ? `${mimeType}; method=${method}; charset=utf-8` : mimeType;
}

function base64Of(content: Attachment['content']): string {
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** PostgreSQL cannot store NUL. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

function oneLine(text: string): string {
  return storable(text)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
}
