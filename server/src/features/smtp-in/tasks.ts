import type { Task } from '../../kernel/threads/task.ts';
import { readMessage, type SubmittedMessage } from './message.ts';

/** Ordinary messages of this size take less than a millisecond, and the slowest simple ones 10 ms. */
const lightBytes = 4_096;
const maxLightParts = 8;

/** A Content-Type without comments or other ways to write the same, which the parser would resolve. */
const plainType =
  /^content-type: (text\/plain|text\/html|multipart\/alternative)(?:;\s+(?:charset|format|delsp|boundary)=(?:"[\w'+.,:=?/-]*"|[\w.:+/-]+))*$/i;

export const messageTask: Task<Uint8Array, SubmittedMessage> = {
  name: 'read_message',
  isLight: isSimple,
  transfer: (bytes) => (bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer as ArrayBuffer] : []),
  work: readMessage,
};

/**
 * True for a single text, and for a text with its HTML alternative. In other messages the parser converts texts to HTML and back, and
 * 4 KB of HTML that was made for it take a second; many parts take a time that grows with their square.
 */
export function isSimple(bytes: Uint8Array): boolean {
  if (bytes.length > lightBytes) return false;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  if ((text.match(/^--/gm) ?? []).length > maxLightParts) return false;
  // Each header with its folded lines; the name cannot be written in another way.
  const types = text.match(/^.*content-type.*(?:\r?\n[ \t].*)*/gim) ?? [];
  const kinds = types.map((header) => plainType.exec(header.replaceAll('\r', ''))?.[1]?.toLowerCase());
  const [first, ...others] = kinds;
  return (
    kinds.length <= 3 &&
    !kinds.includes(undefined) &&
    (others.length === 0 || first === 'multipart/alternative') &&
    !others.includes('multipart/alternative')
  );
}
