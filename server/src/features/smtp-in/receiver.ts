import type { SMTPServerDataStream } from 'smtp-server';
import { Problem } from '../../kernel/errors.ts';

/** Reads messages into memory, and bounds how much all of them take together. */
export interface Receiver {
  /** Reads a message and hands it to `use`; its bytes count until that ends. */
  read<Result>(stream: SMTPServerDataStream, use: (bytes: Buffer) => Promise<Result>): Promise<Result>;
}

const maxPieces = 1_024;

export function createReceiver({ maxBytes }: { maxBytes: number }): Receiver {
  let inProgress = 0;

  return {
    async read(stream, use) {
      let held: Buffer[] = [];
      /** Lines that begin with a dot arrive in pieces of a few bytes, which take far more memory than they have. */
      let pieces: Buffer[] = [];
      let heldBytes = 0;
      let isRefused = false;
      const release = (): void => {
        inProgress -= heldBytes;
        held = [];
        pieces = [];
        heldBytes = 0;
      };
      try {
        for await (const chunk of whole(stream)) {
          // The rest of a message that is refused is read and dropped: a client looks for the reply after the final dot.
          isRefused ||= stream.sizeExceeded || inProgress + chunk.length > maxBytes;
          if (isRefused) {
            release();
            continue;
          }
          pieces.push(chunk);
          if (pieces.length === maxPieces) held.push(Buffer.concat(pieces.splice(0)));
          heldBytes += chunk.length;
          inProgress += chunk.length;
        }
        if (stream.sizeExceeded) throw new Problem('payload_too_large', 'The message is too large.');
        if (isRefused)
          throw new Problem('temporarily_unavailable', 'Too many messages are being received. Try again.');
        return await use(Buffer.concat([...held, ...pieces]));
      } finally {
        release();
      }
    },
  };
}

async function* whole(stream: SMTPServerDataStream): AsyncGenerator<Buffer> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch {
    throw new Problem('invalid_json', 'The connection ended before the message did.');
  }
}
