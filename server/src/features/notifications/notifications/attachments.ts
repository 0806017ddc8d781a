import { invalidParameter, Problem } from '../../../kernel/errors.ts';
import { isLoopHeld, yieldToEventLoop } from '../../../kernel/event-loop.ts';
import type { AttachmentMetadata } from './notification-row.ts';
import { limits, type SendRequest } from './schema.ts';

type Attachment = NonNullable<SendRequest['attachments']>[number];

interface CheckedAttachments {
  /** Metadata is kept permanently; the bytes only until the notification leaves the queue. */
  metadata: AttachmentMetadata[];
  bytes: Buffer[];
}

const mimeType =
  /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(\s*;\s*[\w!#$&^.+-]+=("[\x20-\x21\x23-\x7e]*"|[\w!#$&^.+-]+))*$/;

/** No character of a content id needs escaping in a header, in a URL in HTML, or in the name of a form field. */
const contentIdPattern = /^[\w.!#$%&'*+/=?^{|}~@-]+$/;

export function checkAttachments(list: NonNullable<SendRequest['attachments']>): CheckedAttachments | null {
  if (list.length === 0) return null;
  if (list.length > limits.attachments) {
    throw new Problem('too_many_attachments', `At most ${limits.attachments} attachments are allowed.`, {
      param: 'attachments',
    });
  }
  const checked: CheckedAttachments = { metadata: [], bytes: [] };
  let total = 0;
  list.forEach((attachment, index) => {
    const at = `attachments[${index}]`;
    const { filename, content_type, content_base64, content_id } = attachment;
    if (/[\p{Cc}/\\]/u.test(filename)) {
      throw invalidParameter(
        `${at}.filename`,
        `${at}.filename must not contain control characters or slashes.`,
      );
    }
    if (!mimeType.test(content_type))
      throw invalidParameter(`${at}.content_type`, `${at}.content_type must be a MIME type.`);
    if (content_id && !contentIdPattern.test(content_id))
      throw invalidParameter(
        `${at}.content_id`,
        `${at}.content_id must consist of letters, digits and .!#$%&'*+/=?^_{|}~@-.`,
      );
    total += decodedLength(content_base64);
    if (total > limits.attachmentBytes) {
      throw new Problem('attachment_too_large', 'Attachments can have at most 15 MiB, each and in total.', {
        param: `${at}.content_base64`,
      });
    }
    const ahead = decodedAhead.get(attachment);
    const bytes = ahead === undefined ? decodeBase64(content_base64) : ahead;
    if (!bytes) throw invalidParameter(`${at}.content_base64`, `${at}.content_base64 is not valid base64.`);
    checked.metadata.push({
      ...{ filename, content_type, size_bytes: bytes.length },
      ...(content_id && { content_id }),
    });
    checked.bytes.push(bytes);
  });
  return checked;
}

function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}

/** 15 MB take 50 ms to decode, so large attachments are decoded in pieces beforehand, with other work in between. */
const pieceLength = 1_048_576;
/** Null when the attachment is not valid base64. */
const decodedAhead = new WeakMap<Attachment, Buffer | null>();

export async function decodeAhead(list: readonly Attachment[]): Promise<void> {
  for (const attachment of list) {
    const { content_base64: text } = attachment;
    if (text.length <= pieceLength || decodedLength(text) > limits.attachmentBytes) continue;
    decodedAhead.set(attachment, await decodeInPieces(text));
  }
}

async function decodeInPieces(base64: string): Promise<Buffer | null> {
  if (base64.length % 4 !== 0) return null;
  const bytes = Buffer.allocUnsafe(decodedLength(base64));
  let length = 0;
  for (let at = 0; at < base64.length; at += pieceLength) {
    while (isLoopHeld()) await yieldToEventLoop();
    const piece = base64.slice(at, at + pieceLength);
    if (hasUrlAlphabet(piece) || bytes.write(piece, length, 'base64') !== decodedLength(piece)) return null;
    length += decodedLength(piece);
  }
  return length === bytes.length ? bytes : null;
}

/**
 * Node's decoder skips characters that are not base64; the length is then wrong, which is cheaper to check than a regular
 * expression.
 */
function decodeBase64(base64: string): Buffer | null {
  if (base64.length % 4 !== 0 || hasUrlAlphabet(base64)) return null;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length === decodedLength(base64) ? bytes : null;
}

const hasUrlAlphabet = (base64: string): boolean => base64.includes('-') || base64.includes('_');
