import { channelSpecs } from '../../../channels/specs.ts';
import { templateRules } from '../../../channels/template-rules.ts';
import { invalidParameter, Problem } from '../../../kernel/errors.ts';
import { shouldYield, yieldToEventLoop } from '../../../kernel/event-loop.ts';
import { hasTags, type InlineSources } from '../../content/templates/index.ts';
import type { AttachmentMetadata, AuthoredContent, InlineFormat } from './notification-row.ts';
import { type SendRequest, sendLimits } from './schema.ts';

type Content = Pick<
  SendRequest,
  | 'channel'
  | 'template_key'
  | 'subject'
  | 'html_body'
  | 'text_body'
  | 'template_data'
  | 'action_url'
  | 'from_name'
  | 'reply_to'
  | 'tags'
  | 'actions'
>;

/** Content that the channel ignores is dropped here, not refused; so is everything but the subject that the template replaces. */
export function checkContent(request: Content, isLiquid: boolean): AuthoredContent {
  const inline = request.template_key
    ? subjectBeside(request)
    : channelSpecs[request.channel].content.inlineContentOf(request);
  if (inline.subject !== null) checkLength('subject', inline.subject, sendLimits.subject);
  const surroundings = checkSurroundings(request);
  // Field by field: spreading the two took 10 µs of each send.
  return {
    subject: inline.subject,
    html_body: inline.html_body,
    text_body: inline.text_body,
    inline_format: formatOf(inline, request, isLiquid),
    template_data: surroundings.template_data,
    from_name: surroundings.from_name,
    reply_to: surroundings.reply_to,
    inbox_extras: surroundings.inbox_extras,
  };
}

/** In code points. Channels that ignore a field accept it at any length, so the schema has no limit. */
function checkLength(param: string, text: string, limit: number): void {
  if (text.length > limit && [...text].length > limit)
    throw invalidParameter(param, `${param} must have at most ${limit} characters.`);
}

/** Text without tags renders to itself: its content stays literal, and costs no rendering. */
function formatOf(
  inline: InlineSources,
  { template_key: key }: Content,
  isLiquid: boolean,
): InlineFormat | null {
  if (isLiquid && (hasTags(inline.subject) || hasTags(inline.html_body) || hasTags(inline.text_body)))
    return 'liquid';
  return key && inline.subject !== null ? 'literal' : null;
}

/** The subject of a request replaces that of the template. */
function subjectBeside({ channel, subject }: Content): InlineSources {
  if (!subject || !templateRules[channel].fields.includes('subject_template')) return noContent;
  channelSpecs[channel].content.checkSubject?.(subject);
  return { ...noContent, subject };
}

type Surroundings = Pick<AuthoredContent, 'template_data' | 'from_name' | 'reply_to' | 'inbox_extras'>;

/** Checks what a request has besides the message. */
export function checkSurroundings(request: Content): Surroundings {
  const templateData = request.template_data ?? noData;
  if (Buffer.byteLength(templateDataJson(templateData)) > sendLimits.templateDataBytes) {
    throw invalidParameter(
      'template_data',
      `template_data must have at most ${sendLimits.templateDataBytes} bytes as JSON.`,
    );
  }
  const rule = channelSpecs[request.channel].content;
  const sender = rule.senderOf?.(request) ?? noSender;
  rule.checkRemaining?.(request, templateData);
  return {
    template_data: templateData,
    from_name: sender.from_name,
    reply_to: sender.reply_to,
    inbox_extras: rule.extrasOf?.(request) ?? null,
  };
}

const noContent = { subject: null, html_body: null, text_body: null };
const noSender = { from_name: null, reply_to: null };
const noData: Record<string, unknown> = Object.freeze({});
const templateDataTexts = new WeakMap<object, string>();

/** The check, the size estimate and the insert all need this JSON, which is made once. */
export function templateDataJson(data: Record<string, unknown>): string {
  if (data === noData) return '{}';
  const known = templateDataTexts.get(data);
  if (known !== undefined) return known;
  const text = JSON.stringify(data);
  templateDataTexts.set(data, text);
  return text;
}

export function checkAttachmentsLast(sendAt: Date | null, acceptedAt: number): void {
  if (sendAt && sendAt.getTime() > acceptedAt + sendLimits.attachmentDays * 86_400_000) {
    throw invalidParameter(
      'send_at',
      `Attachments are kept for ${sendLimits.attachmentDays} days: send_at must be earlier.`,
    );
  }
}

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
  if (list.length > sendLimits.attachments) {
    throw new Problem('too_many_attachments', `At most ${sendLimits.attachments} attachments are allowed.`, {
      param: 'attachments',
    });
  }
  const checked: CheckedAttachments = { metadata: [], bytes: [] };
  let total = 0;
  list.forEach((attachment, index) => {
    const at = `attachments[${index}]`;
    const { filename, content_type, content_base64, content_id } = attachment;
    for (const [name, text] of Object.entries({ filename, content_type })) {
      if (text === '') throw invalidParameter(`${at}.${name}`, `${at}.${name} must not be empty.`);
      checkLength(`${at}.${name}`, text, sendLimits.attachmentName);
    }
    if (content_id) checkLength(`${at}.content_id`, content_id, sendLimits.contentId);
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
    if (total > sendLimits.attachmentBytes) {
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
    if (text.length <= pieceLength || decodedLength(text) > sendLimits.attachmentBytes) continue;
    decodedAhead.set(attachment, await decodeInPieces(text));
  }
}

async function decodeInPieces(base64: string): Promise<Buffer | null> {
  if (base64.length % 4 !== 0) return null;
  const bytes = Buffer.allocUnsafe(decodedLength(base64));
  let length = 0;
  for (let at = 0; at < base64.length; at += pieceLength) {
    while (shouldYield()) await yieldToEventLoop();
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
