import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { expect, test } from 'vitest';
import { createRandom } from '../../../test/fuzz/random.ts';
import { createUnstuffer, unstuffInOnePass } from './unstuff.ts';

/** The text before the end and what comes after it, from the chunks in order. */
function unstuffed(chunks: Buffer[]): { text: string; rest: string | null } {
  const unstuff = createUnstuffer();
  let text = '';
  for (const [index, chunk] of chunks.entries()) {
    const { bytes, restAt } = unstuff(chunk);
    text += bytes.toString('latin1');
    if (restAt === null) continue;
    const rest = Buffer.concat([chunk.subarray(restAt), ...chunks.slice(index + 1)]);
    return { text, rest: rest.toString('latin1') };
  }
  return { text, rest: null };
}

/** The rule in its plainest form, for a whole message at once. */
function expected(wire: string): { text: string; rest: string | null } {
  const end = /(^|\r\n)\.\r\n/.exec(wire);
  const text = end ? wire.slice(0, end.index + (end[1]?.length ?? 0)) : wire;
  return {
    text: text.replace(/(^|\n)\.\./g, '$1.'),
    rest: end ? wire.slice(end.index + end[0].length) : null,
  };
}

test.each([
  ['Hello\r\n.\r\nQUIT\r\n', 'Hello\r\n', 'QUIT\r\n'],
  ['.\r\n', '', ''],
  ['..\r\n.\r\n', '.\r\n', ''],
  ['..\r\n...\r\n..x\r\n.\r\n', '.\r\n..\r\n.x\r\n', ''],
  ['a\n.\r\nb\r\n.\nc\r.\r\n.\r\n', 'a\n.\r\nb\r\n.\nc\r.\r\n', ''],
  ['a\r\n.\r\r\n.\r\n', 'a\r\n.\r\r\n', ''],
])('%j is read as %j, and %j comes after it', (wire, text, rest) => {
  expect(unstuffed([Buffer.from(wire)])).toEqual({ text, rest });
  expect(unstuffed(Array.from(wire, (byte) => Buffer.from(byte)))).toEqual({ text, rest });
});

test('a message is read the same however it is cut into chunks', () => {
  const random = createRandom(1);
  for (let round = 0; round < 2_000; round += 1) {
    const body = Array.from({ length: random.size(12) }, () =>
      random.pick(['.', '..', '\r\n', '\r', '\n', 'x']),
    );
    const wire = `${body.join('')}\r\n.\r\n.\r\n`;
    const { text, rest } = expected(wire);
    const chunks: Buffer[] = [];
    for (let at = 0; at < wire.length; ) {
      const length = 1 + random.below(4);
      chunks.push(Buffer.from(wire.slice(at, at + length), 'latin1'));
      at += length;
    }
    expect({ wire, ...unstuffed(chunks) }).toEqual({ wire, text, rest });
  }
});

test('a chunk of lines that begin with dots is handed on in one piece', async () => {
  unstuffInOnePass(SMTPStream);
  const parser = new SMTPStream();
  const pieces: number[] = [];
  const message = parser.startDataMode().on('data', (bytes: Buffer) => pieces.push(bytes.length));
  const ended = new Promise((resolve) => message.once('end', resolve));
  const chunk = Buffer.from('..\r\n'.repeat(16_000));
  for (let count = 0; count < 3; count += 1)
    await new Promise((resolve) => parser.write(chunk, () => resolve(null)));
  parser.write('.\r\n');
  await ended;
  expect(pieces).toEqual([48_000, 48_000, 48_000]);
});
