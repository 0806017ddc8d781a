import { createHash } from 'node:crypto';
import { isLoopHeld, yieldToEventLoop } from '../../../kernel/event-loop.ts';

const pieceBytes = 1_048_576;

/** The SHA-256 in hex. 15 MB take up to 50 ms, so they are hashed in pieces, with other work in between. */
export async function sha256Of(bytes: Buffer): Promise<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (bytes.length > pieceBytes) while (isLoopHeld()) await yieldToEventLoop();
    hash.update(bytes.subarray(at, at + pieceBytes));
  }
  return hash.digest('hex');
}
