import type { Task } from '../../kernel/threads/task.ts';
import { readMessage, type SubmittedMessage } from './message.ts';
import { isSimple } from './simple-message.ts';

export const messageTask: Task<Uint8Array, SubmittedMessage> = {
  name: 'read_message',
  isLight: isSimple,
  transfer: (bytes) => (bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer as ArrayBuffer] : []),
  work: readMessage,
};
