import type { SMTPServerDataStream } from 'smtp-server';
import { Problem } from '../../kernel/errors.ts';

/** Reads messages into memory, and bounds how much those of one environment, and all of them, take together. */
interface Receiver {
  /** Reads a message and hands it to `use`; its bytes count until that ends. */
  read<Result>(
    environmentId: string,
    stream: SMTPServerDataStream,
    use: (bytes: Buffer) => Promise<Result>,
  ): Promise<Result>;
}

interface ReceiverLimits {
  bytesInProgress: number;
  bytesInProgressPerEnvironment: number;
}

const maxPieces = 1_024;

export function createReceiver(limits: ReceiverLimits): Receiver {
  let total = 0;
  const byEnvironment = new Map<string, number>();

  function count(environmentId: string, bytes: number): void {
    total += bytes;
    const held = (byEnvironment.get(environmentId) ?? 0) + bytes;
    if (held === 0) byEnvironment.delete(environmentId);
    else byEnvironment.set(environmentId, held);
  }

  const hasRoom = (environmentId: string, bytes: number): boolean =>
    total + bytes <= limits.bytesInProgress &&
    (byEnvironment.get(environmentId) ?? 0) + bytes <= limits.bytesInProgressPerEnvironment;

  return {
    async read(environmentId, stream, use) {
      let held: Buffer[] = [];
      /** A client that sends byte by byte makes pieces that take far more memory than they have. */
      let pieces: Buffer[] = [];
      let heldBytes = 0;
      let isRefused = false;
      const release = (): void => {
        count(environmentId, -heldBytes);
        held = [];
        pieces = [];
        heldBytes = 0;
      };
      try {
        for await (const chunk of whole(stream)) {
          if (stream.sizeExceeded) break;
          // The rest of a message without room is read and dropped: a client looks for the reply after the final dot.
          isRefused ||= !hasRoom(environmentId, chunk.length);
          if (isRefused) {
            release();
            continue;
          }
          pieces.push(chunk);
          if (pieces.length === maxPieces) held.push(Buffer.concat(pieces.splice(0)));
          heldBytes += chunk.length;
          count(environmentId, chunk.length);
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
