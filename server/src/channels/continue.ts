import type { Socket } from 'node:net';

const opening = Buffer.from('HTTP/1.1 100');
const maxHeadBytes = 16_384;

/**
 * Servers may send "100 Continue" before their answer, asked or not (RFC 9110 15.2). undici closes the connection on it, and no
 * option changes that, so the status is removed before undici sees it. undici takes the received bytes with `read()` and has
 * one request at a time on a connection: the first bytes after a write begin an answer.
 */
export function skipContinue(socket: Socket): void {
  const read = socket.read.bind(socket);
  let answeredUpTo = 0;
  let pending = Buffer.alloc(0);
  socket.read = () => {
    for (let chunk: Buffer | null = read(); chunk !== null; chunk = read()) {
      if (socket.bytesWritten === answeredUpTo) return chunk; // the rest of an answer
      pending = withoutContinue(Buffer.concat([pending, chunk]));
      if (mayBecomeContinue(pending)) continue;
      const answer = pending;
      pending = Buffer.alloc(0);
      answeredUpTo = socket.bytesWritten;
      return answer;
    }
    return null;
  };
}

function withoutContinue(bytes: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  let rest = bytes;
  while (rest.subarray(0, opening.length).equals(opening)) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) break;
    rest = rest.subarray(end + 4);
  }
  return rest;
}

function mayBecomeContinue(bytes: Buffer): boolean {
  const known = Math.min(bytes.length, opening.length);
  return bytes.length <= maxHeadBytes && bytes.subarray(0, known).equals(opening.subarray(0, known));
}
