import type { SMTPStream } from 'smtp-server/lib/smtp-stream.js';

/** Where in the text of a message the next byte stands. Bytes that may belong to the end are not copied before that is known. */
type BytePosition =
  | 'line start'
  | 'in line'
  | 'after CR'
  | 'after LF alone'
  | 'dot'
  | 'dot CR'
  | 'dot after LF alone';

const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;
const undecided = { dot: [DOT], 'dot CR': [DOT, CR], 'dot after LF alone': [DOT] } as const;

interface Unstuffed {
  bytes: Buffer;
  /** Where the chunk goes on after the final dot; null while the message goes on. */
  restAt: number | null;
}

/**
 * Removes the dots that escape others (RFC 5321 4.5.2) in one pass over each chunk. Only CRLF . CRLF ends a message: with line breaks
 * of LF alone, a relay and this server could see its end at different places.
 */
export function createUnstuffer(): (chunk: Buffer) => Unstuffed {
  let position: BytePosition = 'line start';
  return (chunk) => {
    // Up to two bytes of the chunk before were undecided.
    const bytes = Buffer.allocUnsafe(chunk.length + 2);
    let length = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (byte === DOT && (position === 'line start' || position === 'after LF alone')) {
        position = position === 'line start' ? 'dot' : 'dot after LF alone';
        continue;
      }
      if (position === 'dot' && byte === CR) {
        position = 'dot CR';
        continue;
      }
      if (position === 'dot CR' && byte === LF) return { bytes: bytes.subarray(0, length), restAt: at + 1 };
      if (position === 'dot' || position === 'dot CR' || position === 'dot after LF alone') {
        const isEscape = byte === DOT && position !== 'dot CR';
        if (!isEscape) for (const earlier of undecided[position]) bytes[length++] = earlier;
        position = position === 'dot CR' ? 'after CR' : 'in line';
      }
      bytes[length++] = byte;
      if (byte === LF) position = position === 'after CR' ? 'line start' : 'after LF alone';
      else position = byte === CR ? 'after CR' : 'in line';
    }
    return { bytes: bytes.subarray(0, length), restAt: null };
  };
}

/**
 * Makes the parsers of the library unstuff in one pass. The library itself hands on each piece between two escapes on its own, with
 * a turn of the event loop for each: lines of `..` took 27 times the processor of others.
 */
export function unstuffInOnePass(Parser: typeof SMTPStream): void {
  const unstuffers = new WeakMap<object, ReturnType<typeof createUnstuffer>>();
  Parser.prototype._feedDataStream = function feed(this: SMTPStream, chunk, done) {
    const message = this._dataStream;
    if (message === null) return done();
    const unstuff = unstuffers.get(message) ?? createUnstuffer();
    unstuffers.set(message, unstuff);
    const { bytes, restAt } = unstuff(chunk);
    this._countDataBytes(bytes.length);
    if (restAt !== null) return this._endDataMode(bytes, chunk.subarray(restAt), done);
    if (bytes.length === 0 || !message.writable || message.write(bytes)) return done();
    const resume = (): void => {
      message.off('drain', resume).off('close', resume);
      done();
    };
    message.on('drain', resume).on('close', resume);
  };
}
