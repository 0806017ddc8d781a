import type { TaskRunner } from '../../threads/task.ts';
import type { Channel, Message } from '../contract.ts';
import type { StoredContent } from '../message.ts';
import type { StoredMessage } from '../sandbox-answer.ts';
import { channelSpecs } from '../specs.ts';

/** A payload of which the parts named in `from_content` are stored with the notification alone, and are empty here. */
interface StoredPayload {
  payload: object;
  /** Null when the payload is whole. */
  from_content: string[] | null;
}

type Parts = Record<string, unknown>;

/**
 * The message as the sandbox stores it: what would have been sent, without secrets. Text that goes out exactly as it is stored in
 * `content` is not stored again: it was two thirds of a message. Without `content` the payload is whole.
 */
export function storedPayload(
  message: Message,
  now: number,
  content: StoredContent | undefined,
): StoredPayload {
  const { payloadOf, contentParts = {} } = channelSpecs[message.channel].sandbox;
  const payload = payloadOf(message, now) as Parts;
  const shared: string[] = [];
  for (const [part, column] of Object.entries(contentParts)) {
    if (!payload[part] || payload[part] !== content?.[column]) continue;
    shared.push(part);
    payload[part] = '';
  }
  return { payload, from_content: shared.length > 0 ? shared : null };
}

/** A stored message as the API shows it. The content is erased with its messages: parts of a straggler stay empty. */
export async function viewPayload(
  tasks: TaskRunner,
  row: StoredMessage & StoredContent & StoredPayload & { channel: Channel },
): Promise<object> {
  const { viewOf, contentParts = {} } = channelSpecs[row.channel].sandbox;
  const payload: Parts = { ...row.payload };
  for (const part of row.from_content ?? []) {
    const column = contentParts[part];
    if (column) payload[part] = row[column] ?? '';
  }
  return viewOf ? viewOf(tasks, { ...row, payload }) : payload;
}
