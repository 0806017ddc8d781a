import { idTime } from '../../kernel/ids.ts';
import type { TaskRunner } from '../../kernel/threads/task.ts';
import { postOf } from '../chatone/index.ts';
import { executionOf } from '../chatthree/index.ts';
import { cardMessage } from '../chattwo/index.ts';
import type { EmailMessage, InAppMessage, Message, SmsMessage, WebhookMessage } from '../contract.ts';
import { buildMime, messageIdOf } from '../email/mime.ts';
import { textTask } from '../email/text.ts';
import { type Segmentation, segmentationOf } from '../sms/segments.ts';
import { postHeaders } from '../webhook/index.ts';

/**
 * The email that would have been sent. It is stored in parts and turned into the exact bytes when it is viewed: composing MIME
 * costs 0.3 ms a message, more than everything else that a send through the sandbox does.
 */
export interface StoredEmail {
  from: { address: string; name: string | null };
  to: { address: string; name: string | null };
  reply_to: string | null;
  subject: string;
  html: string | null;
  /** Null in rows of earlier releases, which computed the text on every view. */
  text: string | null;
  headers: Record<string, string>;
  attachments: { filename: string; content_type: string; size_bytes: number }[];
}

/** The call that would have been made, unchanged. */
export interface StoredWebhook {
  method: 'POST';
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The item as it arrived in the inbox. */
export interface StoredInAppItem {
  subject: string | null;
  html_body: string | null;
  text_body: string | null;
  action_url: string | null;
  data: Record<string, unknown>;
}

/** The text as the network carries it: its alphabet and its number of parts. */
export interface StoredSms {
  to: string;
  from: string;
  text: string;
  encoding: Segmentation['encoding'];
  segments: number;
}

/** The JSON that would have been posted to a chat service; the URL and the token are secret and left out. */
export interface StoredChatPost {
  blocks?: unknown;
  attachments?: unknown;
  embeds?: unknown;
  content?: unknown;
}

export type StoredPayload = StoredSms | StoredEmail | StoredWebhook | StoredInAppItem | StoredChatPost;

export function storedPayload(message: Message, now: number): StoredPayload {
  switch (message.channel) {
    case 'email':
      return storedEmail(message);
    case 'webhook':
      return storedWebhook(message, now);
    case 'in_app':
      return storedInAppItem(message);
    case 'chatone':
      return postOf(message);
    case 'chattwo':
      return cardMessage(message.card);
    case 'chatthree':
      return executionOf(message);
    case 'sms':
      return storedSms(message);
  }
}

function storedInAppItem({ subject, html, text, actionUrl, data }: InAppMessage): StoredInAppItem {
  return { subject, html_body: html, text_body: text, action_url: actionUrl, data };
}

function storedSms({ to, from, text }: SmsMessage): StoredSms {
  const { encoding, segments } = segmentationOf(text);
  return { to: to.address, from, text, encoding, segments };
}

function storedWebhook(
  { notificationId: id, to, body, secrets }: WebhookMessage,
  now: number,
): StoredWebhook {
  return { method: 'POST', url: to.address, headers: postHeaders({ id, body, secrets }, now), body };
}

function storedEmail(message: EmailMessage): StoredEmail {
  return {
    from: message.from,
    to: message.to,
    reply_to: message.replyTo,
    subject: message.subject,
    html: message.html,
    text: message.text,
    headers: message.headers,
    attachments: message.attachments.map((file) => ({
      filename: file.filename,
      content_type: file.contentType,
      size_bytes: file.bytes.length,
    })),
  };
}

/** A stored row as the API shows it. */
export interface EmailPayload extends StoredEmail {
  text: string;
  message_id: string;
  mime: string;
  /** False when there were attachments: their bytes are not kept, and `mime` has a line in their place. */
  mime_complete: boolean;
}

export type SandboxPayload = StoredSms | EmailPayload | StoredWebhook | StoredInAppItem | StoredChatPost;

interface StoredMessage<Payload> {
  id: string;
  notification_id: string;
  environment_id: string;
  payload: Payload;
}

export async function viewPayload(
  tasks: TaskRunner,
  row: StoredMessage<StoredPayload>,
): Promise<SandboxPayload> {
  const { payload } = row;
  return 'reply_to' in payload ? viewEmail(tasks, { ...row, payload }) : payload;
}

async function viewEmail(tasks: TaskRunner, row: StoredMessage<StoredEmail>): Promise<EmailPayload> {
  const { payload } = row;
  const text = payload.text ?? (await tasks.run(textTask, row.environment_id, payload.html ?? ''));
  const message: EmailMessage = {
    channel: 'email',
    notificationId: row.notification_id,
    environmentId: row.environment_id,
    attempt: 1,
    to: payload.to,
    from: payload.from,
    replyTo: payload.reply_to,
    subject: payload.subject,
    html: payload.html,
    text,
    headers: payload.headers,
    attachments: payload.attachments.map((file) => ({
      filename: file.filename,
      contentType: file.content_type,
      bytes: Buffer.from(`[${file.size_bytes} bytes, not kept by the sandbox]`),
    })),
  };
  // The row's id determines the date and the boundary, so that the same row always shows the same bytes. The random part of the
  // id was made after the content, which therefore cannot contain the boundary.
  const { raw } = await buildMime(tasks, message, new Date(idTime(row.id)), row.id.replaceAll('-', ''));
  return {
    ...payload,
    text,
    message_id: messageIdOf(message),
    mime: raw.toString('utf8'),
    mime_complete: payload.attachments.length === 0,
  };
}
