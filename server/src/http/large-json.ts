import { shouldYield, yieldToEventLoop } from '../kernel/event-loop.ts';
import { isLargerThan } from '../kernel/json.ts';

/** The number of characters that are written at a time. */
export const pieceLength = 262_144;

/**
 * Writes JSON of any size in pieces, with other work in between: one email of 2,000,000 characters blocked the event loop for 110
 * ms.
 */
export async function jsonInPieces(value: unknown): Promise<string | Buffer> {
  const pieces: Buffer[] = [];
  let text = '';
  for (const part of partsOf(value)) {
    text += part;
    if (text.length >= pieceLength) {
      pieces.push(Buffer.from(text));
      text = '';
    }
    while (shouldYield()) await yieldToEventLoop();
  }
  return pieces.length === 0 ? text : Buffer.concat([...pieces, Buffer.from(text)]);
}

function* partsOf(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    yield '[';
    for (const [index, element] of value.entries()) {
      if (index > 0) yield ',';
      yield* partsOf(element);
    }
    yield ']';
  } else if (!isLargerThan(value, pieceLength)) yield JSON.stringify(value) ?? 'null';
  else if (typeof value === 'string') yield* partsOfText(value);
  else yield* partsOfRecord(value as Record<string, unknown>);
}

function* partsOfRecord(record: Record<string, unknown>): Generator<string> {
  let before = '{';
  for (const [key, value] of Object.entries(record)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(key)}:`;
    yield* partsOf(value);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* partsOfText(text: string): Generator<string> {
  yield '"';
  for (let at = 0; at < text.length; ) {
    let end = at + pieceLength;
    if (isHighSurrogate(text.charCodeAt(end - 1))) end += 1; // keep the surrogate pair together
    yield JSON.stringify(text.slice(at, end)).slice(1, -1);
    at = end;
  }
  yield '"';
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
