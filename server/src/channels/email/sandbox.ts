import { idTime } from '../../kernel/ids.ts';
import type { TaskRunner } from '../../threads/task.ts';
import type { Outcome } from '../contract.ts';
import type { EmailMessage } from '../message.ts';
import { accepted, answer, delivered, type SandboxAnswer, type StoredMessage } from '../sandbox-answer.ts';
import type { MessagePreview } from '../spec.ts';
import { buildMime, messageIdOf } from './mime.ts';

/**
 * The email that would have been sent. It is stored in parts and turned into the exact bytes when it is viewed: composing MIME
 * costs 0.3 ms a message, more than everything else that a send through the sandbox does.
 */
interface StoredEmail {
  from: { address: string; name: string | null };
  to: { address: string; name: string | null };
  reply_to: string | null;
  subject: string;
  html: string | null;
  text: string;
  headers: Record<string, string>;
  attachments: { filename: string; content_type: string; size_bytes: number; content_id?: string }[];
}

/** The stored email as the API shows it. */
interface ViewedEmail extends StoredEmail {
  message_id: string;
  mime: string;
  /** False if there were attachments: their bytes are not kept, and `mime` has a placeholder line. */
  mime_complete: boolean;
}

export function emailPayloadOf(message: EmailMessage): StoredEmail {
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
      ...(file.contentId && { content_id: file.contentId }),
    })),
  };
}

/** The sender and the headers are as the sandbox stored them, even if the settings have changed since. */
export function previewOfStored({ from, reply_to, headers }: StoredEmail): MessagePreview {
  return { from, reply_to, headers };
}

export async function viewStoredEmail(
  tasks: TaskRunner,
  row: StoredMessage & { payload: StoredEmail },
): Promise<ViewedEmail> {
  const { payload } = row;
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
    text: payload.text,
    headers: payload.headers,
    attachments: payload.attachments.map((file) => ({
      filename: file.filename,
      contentType: file.content_type,
      bytes: Buffer.from(`[${file.size_bytes} bytes, not kept by the sandbox]`),
      contentId: file.content_id,
    })),
  };
  // The row's id determines the date and the boundary, so that the same row always shows the same bytes. The random part of the
  // id was made after the content, which therefore cannot contain the boundary.
  const { raw } = await buildMime(tasks, message, new Date(idTime(row.id)), row.id.replaceAll('-', ''));
  return {
    ...payload,
    message_id: messageIdOf(message),
    mime: raw.toString('utf8'),
    mime_complete: payload.attachments.length === 0,
  };
}

const delayMs = 3_000;

const refusedForNow: Outcome = {
  kind: 'retry',
  detail: '451 4.3.0 The sandbox rejects this temporarily.',
  code: '451 4.3.0',
};

/** The magic mailboxes of sandbox.test. To add one, add a line. */
const answers: Record<string, (message: EmailMessage) => SandboxAnswer> = {
  delivered: () => accepted([delivered]),
  bounced: () =>
    accepted([{ type: 'Bounced', detail: '550 5.1.1 The sandbox bounced the message (hard bounce).' }]),
  complained: () =>
    accepted([delivered, { type: 'Complained', detail: 'The recipient marked the message as spam.' }]),
  delayed: () =>
    accepted([
      { type: 'DeliveryDelayed', detail: '451 4.4.1 The sandbox delays the message for 3 seconds.' },
      { ...delivered, afterMs: delayMs },
    ]),
  opened: () => accepted([delivered, { type: 'Opened', detail: null }]),
  'refused-once': (message) => (message.attempt === 1 ? answer(refusedForNow) : accepted([delivered])),
  refused: () =>
    answer({ kind: 'rejected', detail: '554 5.7.1 The sandbox rejects the message.', code: '554 5.7.1' }),
  slow: () => accepted([delivered], delayMs),
  'no-such-user': () =>
    answer({ kind: 'suppress', detail: '550 5.1.1 No such user.', code: '550 5.1.1', reason: 'hard_bounce' }),
  ambiguous: () =>
    answer({
      kind: 'ambiguous',
      detail: 'The sandbox closed the connection after the whole message.',
      code: 'lost',
    }),
  retry: () => answer(refusedForNow),
};

export const magicAddresses = Object.keys(answers).map((local) => `${local}@sandbox.test`);

/**
 * The answer to a magic address, or null. A plus-tag changes nothing here, but makes a separate address, which can end up on
 * the suppression list as a real one would.
 */
export function magicAnswer(message: EmailMessage): SandboxAnswer | null {
  const [mailbox = '', domain] = message.to.address.toLowerCase().split('@');
  const local = mailbox.split('+')[0] ?? '';
  if (domain !== 'sandbox.test' || !Object.hasOwn(answers, local)) return null;
  return answers[local]?.(message) ?? null;
}
