import type { Task } from '../../threads/task.ts';
import { readMessage, type SubmittedMessage } from './message.ts';
import { isSimple } from './simple-message.ts';

interface MessageInput {
  bytes: Uint8Array;
  /** Of the envelope. */
  recipients: string[];
}

export const messageTask: Task<MessageInput, SubmittedMessage> = {
  name: 'read_message',
  isLight: ({ bytes }) => isSimple(bytes),
  transfer: ({ bytes }) =>
    bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer as ArrayBuffer] : [],
  async work({ bytes, recipients }) {
    const message = await readMessage(bytes);
    // A header may name a hundred thousand others, and each is copied between threads.
    const names = recipients.flatMap((address): [string, string][] => {
      const key = address.toLowerCase();
      const name = message.names.get(key);
      return name === undefined ? [] : [[key, name]];
    });
    return { ...message, names: new Map(names) };
  },
};
