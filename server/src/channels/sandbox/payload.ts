import type { TaskRunner } from '../../kernel/threads/task.ts';
import type { Channel, Message } from '../contract.ts';
import type { StoredMessage } from '../sandbox-answer.ts';
import { channelSpecs } from '../specs.ts';

/** The message as the sandbox stores it: what would have been sent, without secrets. */
export function storedPayload(message: Message, now: number): object {
  return channelSpecs[message.channel].sandbox.payloadOf(message, now);
}

/** A stored message as the API shows it. */
export async function viewPayload(
  tasks: TaskRunner,
  row: StoredMessage & { channel: Channel },
): Promise<object> {
  const { viewOf } = channelSpecs[row.channel].sandbox;
  return viewOf ? viewOf(tasks, row) : row.payload;
}
